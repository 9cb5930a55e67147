/** The examples that change the session or draw on the screen, in the real program at 80x24 and over RPC. */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { needs } from "../support/needs.ts";
import { openTau, type OpenOptions, type OpenTau } from "../interactive/driver.ts";
import { model, startRpc, type Frame, type RpcProcess } from "../rpc/rpc-process.ts";
import { launch, root, type Launched } from "../support/launch.ts";

const folder = join(root, "packages/coding-agent/examples/extensions");
const loading = (...names: string[]): string[] => names.flatMap((name) => ["-e", join(folder, name)]);

interface Fixture extends AsyncDisposable {
	tau: Launched;
	rpc: RpcProcess;
}

async function overRpc(scenario: Scenario, ...names: string[]): Promise<Fixture> {
	const tau = await launch(scenario);
	const rpc = startRpc(tau, [...model, ...loading(...names)]);
	return {
		tau,
		rpc,
		async [Symbol.asyncDispose]() {
			await rpc[Symbol.asyncDispose]();
			await tau[Symbol.asyncDispose]();
		},
	};
}

/** A notice with this text, from the frame of this number on. */
const notice = (words: string) => (frame: Frame) =>
	frame.type === "extension_ui_request" && frame.method === "notify" && String(frame.message).includes(words);

/** Sends a prompt and waits until the answer is complete. */
async function say({ rpc }: Fixture, message: string): Promise<void> {
	const from = rpc.frames.length;
	await rpc.ask({ type: "prompt", message });
	await rpc.until(({ type }) => type === "agent_end", from);
	await rpc.ask({ type: "get_state" });
}

async function stateOf({ rpc }: Fixture): Promise<Record<string, unknown>> {
	const { data } = await rpc.ask({ type: "get_state" });
	return data as Record<string, unknown>;
}

test("handoff: the new session starts with the goal, and mentions the old one", async () => {
	await using on = await overRpc({ steps: ["One.", "On it."] }, "handoff.ts");
	await on.rpc.ask({ type: "prompt", message: "/handoff" });
	await on.rpc.until(notice("What is the goal?"));
	await say(on, "hello");
	const { sessionId } = await stateOf(on);
	await say(on, "/handoff mend the roof");
	const after = await stateOf(on);
	expect(after.sessionId).not.toBe(sessionId);
	const body = on.tau.played.requests[1]?.rawBody ?? "";
	expect(body).toContain("mend the roof");
	expect(body).toMatch(/This continues a session with \d+ entries\./);
	expect(body).not.toContain("hello");
});

test("another-way: /again puts the last prompt into a fork's editor, /copy and /open change the session", async () => {
	await using on = await overRpc({ steps: ["One.", "Two."] }, "another-way.ts");
	const { rpc } = on;
	await rpc.ask({ type: "prompt", message: "/again" });
	await rpc.until(notice("There is no prompt yet."));
	await say(on, "first");
	const first = await stateOf(on);
	await rpc.ask({ type: "prompt", message: "/again" });
	expect(await rpc.until((frame) => frame.method === "set_editor_text")).toMatchObject({ text: "first" });
	expect((await stateOf(on)).sessionId).not.toBe(first.sessionId);
	await rpc.ask({ type: "prompt", message: `/open ${String(first.sessionFile)}` });
	expect((await stateOf(on)).sessionId).toBe(first.sessionId);
	await rpc.ask({ type: "prompt", message: "/copy" });
	await rpc.until(notice("This is the copy."));
	const { sessionId, messageCount } = await stateOf(on);
	expect(sessionId).not.toBe(first.sessionId);
	expect(messageCount).toBe(2);
	await rpc.ask({ type: "prompt", message: "/fresh" });
	expect((await stateOf(on)).sessionId).toBe(sessionId);
});

test("bookmarks and branch-summary: /back returns to the mark, with a three-line summary of the abandoned branch", async () => {
	await using on = await overRpc(
		{ steps: ["One.", "Two.", "Three.", "Tried. Failed. Never again.", "Four."] },
		"bookmarks.ts",
		"branch-summary.ts",
	);
	const { rpc } = on;
	await say(on, "first");
	await rpc.ask({ type: "prompt", message: "/mark start" });
	await rpc.until(notice("Marked as start."));
	for (const text of ["second", "third"]) await say(on, text);
	await rpc.ask({ type: "prompt", message: "/back nowhere" });
	await rpc.until(notice("There is no mark nowhere."));
	await rpc.ask({ type: "prompt", message: "/back start" });
	await rpc.until(notice(", with a summary."));
	const asked = on.tau.played.requests[3]?.rawBody ?? "";
	expect(asked).toContain("In three lines: what was tried");
	// Its own prompt replaces Tau's, and all abandoned entries are summarized.
	expect(asked).not.toContain("## Goal");
	expect(asked).toContain("second");
	expect(asked).not.toContain("first");
	await say(on, "fourth");
	expect(on.tau.played.requests[4]?.rawBody).toContain("Never again.");
	expect(on.tau.played.requests[4]?.rawBody).not.toContain("third");
});

async function atScreen(scenario: Scenario, names: string[], options: OpenOptions = {}): Promise<OpenTau> {
	const { args = [] } = options;
	const tau = await openTau(scenario, { ...options, args: [...loading(...names), ...args] });
	await tau.until("played-1");
	return tau;
}

test("look, calm and tool calls: a header, themes, a static working indicator and dim lines for read-only tools", async () => {
	const waits = { name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.05; done" } };
	const writes = { name: "write", arguments: { path: "a.txt", content: "hello" } };
	await using tau = await atScreen(
		{
			steps: [
				{ answer: { blocks: [{ toolCall: { name: "ls", arguments: { path: "." } } }] } },
				{ answer: { blocks: [{ toolCall: writes }] } },
				{ answer: { blocks: [{ thinking: "Hm." }, { toolCall: waits }] } },
				"Done.",
			],
		},
		["look.ts", "calm.ts", "tiny-calls.ts", "audited-write.ts"],
	);
	await tau.until("At work in ");
	tau.type("/look light \r");
	await tau.until("Now light.");
	tau.type("/look nothing-like-it \r");
	await tau.until("There is no theme nothing-like-it");
	tau.type("go\r");
	await tau.until("looks: ls");
	await tau.until("writes a.txt");
	await tau.until(/^ ?· /m);
	writeFileSync(join(tau.home.project, "go"), "");
	await tau.until("Done.");
	expect(tau.screen()).toContain("a thought");
	expect(existsSync(join(tau.home.project, "audit.log"))).toBe(true);
	tau.type("\x1bx");
	await tau.until("written, and written down");
});

test("pick-model: the client gets the names, and selects one", async () => {
	await using on = await overRpc({ steps: [] }, "pick-model.ts");
	on.rpc.write({ type: "prompt", message: "/pick" });
	const frame = await on.rpc.until(({ method }) => method === "select");
	expect(frame.options).toEqual(["played/played-1"]);
	on.rpc.write({ type: "extension_ui_response", id: frame.id, value: "played/played-1" });
	await on.rpc.until(notice("Now with "));
});

test("context-gauge and scratch-pad: a custom footer, and notes over the screen", async () => {
	const home = await launch({ steps: ["Hello."] });
	await using _home = home;
	const names = ["scratch-pad.ts", "context-gauge.ts"];
	await using tau = await atScreen({ steps: [] }, names, { home });
	await tau.until(/context \d+% of played-1, no branch/);
	tau.type("a good thought");
	tau.type("\x1bn");
	await tau.until("Notes (a: add)");
	tau.type("a");
	await tau.untilGone(/^ ?a good thought/m);
	tau.press("enter");
	await tau.untilGone("Notes (a: add)");
	await tau.until(/^ ?a good thought/m);
	tau.press("enter");
	await tau.until("Hello.");
	expect(tau.home.played.requests[0]?.rawBody).toContain("a good thought");
	expect(tau.screen()).toContain("noted: a good thought");
	tau.press("ctrlD");
	await tau.exited;
	await using again = await atScreen({ steps: [] }, names, { home, args: ["--continue"] });
	expect(again.screen()).toMatch(/noted: a good thought[\s\S]*Hello\./);
});

needs("git")("vi-lite and issue-names: an editor with two modes, and completion of issues", async () => {
	const home = await launch({ steps: ["Heard."] });
	await using _home = home;
	const commit = [
		"-c",
		"user.name=a",
		"-c",
		"user.email=a@b",
		"commit",
		"-q",
		"--allow-empty",
		"-m",
		"Mends #42",
	];
	for (const args of [["init", "-q"], commit]) Bun.spawnSync(["git", ...args], { cwd: home.project });
	await using tau = await atScreen({ steps: [] }, ["vi-lite.js", "issue-names.ts"], { home });
	tau.type("see #4");
	tau.press("tab");
	await tau.until("see #42");
	tau.press("ctrlC");
	tau.type("/vi \r");
	await tau.until("Escape for commands, i to insert.");
	tau.type("abc");
	await tau.until(/^ ?abc/m);
	tau.press("escape");
	await tau.until("COMMAND");
	tau.type("0");
	tau.type("x");
	tau.type("i");
	await tau.untilGone("COMMAND");
	tau.type("Z");
	await tau.until(/^ ?Zbc/m);
	tau.press("enter");
	await tau.until("Heard.");
	expect(tau.home.played.requests[0]?.rawBody).toContain("Zbc");
	tau.type("/vi \r");
	await tau.until("The normal editor is back.");
});

test("panic-key: one key aborts everything, and the program ends on request", async () => {
	const waits = { name: "bash", arguments: { command: "sleep 60" } };
	await using tau = await atScreen({ steps: [{ answer: { blocks: [{ toolCall: waits }] } }] }, [
		"panic-key.ts",
	]);
	tau.type("/wait \r");
	await tau.until("Nothing is under way.");
	tau.type("go\r");
	await tau.until("sleep 60");
	tau.type("/wait \r");
	await tau.until("An answer is under way");
	tau.type("\x1d");
	await tau.until("Stopped.");
	tau.type("/bye \r");
	expect(await tau.exited).toBe(0);
});
