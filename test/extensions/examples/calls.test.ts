/** The first examples: a tool, a command, a check, a flag and the like, each doing what its first line says. */
import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";

import { needs } from "../../support/needs.ts";
import { callOf, type ExtensionFixtureOptions, extensionFixtureWith } from "../../support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const folder = join(import.meta.dir, "../../../packages/coding-agent/examples/extensions");

function play(name: string, scenario: Scenario, options: ExtensionFixtureOptions = {}) {
	return extensionFixture(scenario, { ...options, paths: [join(folder, name)] });
}

test("word-count: the model counts the words of a file, and the prompt lists the tool", async () => {
	await using fixture = await play("word-count.ts", {
		steps: [callOf("word_count", { path: "a.txt" }), callOf("word_count", { path: "gone.txt" }), "Three."],
	});
	writeFileSync(join(fixture.cwd, "a.txt"), "one two\nthree\n");
	await fixture.prompt("How long is a.txt?");
	expect(fixture.request(0)).toContain("- word_count: count the words of a file");
	expect(fixture.request(0)).toContain("- Use word_count for questions about the length of a text.");
	expect(fixture.request(1)).toContain("3 words");
	expect(fixture.request(2)).toContain("ENOENT");
	const updates = fixture.events.filter(({ type }) => type === "tool_execution_update");
	expect(updates).toMatchObject([{ partialResult: { content: [{ text: "Reading a.txt" }] } }, {}]);
});

test("deploy-command: it confirms before production, then sends a prompt", async () => {
	let isSure = false;
	await using fixture = await play(
		"deploy-command.ts",
		{ steps: ["It printed nothing."] },
		{ answer: () => isSure },
	);
	await fixture.prompt("/deploy moon");
	await fixture.prompt("/deploy production");
	expect(fixture.played.requests).toHaveLength(0);
	isSure = true;
	await fixture.prompt("/deploy production");
	expect(fixture.request(0)).toContain("Run the deploy script for production");
	expect(fixture.shown).toEqual([
		"notify: Where to? staging or production | warning",
		"confirm: Deploy | To production, really?",
		"confirm: Deploy | To production, really?",
	]);
	const [{ command } = { command: undefined }] = fixture.extensions.runner.commands.list();
	expect(await command?.getArgumentCompletions?.("st")).toEqual([{ value: "staging", label: "staging" }]);
});

test("protected-paths: .env is not written, other files are, and commands are changed", async () => {
	await using fixture = await play("protected-paths.ts", {
		steps: [
			callOf("write", { path: ".env", content: "KEY=1" }),
			callOf("write", { path: "notes.md", content: "hello" }),
			callOf("bash", { command: "umask" }),
			"Done.",
		],
	});
	await fixture.prompt("Write them.");
	expect(fixture.request(1)).toContain(".env is protected: ask the user to change it.");
	expect(readdirSync(fixture.cwd)).toEqual(["notes.md"]);
	expect(fixture.request(3)).toContain("0077");
});

test("redact-secrets: a key that a command prints does not reach the model", async () => {
	await using fixture = await play("redact-secrets.ts", {
		steps: [callOf("bash", { command: "echo key: sk-1234567890abcdefgh; echo rest" }), "Ok."],
	});
	await fixture.prompt("Show it.");
	expect(fixture.request(1)).toContain("key: [redacted]");
	expect(fixture.request(1)).toContain("rest");
});

test("forget-old-results: old results are short in the context and whole in the session", async () => {
	const long = { command: "printf 'x%.0s' {1..2000}" };
	await using fixture = await play("forget-old-results.ts", {
		steps: [...Array.from({ length: 5 }, () => callOf("bash", long)), "Ok."],
	});
	await fixture.prompt("Go.");
	expect(fixture.request(4)).not.toContain("was left out");
	expect(fixture.request(5).match(/was left out/g)).toHaveLength(1);
	expect(JSON.stringify(fixture.log.getEntries())).not.toContain("was left out");
});

test("shorthand: a prompt is rewritten, or answered at once", async () => {
	await using fixture = await play("shorthand.ts", { steps: ["Yes.", "Hello."] });
	await fixture.prompt("?? is it late");
	await fixture.prompt("ping");
	await fixture.prompt("hello");
	expect(fixture.request(0)).toContain("Answer in one sentence: is it late");
	expect(fixture.shown).toEqual(["notify: pong"]);
	expect(fixture.played.requests).toHaveLength(2);
});

needs("git")("house-rules: the system prompt and a branch message are added to each prompt", async () => {
	await using fixture = await play("house-rules.ts", { steps: ["One.", "Two."] });
	Bun.spawnSync(["git", "init", "-q", "-b", "trunk"], { cwd: fixture.cwd });
	await fixture.prompt("go");
	await fixture.prompt("on");
	expect(fixture.request(0).match(/Never push to main\./g)).toHaveLength(1);
	expect(fixture.request(1).match(/Never push to main\./g)).toHaveLength(1);
	expect(fixture.request(1).match(/The branch is trunk\./g)).toHaveLength(2);
	expect(fixture.session.state.systemPrompt).not.toContain("Never push");
	expect(fixture.log.getEntries().filter(({ type }) => type === "custom_message")).toHaveLength(2);
});

test("remind: with the next prompt, or at once", async () => {
	await using fixture = await play("remind.ts", { steps: ["One.", "Two."] });
	await fixture.prompt("/remind drink water");
	expect(fixture.played.requests).toHaveLength(0);
	await fixture.prompt("go");
	expect(fixture.request(0)).toMatch(/go.*Remember: drink water/);
	await fixture.prompt("/nudge stand up");
	expect(fixture.request(1)).toContain("Remember: stand up");
	expect(fixture.extensions.runner.extensions[0]?.renderers.has("reminder")).toBe(true);
});

test("web-report: text for terminals, a table and a frame for the browser", async () => {
	await using fixture = await play("web-report.ts", { steps: ["One."] });
	writeFileSync(join(fixture.cwd, "a.txt"), "1234");
	await fixture.prompt("/files");
	const [message] = fixture.session.state.messages.filter(({ role }) => role === "custom");
	if (message?.role !== "custom") throw new Error("no message");
	expect(message.content).toContain("a.txt: 4 bytes");
	const drawing = await fixture.extensions.runner.messageForWeb(message);
	expect(drawing?.parts?.map(({ type }) => type)).toEqual(["markdown", "table", "html"]);
	expect(drawing?.parts?.[1]).toMatchObject({ rows: expect.arrayContaining([["a.txt", "4"]]) });
});

test("counter: it continues counting after a resume", async () => {
	await using fixture = await play("counter.ts", {
		steps: [
			callOf("count_up", { by: 2 }),
			"Two.",
			callOf("count_up"),
			"Three.",
			callOf("count_up", { by: 0 }),
			"No.",
		],
	});
	await fixture.prompt("count");
	await fixture.extensions.sessionEnding({ reason: "resume" });
	fixture.next();
	await fixture.extensions.sessionStarted("resume");
	await fixture.prompt("again");
	const results = fixture.session.state.messages.filter(({ role }) => role === "toolResult");
	expect(results).toMatchObject([{ content: [{ text: "2" }] }, { content: [{ text: "3" }] }]);
	await fixture.prompt("wrong");
	expect(fixture.request(5)).toContain("by: must be >= 1");
});

test("read-only: the flag disables the tools that change something", async () => {
	const flags = new Map([["read-only", true]]);
	await using fixture = await play("read-only.ts", { steps: ["Ok."] }, { flags });
	expect(fixture.session.state.tools.map(({ name }) => name)).toEqual(["read"]);
	await using without = await play("read-only.ts", { steps: [] });
	expect(without.session.state.tools).toHaveLength(3);
});

test("echo-provider: a model outside of the catalog answers", async () => {
	await using fixture = await play("echo-provider.ts", { steps: [] }, { model: "echo/parrot" });
	await fixture.prompt("Polly?");
	expect(fixture.session.state.messages.at(-1)).toMatchObject({
		role: "assistant",
		provider: "echo",
		content: [{ text: "Polly?" }],
	});
});

test("event-bus: one extension receives another's event", async () => {
	await using fixture = await play("event-bus", {
		steps: [callOf("bash", { command: "true" }), callOf("bash", { command: "true" }), "Ok."],
	});
	await fixture.prompt("twice");
	expect(fixture.shown).toEqual(["notify: 2 calls so far"]);
	expect(fixture.extensions.runner.extensions.map(({ label }) => label)).toEqual([
		"counts-calls",
		"says-count",
	]);
});
