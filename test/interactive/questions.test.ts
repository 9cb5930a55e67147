/** Questions at the real program: each can be answered without a key of its own, and calls the user who looks elsewhere. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

function call(name: string, args: Record<string, unknown>): Step {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

const color = call("ask", {
	questions: [{ question: "Which color?", options: [{ label: "red" }, { label: "blue" }] }],
});
const untilGo = call("bash", { command: "until [ -e go ]; do sleep 0.02; done" });

test("a question that opened while the user typed can be answered as soon as the editor is empty", async () => {
	await using tau = await openTau({ steps: [untilGo, color, "Blue it is."] });
	await tau.until("played-1");
	tau.type("begin\r");
	await tau.until("bash $ until");
	tau.type("a draft");
	await tau.until("a draft");
	writeFileSync(join(tau.home.project, "go"), "");
	await tau.until("press ctrl+x to answer (your typing goes to the prompt)");
	// Nothing is marked while Enter would not choose it.
	expect(tau.screen()).not.toContain("❯ 1. red");
	tau.press("ctrlC");
	await tau.until("❯ 1. red");
	tau.type("2");
	await tau.until("Blue it is.");
	expect(tau.screen()).toContain("→ blue");
});

test("a digit that is typed into the editor while a question waits is not sent to the model", async () => {
	const steps = [call("bash", { command: "touch made" }), "Fine."];
	await using tau = await openTau({ steps }, { args: ["--approval-mode", "ask"] });
	await tau.until("played-1");
	tau.type("go\r1");
	await tau.until("Allow bash?");
	tau.type("\r");
	await tau.until("Press 1 again to answer");
	expect(existsSync(join(tau.home.project, "made"))).toBe(false);
	tau.type("1");
	await tau.until("Fine.");
	expect(existsSync(join(tau.home.project, "made"))).toBe(true);
	expect(tau.scrollback()).not.toContain("Steering");
	expect(tau.home.played.requests).toHaveLength(2);
	expect(tau.home.played.requests[1]?.rawBody).not.toContain('"text":"1"');
});

test("letters that are typed while a question has the keys become a message, and do not answer it", async () => {
	const steps = [call("bash", { command: "touch made" }), "Fine."];
	await using tau = await openTau({ steps }, { args: ["--approval-mode", "ask"] });
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("enter to select");
	tau.type("wait a moment\r");
	await tau.until("Steering:  wait a moment");
	expect(existsSync(join(tau.home.project, "made"))).toBe(false);
	await tau.until("enter to select");
	tau.press("escape");
	await tau.until("Fine.");
	expect(existsSync(join(tau.home.project, "made"))).toBe(false);
});

const guard = `export default (pi) => {
	for (const event of ["session_before_fork", "session_before_switch", "session_before_tree"])
		pi.on(event, async (_event, ctx) => ({ cancel: !(await ctx.ui.confirm("Really? " + event, "")) }));
};`;

test("a dialog of an extension that follows from a row of a list takes the keys", async () => {
	await using home = await launch({ steps: ["A is red.", "B is blue."] });
	mkdirSync(join(home.project, ".tau/extensions"), { recursive: true });
	writeFileSync(join(home.project, ".tau/extensions/guard.ts"), guard);
	await using tau = await openTau({ steps: [] }, { home, args: ["--trust"] });
	await tau.until("played-1");
	tau.type("tell me of A\r");
	await tau.until("A is red.");
	tau.type("tell me of B\r");
	await tau.until("B is blue.");

	tau.type("/fork\r");
	await tau.until("❯ The whole session");
	tau.press("enter");
	await tau.until("Really? session_before_fork");
	tau.press("enter");
	await tau.until("Forked. The original session is unchanged.");

	tau.type("/resume\r");
	await tau.until(/── Sessions[^]*❯ . tell me of A/);
	// Both are of the same second, and either may be first.
	if (tau.screen().includes("❯ ● tell")) tau.press("down");
	await tau.until("❯   tell me of A");
	tau.press("enter");
	await tau.until("Really? session_before_switch");
	tau.type("2");
	await tau.until("Cancelled by an extension.");
	await tau.untilGone("── Sessions");

	tau.type("/tree\r");
	await tau.until("── Tree");
	tau.press("up", "up", "enter");
	await tau.until("Really? session_before_tree");
	tau.press("enter");
	await tau.untilGone("Really?");
});

test("questions of ask and of agents ring like the session's own", async () => {
	const touch = call("bash", { command: "touch made" });
	const delegate = call("task", { tasks: [{ assignment: "touch it", name: "Guard" }] });
	const settings = "notify:\n  method: bell\n  afterSeconds: 0\n";
	const steps = [touch, "Own.", color, "Asked.", delegate, touch, "Touched.", "Delegated."];
	await using tau = await openTau({ steps }, { settings, args: ["--approval-mode", "ask"] });
	await tau.until("played-1");
	// Titles of the terminal end with the same byte.
	const bells = (): number => tau.bytes.replaceAll(/\x1b\][^\x07]*\x07/g, "").split("\x07").length - 1;
	for (const [prompt, question, answer] of [
		["own", "Allow bash?", "Own."],
		["ask", "Which color?", "Asked."],
		["agent", "(agent Guard)", "Delegated."],
	] as const) {
		const before = bells();
		tau.type(`${prompt}\r`);
		await tau.until(question);
		await tau.until("to select");
		expect(bells()).toBe(before + 1);
		tau.press("enter");
		await tau.until(answer);
		await tau.untilGone("esc to interrupt");
	}
});
