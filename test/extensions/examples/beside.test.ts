/** The examples that work beside the conversation or between it and its model, with a played one. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";
import { builtinTheme } from "@tau/tui";

import { callOf, type ExtensionFixtureOptions, extensionFixtureWith } from "../../support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);
const folder = join(import.meta.dir, "../../../packages/coding-agent/examples/extensions");

const play = (name: string, scenario: Scenario, options: ExtensionFixtureOptions = {}) =>
	extensionFixture(scenario, { ...options, paths: [join(folder, name)] });

/** A user who confirms everything. */
const yes = { answer: () => true };

test("by-the-way: the answer is shown but not part of the conversation, and jobs are named", async () => {
	const start = callOf("bash", { command: "sleep 60", async: true });
	await using fixture = await play(
		"by-the-way.ts",
		{ steps: ["Aside.", start, "Ok."] },
		{ ...yes, tools: ["bash", "job"] },
	);
	await fixture.prompt("/btw what is it?");
	expect(fixture.shown).toContain("setWidget: btw | Aside.");
	expect(fixture.shown.at(-1)).toBe("notify: Aside.");
	await fixture.prompt("/running");
	expect(fixture.shown.at(-1)).toBe("notify: Nothing is running.");
	await fixture.prompt("go");
	expect(fixture.request(1)).not.toContain("Aside.");
	await fixture.prompt("/running");
	expect(fixture.shown.at(-1)).toBe("notify: 1: sleep 60");
});

test("auto-model: it is selected by name, another model answers, and it can be unregistered", async () => {
	await using fixture = await play("auto-model.ts", { steps: ["One."] }, { model: "auto/auto" });
	const { registry } = fixture.extensions.runner.bound;
	await fixture.prompt("go");
	const [, answer] = fixture.session.state.messages;
	expect(answer?.role === "assistant" && [answer.provider, answer.failure]).toEqual(["played", undefined]);
	expect(fixture.session.model.id).toBe("auto");
	await fixture.prompt("/no-auto");
	expect(registry.find("auto/auto")).toBeUndefined();
});

test("fine-print: arrows outside of code, and a note below long thinking", async () => {
	await using fixture = await play("fine-print.ts", { steps: [] });
	const { runner } = fixture.extensions;
	const about = { messageType: "assistant", isStreaming: false, availableWidth: 80 } as const;
	expect(runner.markdownTransform?.("a --> b `c --> d`", about)).toBe("a → b `c --> d`");
	expect(runner.markdownTransform?.("a --> b", { ...about, isStreaming: true })).toBe("a --> b");
	const thought = { contentIndex: 0, thinkingIndex: 0, text: "word ".repeat(30), requestRender() {} };
	const rows = runner.thinkingRows(thought, builtinTheme("dark", "none"), 40);
	expect(rows.join("\n")).toContain("30 words");
});

test("second-look: runs once, and only after a change", async () => {
	const write = callOf("write", { path: "a.txt", content: "a" });
	await using fixture = await play("second-look.ts", {
		steps: ["Nothing to do.", write, "Written.", "It is right."],
	});
	await fixture.prompt("look");
	expect(fixture.played.requests).toHaveLength(1);
	await fixture.prompt("write");
	expect(fixture.played.requests).toHaveLength(4);
	expect(fixture.request(3)).toContain("Read what you changed once more.");
});

test("clock: the model knows the time, and the session does not store it", async () => {
	await using fixture = await play("clock.ts", { steps: ["One."] });
	await fixture.prompt("go");
	expect(fixture.request(0)).toMatch(/It is \d\d:\d\d UTC\./);
	expect(fixture.session.state.systemPrompt).not.toMatch(/It is .* UTC/);
});

test("wire-tap: server events are counted by kind", async () => {
	await using fixture = await play("wire-tap.ts", { steps: ["One."] });
	await fixture.prompt("/wire");
	await fixture.prompt("go");
	await fixture.prompt("/wire");
	expect(fixture.shown[0]).toBe("notify: Nothing yet.");
	expect(fixture.shown[1]).toContain("anthropic-messages message_start: 1");
});

test("strict-projects: projects among downloads are refused, and others are left to the user", async () => {
	await using fixture = await play("strict-projects.ts", { steps: [] });
	const { runner } = fixture.extensions;
	const said: unknown[] = [];
	for (const cwd of ["/home/me/Downloads/x", "/home/me/work/x"])
		await runner.events.ask(
			"project_trust",
			() => ({ type: "project_trust", cwd }),
			({ trusted }) => {
				said.push(trusted);
				return undefined;
			},
		);
	expect(said).toEqual(["no", "undecided"]);
});

test("broker: a program writes files that Tau may not write", async () => {
	const program = `#!/bin/sh\ncp "$3" "$(dirname "$0")/$1.txt"; echo "$2" >> "$(dirname "$0")/$1.txt"\n`;
	await using fixture = await play(
		"broker.ts",
		{ steps: [callOf("write", { path: "/sys/tau-example.txt", content: "kept " }), "Ok."] },
		{ found: { "work/broker.sh": program } },
	);
	fixture.extensions.setFlags(new Map([["broker", join(fixture.cwd, "broker.sh")]]));
	await fixture.prompt("go");
	expect(readFileSync(join(fixture.cwd, "write.txt"), "utf8")).toBe("kept /sys/tau-example.txt\n");
	expect(existsSync(join(fixture.cwd, "delete.txt"))).toBe(false);
	expect(fixture.request(1)).toContain("Created");
});

test("hurry: the tier is requested until it is turned off", async () => {
	await using fixture = await play("hurry.ts", { steps: ["One.", "Two."] }, yes);
	const tier = (at: number): unknown =>
		(fixture.played.requests[at]?.body as { service_tier?: unknown } | undefined)?.service_tier;
	await fixture.prompt("/hurry");
	await fixture.prompt("go");
	await fixture.prompt("/hurry off");
	await fixture.prompt("on");
	expect([tier(0), tier(1)]).toEqual(["auto", undefined]);
	expect(fixture.shown.filter((line) => line.startsWith("notify"))).toEqual([
		"notify: From now on: priority.",
		"notify: From now on: as usual.",
	]);
});

test("interview: the model starts with the answers", async () => {
	const results = [
		{ question: "How big?", selectedOptions: ["a script"] },
		{ question: "With what?", selectedOptions: [] },
		{ question: "Anything else?", selectedOptions: [], customInput: "be kind" },
	];
	let answer: unknown = { kind: "submit", results };
	await using fixture = await play("interview.ts", { steps: ["Built."] }, { answer: () => answer });
	await fixture.prompt("/interview a clock");
	await fixture.session.waitForIdle();
	expect(fixture.request(0)).toContain(
		"Build a clock.\\nHow big? a script\\nWith what? nothing\\nAnything else? be kind",
	);
	answer = undefined;
	await fixture.prompt("/interview a clock");
	expect(fixture.shown.at(-1)).toBe("notify: Cancelled.");
});
