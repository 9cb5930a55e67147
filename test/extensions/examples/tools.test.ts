/** The examples that provide tools, replace tools, or display information about them and about models. */
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";

import { callOf, type ExtensionFixtureOptions, extensionFixtureWith } from "../../support/extensions.ts";
import { launch } from "../../support/launch.ts";
import { serve } from "../../mcp/served.ts";

const extensionFixture = extensionFixtureWith(playModel);
const folder = join(import.meta.dir, "../../../packages/coding-agent/examples/extensions");

const play = (name: string, scenario: Scenario, options: ExtensionFixtureOptions = {}) =>
	extensionFixture(scenario, { ...options, paths: [join(folder, name)] });

test("tool-watch: running tools are listed with their last output, and failures are shown", async () => {
	const command = "mkfifo go; echo working; read -r _ < go; exit 3";
	await using fixture = await play(
		"tool-watch.ts",
		{ steps: [callOf("bash", { command }), "Ok."] },
		{ answer: () => true },
	);
	const ended = fixture.prompt("go");
	await fixture.until("setWidget: tools | bash: working");
	writeFileSync(join(fixture.cwd, "go"), "\n");
	await ended;
	expect(fixture.shown[0]).toBe(`setWidget: tools | bash $ ${command}`);
	expect(fixture.shown.at(-2)).toBe("setWidget: tools");
	expect(fixture.shown.at(-1)).toBe("notify: bash failed. | warning");
});

test("ask-user: each kind of question reaches the user, and the answer reaches the model", async () => {
	const ask = (kind: string) => callOf("ask_user", { question: "Which?", kind, choices: ["red", "blue"] });
	const answers: Record<string, unknown> = {
		select: "blue",
		input: "soon",
		editor: undefined,
		confirm: true,
	};
	await using fixture = await play(
		"ask-user.ts",
		{ steps: [ask("choice"), ask("word"), ask("text"), ask("yes or no"), "Ok."] },
		{ answer: (method) => answers[method] },
	);
	await fixture.prompt("ask me");
	const results = fixture.session.state.messages.filter(({ role }) => role === "toolResult");
	expect(results).toMatchObject(
		["blue", "soon", "The user did not answer.", "yes"].map((text) => ({ content: [{ text }] })),
	);
	await using alone = await play("ask-user.ts", { steps: [ask("word"), "Ok."] });
	await alone.prompt("ask me");
	expect(alone.request(1)).toContain("Nobody is there to answer: decide for yourself.");
});

test("audited-write: the built-in tool writes, each write is logged, and a failure is not", async () => {
	await using fixture = await play("audited-write.ts", {
		steps: [
			callOf("write", { path: "a.txt", content: "hello" }),
			callOf("write", { path: "/proc/nowhere/b.txt", content: "no" }),
			"Ok.",
		],
	});
	await fixture.prompt("write");
	expect(readFileSync(join(fixture.cwd, "a.txt"), "utf8")).toBe("hello");
	expect(readFileSync(join(fixture.cwd, "audit.log"), "utf8")).toBe("a.txt 5\n");
});

test("dice: it is inactive until it is activated, and its schema is Zod's", async () => {
	await using fixture = await play("dice.ts", {
		steps: ["None.", callOf("dice", { sides: 2 }), callOf("dice", { sides: 1 }), "Ok."],
	});
	await fixture.prompt("throw");
	expect(fixture.request(0)).not.toContain('"dice"');
	await fixture.prompt("/dice");
	await fixture.prompt("throw now");
	expect(fixture.request(1)).toContain('"dice"');
	expect(fixture.request(2)).toMatch(/It shows [12]\./);
	expect(fixture.request(3)).toContain("sides: ");
});

test("inspect: it lists the current state", async () => {
	await using fixture = await play("inspect.ts", { steps: [] });
	await fixture.prompt("/inspect");
	const [said = ""] = fixture.shown;
	expect(said).toContain(`agent Main, mode print, in ${fixture.cwd}, not trusted`);
	expect(said).toContain("read from builtin");
	expect(said).toContain("/inspect (extension)");
	expect(said).toMatch(/system prompt: \d{3,} characters/);
	expect(said).toMatch(/settings: \d{2,} groups, steering one-at-a-time/);
	expect(said).toMatch(/exports: \d{2,}, and \d+ of typebox/);
	expect(fixture.extensions.runner.extensions[0]?.label).toBe("Inspector");
});

test("pick-model: a model is selected from a list or by name, and an unknown one is reported", async () => {
	await using fixture = await play("pick-model.ts", { steps: [] }, { answer: () => "played/played-1" });
	await fixture.prompt("/pick");
	await fixture.prompt("/pick nothing-like-it");
	expect(fixture.shown).toEqual([
		"select: Which model?",
		"notify: Now with Played.",
		"notify: There is no model nothing-like-it. | warning",
	]);
});

test("proxy: the provider's base URL changes, and changes back", async () => {
	const flags = new Map([["proxy", "http://127.0.0.1:9/v1"]]);
	await using fixture = await play("proxy.ts", { steps: [] }, { flags });
	const { registry } = fixture.extensions.runner.bound;
	const urls = (): Set<string> => new Set(registry.of("anthropic").map(({ baseUrl }) => baseUrl));
	expect(urls()).toEqual(new Set(["http://127.0.0.1:9/v1"]));
	await fixture.prompt("/direct");
	expect([...urls()].some((url) => url.includes("127.0.0.1"))).toBe(false);
	expect(urls().size).toBeGreaterThan(0);
});

test("nice-bash: the user's commands have low priority, and one needs no shell and no Python", async () => {
	await using fixture = await play("nice-bash.ts", { steps: [] });
	const about = { cwd: fixture.cwd, excludeFromContext: false };
	const today = await fixture.extensions.userBash({ command: "today", ...about });
	expect(today?.result?.output).toBe(new Date().toDateString());
	const cell = await fixture.extensions.userPython({ code: "today", ...about });
	expect(cell?.result?.output).toBe(new Date().toDateString());
	expect(await fixture.extensions.userPython({ code: "1 + 1", ...about })).toBeUndefined();
	const said = await fixture.extensions.userBash({ command: "nice", ...about, excludeFromContext: true });
	let output = "";
	const ended = await said?.operations?.exec("nice", fixture.cwd, {
		onData: (data) => {
			output += data.toString();
		},
	});
	expect(ended).toEqual({ exitCode: 0 });
	expect(Number(output)).toBeGreaterThanOrEqual(5);
	expect(fixture.shown).toEqual(["notify: The model will not see this."]);
});

test("team-skills: directories beside the project are added if the project is trusted", async () => {
	await using fixture = await play("team-skills.ts", { steps: [] }, { isTrusted: true });
	const team = join(dirname(fixture.cwd), "team");
	mkdirSync(join(team, "skills"), { recursive: true });
	await fixture.extensions.sessionEnding({ reason: "reload" });
	fixture.next();
	await fixture.extensions.sessionStarted("reload");
	expect(fixture.extensions.resources).toEqual({
		skillPaths: [join(team, "skills")],
		promptPaths: [],
		themePaths: [],
	});
	await using untrusted = await play("team-skills.ts", { steps: [] });
	expect(untrusted.extensions.resources.skillPaths).toEqual([]);
	expect(readdirSync(team)).toEqual(["skills"]);
});

test("dialog-title: the title shows the open question until it is answered", async () => {
	const asks = `export default (pi) => pi.registerCommand("ask", { handler: async (_, ctx) => void (await ctx.ui.confirm("Sure?", "Really?")) });`;
	await using fixture = await extensionFixture(
		{ steps: [] },
		{ paths: [join(folder, "dialog-title.ts")], files: { "ask.ts": asks }, answer: () => true },
	);
	await fixture.prompt("/ask");
	await fixture.until("setTitle: tau");
	expect(fixture.shown).toEqual(["setTitle: ? Sure?", "confirm: Sure? | Really?", "setTitle: tau"]);
});

test("borrow-server: servers are registered for the session, and a wrong one is reported", async () => {
	await using fixture = await play("borrow-server.ts", { steps: [] }, { answer: () => true });
	const { mcpServers } = fixture.extensions.runner.runtime;
	await fixture.prompt("/borrow notes notes-server --quiet");
	await fixture.prompt("/borrow notes! x");
	expect(mcpServers.servers).toMatchObject([
		{ name: "notes", config: { command: "notes-server", args: ["--quiet"], transport: "stdio" } },
	]);
	await fixture.prompt("/return notes");
	expect(mcpServers.list()).toEqual([]);
	expect(fixture.shown).toEqual(["notify: Borrowed: notes"]);
	expect(fixture.events.filter(({ type }) => type === "extension_error")).toHaveLength(1);
});

test("mcp-watch: the footer counts the servers that are ready, and their errors are shown", async () => {
	await using fixture = await play("mcp-watch.ts", { steps: [] }, { answer: () => true });
	const { host } = fixture.extensions.runner.bound;
	const servers = [
		{ name: "a", state: "ready", tools: 2 },
		{ name: "b", state: "starting", tools: 0 },
	];
	await host.emit({ type: "mcp_servers_change", servers });
	const message = (level: string, data: unknown) =>
		host.emit({
			type: "mcp_notification",
			server: "a",
			method: "notifications/message",
			params: { level, data },
		});
	await message("info", "nothing");
	await message("error", { disk: "full" });
	expect(fixture.shown).toEqual(["setStatus: mcp | 1/2 servers", 'notify: a: {"disk":"full"} | error']);
});

test("frugal-agents: an agent of a type that is not allowed is refused, and others are counted", async () => {
	const task = (agent: string) => callOf("task", { tasks: [{ agent, assignment: "look around" }] });
	await using fixture = await play(
		"frugal-agents.ts",
		{ steps: [task("browser"), task("explore"), "A door.", "Done."] },
		{ answer: () => true, tools: ["read", "task"] },
	);
	await fixture.prompt("go");
	expect(fixture.request(1)).toContain("Agents do not browse here. Read the page yourself.");
	await fixture.prompt("/agents-left");
	expect(fixture.shown.at(-1)).toBe("notify: 2 agents left.");
});

test("served-notes: another agent reads the notes of the project over MCP", async () => {
	await using tau = await launch({ steps: [] });
	writeFileSync(join(tau.project, "NOTES.md"), "Be kind.\n");
	await using served = await serve(tau, "modern", { args: ["-e", join(folder, "served-notes.ts")] });
	const { contents } = await served.client.readResource({ uri: "notes://project" });
	expect(contents).toMatchObject([{ text: "Be kind.\n" }]);
	const { messages } = await served.client.getPrompt({ name: "notes" });
	expect(messages).toMatchObject([{ content: { text: "Mind these notes:\nBe kind.\n" } }]);
});
