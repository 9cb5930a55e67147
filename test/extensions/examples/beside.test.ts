/** The examples that stand beside the conversation or between it and its model, with a played one. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";
import { builtinTheme } from "@tau/tui";

import { callOf, type StageOptions, stageWith } from "../../support/extensions.ts";

const extensionStage = stageWith(playModel);
const folder = join(import.meta.dir, "../../../packages/coding-agent/examples/extensions");

const play = (name: string, scenario: Scenario, options: StageOptions = {}) =>
	extensionStage(scenario, { ...options, paths: [join(folder, name)] });

/** Somebody is there, and says yes. */
const yes = { answer: () => true };

test("by-the-way: the answer is shown, and the conversation forgets it; jobs are named", async () => {
	const start = callOf("bash", { command: "sleep 60", async: true });
	await using stage = await play(
		"by-the-way.ts",
		{ steps: ["Aside.", start, "Ok."] },
		{ ...yes, tools: ["bash", "job"] },
	);
	await stage.prompt("/btw what is it?");
	expect(stage.shown).toContain("setWidget: btw | Aside.");
	expect(stage.shown.at(-1)).toBe("notify: Aside.");
	await stage.prompt("/running");
	expect(stage.shown.at(-1)).toBe("notify: Nothing is running.");
	await stage.prompt("go");
	expect(stage.request(1)).not.toContain("Aside.");
	await stage.prompt("/running");
	expect(stage.shown.at(-1)).toBe("notify: 1: sleep 60");
});

test("auto-model: it is chosen by name, another model answers, and it can be taken away", async () => {
	await using stage = await play("auto-model.ts", { steps: ["One."] }, { model: "auto/auto" });
	const { registry } = stage.extensions.runner.side;
	await stage.prompt("go");
	const [, answer] = stage.session.state.messages;
	expect(answer?.role === "assistant" && [answer.provider, answer.failure]).toEqual(["played", undefined]);
	expect(stage.session.model.id).toBe("auto");
	await stage.prompt("/no-auto");
	expect(registry.find("auto/auto")).toBeUndefined();
});

test("fine-print: arrows outside of code, and words below long thoughts", async () => {
	await using stage = await play("fine-print.ts", { steps: [] });
	const { runner } = stage.extensions;
	const about = { messageType: "assistant", isStreaming: false, availableWidth: 80 } as const;
	expect(runner.markdownTransform?.("a --> b `c --> d`", about)).toBe("a → b `c --> d`");
	expect(runner.markdownTransform?.("a --> b", { ...about, isStreaming: true })).toBe("a --> b");
	const thought = { contentIndex: 0, thinkingIndex: 0, text: "word ".repeat(30), requestRender() {} };
	const rows = runner.thinkingRows(thought, builtinTheme("dark", "none"), 40);
	expect(rows.join("\n")).toContain("30 words");
});

test("second-look: once, and only behind a change", async () => {
	const write = callOf("write", { path: "a.txt", content: "a" });
	await using stage = await play("second-look.ts", {
		steps: ["Nothing to do.", write, "Written.", "It is right."],
	});
	await stage.prompt("look");
	expect(stage.played.requests).toHaveLength(1);
	await stage.prompt("write");
	expect(stage.played.requests).toHaveLength(4);
	expect(stage.request(3)).toContain("Read what you changed once more.");
});

test("clock: the model knows the time, and the session does not", async () => {
	await using stage = await play("clock.ts", { steps: ["One."] });
	await stage.prompt("go");
	expect(stage.request(0)).toMatch(/It is \d\d:\d\d UTC\./);
	expect(stage.session.state.systemPrompt).not.toMatch(/It is .* UTC/);
});

test("wire-tap: what the server sends is counted by kind", async () => {
	await using stage = await play("wire-tap.ts", { steps: ["One."] });
	await stage.prompt("/wire");
	await stage.prompt("go");
	await stage.prompt("/wire");
	expect(stage.shown[0]).toBe("notify: Nothing yet.");
	expect(stage.shown[1]).toContain("anthropic-messages message_start: 1");
});

test("strict-projects: a no for what lies among downloads, and nothing said of others", async () => {
	await using stage = await play("strict-projects.ts", { steps: [] });
	const { runner } = stage.extensions;
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

test("broker: a program gets what Tau may not write", async () => {
	const program = `#!/bin/sh\ncp "$3" "$(dirname "$0")/$1.txt"; echo "$2" >> "$(dirname "$0")/$1.txt"\n`;
	await using stage = await play(
		"broker.ts",
		{ steps: [callOf("write", { path: "/sys/tau-example.txt", content: "kept " }), "Ok."] },
		{ found: { "work/broker.sh": program } },
	);
	stage.extensions.setFlags(new Map([["broker", join(stage.cwd, "broker.sh")]]));
	await stage.prompt("go");
	expect(readFileSync(join(stage.cwd, "write.txt"), "utf8")).toBe("kept /sys/tau-example.txt\n");
	expect(existsSync(join(stage.cwd, "delete.txt"))).toBe(false);
	expect(stage.request(1)).toContain("Created");
});

test("hurry: the tier is asked for until it is taken back", async () => {
	await using stage = await play("hurry.ts", { steps: ["One.", "Two."] }, yes);
	const tier = (at: number): unknown =>
		(stage.played.requests[at]?.body as { service_tier?: unknown } | undefined)?.service_tier;
	await stage.prompt("/hurry");
	await stage.prompt("go");
	await stage.prompt("/hurry off");
	await stage.prompt("on");
	expect([tier(0), tier(1)]).toEqual(["auto", undefined]);
	expect(stage.shown.filter((line) => line.startsWith("notify"))).toEqual([
		"notify: From now on: priority.",
		"notify: From now on: as usual.",
	]);
});

test("interview: the answers are what the model begins with", async () => {
	const results = [
		{ question: "How big?", selectedOptions: ["a script"] },
		{ question: "With what?", selectedOptions: [] },
		{ question: "Anything else?", selectedOptions: [], customInput: "be kind" },
	];
	let answer: unknown = { kind: "submit", results };
	await using stage = await play("interview.ts", { steps: ["Built."] }, { answer: () => answer });
	await stage.prompt("/interview a clock");
	await stage.session.waitForIdle();
	expect(stage.request(0)).toContain(
		"Build a clock.\\nHow big? a script\\nWith what? nothing\\nAnything else? be kind",
	);
	answer = undefined;
	await stage.prompt("/interview a clock");
	expect(stage.shown.at(-1)).toBe("notify: Cancelled.");
});
