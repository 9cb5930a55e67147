/** Each kind of extension that pi documents, as one of our examples, does its work on a screen and over RPC. */
import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { openTau, type OpenTau } from "../../interactive/driver.ts";
import { model, startRpc, type Frame, type RpcProcess } from "../../rpc/rpc-process.ts";
import { launch, root, type Launched } from "../../support/launch.ts";

const folder = join(root, "packages/coding-agent/examples/extensions");

interface Kind {
	example: string;
	args?: string[];
	/** Not the played one. */
	ownModel?: string;
	settings?: string;
	steps: Scenario["steps"];
	screen(tau: OpenTau): Promise<void>;
	rpc(client: Client): Promise<void>;
}

const call = (name: string, args: Record<string, unknown> = {}): Scenario["steps"][number] => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});

/** What a program that uses RPC does. */
class Client {
	readonly home: Launched;
	readonly #rpc: RpcProcess;
	#from = 0;

	constructor(home: Launched, rpc: RpcProcess) {
		this.home = home;
		this.#rpc = rpc;
	}

	async say(message: string): Promise<void> {
		this.#from = this.#rpc.frames.length;
		expect(await this.#rpc.ask({ type: "prompt", message })).toMatchObject({ success: true });
	}

	until(holds: (frame: Frame) => boolean): Promise<Frame> {
		return this.#rpc.until(holds, this.#from);
	}

	/** Everything that extensions have shown or asked so far, and their errors. */
	get fromExtensions(): Frame[] {
		return this.#rpc.frames.filter(
			({ type }) => type === "extension_ui_request" || type === "extension_error",
		);
	}

	end(): Promise<Frame> {
		return this.until(({ type }) => type === "agent_end");
	}

	shown(method: string, words: string): Promise<Frame> {
		return this.until((frame) => frame.method === method && JSON.stringify(frame).includes(words));
	}

	/** Answers the question that is open. */
	async answer(method: string, value: object): Promise<void> {
		const { id } = await this.until((frame) => frame.method === method);
		this.#rpc.write({ type: "extension_ui_response", id, ...value });
	}

	async data(command: object): Promise<Record<string, unknown>> {
		return (await this.#rpc.ask(command)).data as Record<string, unknown>;
	}
}

/** A question that opens while the user types waits until it is given the keys. */
async function question(tau: OpenTau, title: string): Promise<void> {
	await tau.until(title);
	if (tau.screen().includes("ctrl+x to answer")) tau.press("ctrlX");
	await tau.untilGone("ctrl+x to answer");
}

const body = ({ played }: Launched, index: number): string => played.requests[index]?.rawBody ?? "";

const kinds: Record<string, Kind> = {
	"permission gate": {
		example: "ask-first.ts",
		steps: [
			call("bash", { command: "rm -rf gone" }),
			"Refused.",
			call("bash", { command: "rm -rf gone" }),
			"Removed.",
		],
		async screen(tau) {
			const file = join(tau.home.project, "gone");
			writeFileSync(file, "");
			tau.type("go\r");
			await question(tau, "Run this command?");
			tau.press("escape");
			await tau.until("Refused.");
			expect(existsSync(file)).toBe(true);
			tau.type("again\r");
			await question(tau, "Run this command?");
			tau.press("enter");
			await tau.until("Removed.");
			expect(existsSync(file)).toBe(false);
		},
		async rpc(client) {
			const file = join(client.home.project, "gone");
			writeFileSync(file, "");
			await client.say("go");
			await client.answer("confirm", { confirmed: false });
			await client.end();
			expect([existsSync(file), body(client.home, 1)]).toEqual([
				true,
				expect.stringContaining("did not allow"),
			]);
			await client.say("again");
			await client.answer("confirm", { confirmed: true });
			await client.end();
			expect(existsSync(file)).toBe(false);
		},
	},
	"protected paths": {
		example: "protected-paths.ts",
		steps: [call("write", { path: ".env", content: "KEY=1" }), "Not written."],
		async screen(tau) {
			tau.type("go\r");
			await tau.until("Not written.");
			expect(tau.screen()).toContain(".env is protected");
		},
		async rpc(client) {
			await client.say("go");
			await client.end();
			expect(existsSync(join(client.home.project, ".env"))).toBe(false);
			expect(body(client.home, 1)).toContain("is protected");
		},
	},
	"state over resume": {
		example: "counter.ts",
		steps: [call("count_up", { by: 2 }), "Two.", call("count_up"), "Three."],
		async screen(tau) {
			tau.type("count\r");
			await tau.until("Two.");
			tau.press("ctrlD");
			await tau.exited;
			await using again = await atScreen(kinds["state over resume"] as Kind, tau.home, ["--continue"]);
			again.type("count\r");
			await again.until("Three.");
			expect(body(tau.home, 3)).toMatch(/"content":(?:"3"|\[\{"type":"text","text":"3")/);
		},
		async rpc(client) {
			await client.say("count");
			await client.end();
			const { sessionFile } = await client.data({ type: "get_state" });
			await client.data({ type: "new_session" });
			await client.data({ type: "switch_session", sessionPath: sessionFile });
			await client.say("count");
			await client.end();
			expect(body(client.home, 3)).toMatch(/"content":(?:"3"|\[\{"type":"text","text":"3")/);
		},
	},
	"game over the screen": {
		example: "catch-it.ts",
		steps: [],
		async screen(tau) {
			tau.type("/catch\r");
			await tau.until("Caught: 0");
			// The first falls on the basket, the second beside it.
			for (let step = 0; step < 5; step++) tau.type("s");
			await tau.until("Caught: 1");
			tau.type("\x1b[D");
			for (let step = 0; step < 4; step++) tau.type("s");
			tau.type("q");
			await tau.until("You caught 1.");
			expect(tau.screen()).not.toContain("Caught:");
		},
		async rpc(client) {
			await client.say("/catch");
			await client.shown("notify", "There is no screen to play on.");
		},
	},
	footer: {
		example: "context-gauge.ts",
		settings: "compaction:\n  enabled: false\n  keepRecentTokens: 1\n",
		steps: [
			"Hello.",
			{ answer: { blocks: [{ text: "Full." }], usage: { input: 190_000, output: 10 } } },
			"What was done.",
			"What is still to be done.",
		],
		async screen(tau) {
			await tau.until(/context \d+% of played-1/);
		},
		async rpc(client) {
			await client.say("hi");
			await client.end();
			// A footer is for a screen; its numbers are there for a client that draws its own.
			expect(client.fromExtensions).toEqual([]);
			const { contextUsage } = await client.data({ type: "get_session_stats" });
			expect(contextUsage).toMatchObject({ contextWindow: 200_000, percent: expect.any(Number) });
			await client.say("more");
			await client.until(({ type, reason }) => type === "compaction_start" && reason === "manual");
			await client.shown("notify", "Compacted: there were 190010 tokens.");
			expect(body(client.home, 2)).toContain("Keep what is still to be done.");
		},
	},
	header: {
		example: "look.ts",
		steps: ["Hello."],
		async screen(tau) {
			await tau.until("At work in ");
		},
		async rpc(client) {
			await client.say("hi");
			await client.end();
			expect(client.fromExtensions).toEqual([]);
			const { commands } = await client.data({ type: "get_commands" });
			expect(commands).toContainEqual(
				expect.objectContaining({ name: "look", description: "Change the theme", source: "extension" }),
			);
			// A client without a screen has no themes: the command says so instead of failing.
			await client.say("/look sepia");
			await client.shown("notify", "There is no theme sepia");
			expect(client.fromExtensions).toMatchObject([{ method: "notify", notifyType: "warning" }]);
		},
	},
	editor: {
		example: "vi-lite.js",
		steps: ["Heard."],
		async screen(tau) {
			tau.type("/vi\r");
			await tau.until("Escape for commands");
			tau.type("abc");
			await tau.until(/^ ?abc/m);
			tau.press("escape");
			await tau.until("COMMAND");
			for (const key of ["0", "x", "i"]) tau.type(key);
			await tau.until(/^ ?bc/m);
			tau.press("enter");
			await tau.until("Heard.");
			expect(body(tau.home, 0)).toContain('"bc"');
		},
		async rpc(client) {
			await client.say("/vi");
			await client.shown("notify", "Escape for commands");
			// What a client writes is its own: no editor of an extension changes it.
			await client.say("0x abc");
			await client.end();
			expect(body(client.home, 0)).toContain('"0x abc"');
			await client.say("/vi");
			await client.shown("notify", "Escape for commands");
			expect(client.fromExtensions.map(({ method }) => method)).toEqual(["notify", "notify"]);
		},
	},
	"tool renderer": {
		example: "tiny-calls.ts",
		steps: [call("ls", { path: "." }), "Looked."],
		async screen(tau) {
			tau.type("go\r");
			await tau.until("looks: ls");
			await tau.until("Looked.");
		},
		async rpc(client) {
			writeFileSync(join(client.home.project, "a.txt"), "");
			await client.say("go");
			// The call and its result arrive as data, not as rows that someone has drawn.
			expect(await client.until(({ type }) => type === "tool_execution_start")).toMatchObject({
				toolName: "ls",
				args: { path: "." },
			});
			const { result } = await client.until(({ type }) => type === "tool_execution_end");
			expect(result).toMatchObject({ content: [{ type: "text", text: expect.stringContaining("a.txt") }] });
			await client.end();
			expect(client.fromExtensions).toEqual([]);
			expect(JSON.stringify(await client.data({ type: "get_messages" }))).not.toContain("looks:");
		},
	},
	"custom compaction": {
		example: "own-compaction.ts",
		args: ["--own-compaction"],
		settings: "compaction:\n  keepRecentTokens: 1\n",
		steps: ["One.", "Two.", "Three."],
		async screen(tau) {
			for (const [prompt, answer] of [
				["first", "One."],
				["second", "Two."],
			] as const) {
				tau.type(`${prompt}\r`);
				await tau.until(answer);
			}
			tau.type("/compact\r");
			await tau.until("Compacted without a model");
			expect(tau.home.played.requests).toHaveLength(2);
		},
		async rpc(client) {
			for (const prompt of ["first", "second"]) {
				await client.say(prompt);
				await client.end();
			}
			expect(await client.data({ type: "compact" })).toMatchObject({
				summary: expect.stringContaining("The user wrote so far:"),
			});
			expect(client.home.played.requests).toHaveLength(2);
		},
	},
	handoff: {
		example: "handoff.ts",
		steps: ["One.", "On it."],
		async screen(tau) {
			tau.type("hello\r");
			await tau.until("One.");
			tau.type("/handoff mend the roof\r");
			await tau.until("On it.");
			expect(body(tau.home, 1)).not.toContain("hello");
		},
		async rpc(client) {
			await client.say("hello");
			await client.end();
			const { sessionId } = await client.data({ type: "get_state" });
			await client.say("/handoff mend the roof");
			await client.end();
			expect((await client.data({ type: "get_state" })).sessionId).not.toBe(sessionId);
			expect(body(client.home, 1)).toContain("mend the roof");
		},
	},
	provider: {
		example: "echo-provider.ts",
		ownModel: "echo/parrot",
		steps: [],
		async screen(tau) {
			tau.type("say this\r");
			await tau.until(/say this[\s\S]*say this/);
		},
		async rpc(client) {
			await client.say("say this");
			await client.end();
			expect(await client.data({ type: "get_last_assistant_text" })).toEqual({ text: "say this" });
		},
	},
	"questions of a tool": {
		example: "ask-user.ts",
		steps: [call("ask_user", { question: "Which one?", kind: "choice", choices: ["red", "blue"] }), "Noted."],
		async screen(tau) {
			tau.type("go\r");
			await question(tau, "Which one?");
			tau.press("down", "enter");
			await tau.until("Noted.");
			expect(body(tau.home, 1)).toContain("blue");
		},
		async rpc(client) {
			await client.say("go");
			await client.answer("select", { value: "blue" });
			await client.end();
			expect(body(client.home, 1)).toContain("blue");
		},
	},
	"dynamic tool": {
		example: "dice.ts",
		steps: ["Without.", "With."],
		async screen(tau) {
			tau.type("one\r");
			await tau.until("Without.");
			tau.type("/dice\r");
			tau.type("two\r");
			await tau.until("With.");
			expect([0, 1].map((index) => body(tau.home, index).includes('"name":"dice"'))).toEqual([false, true]);
		},
		async rpc(client) {
			for (const prompt of ["one", "/dice", "two"]) {
				await client.say(prompt);
				if (prompt !== "/dice") await client.end();
			}
			expect([0, 1].map((index) => body(client.home, index).includes('"name":"dice"'))).toEqual([
				false,
				true,
			]);
		},
	},
	preset: {
		example: "presets.ts",
		steps: ["Looked."],
		async screen(tau) {
			tau.type("/preset look\r");
			await tau.until("preset look");
			tau.type("go\r");
			await tau.until("Looked.");
			expectPreset(body(tau.home, 0));
		},
		async rpc(client) {
			await client.say("/preset");
			await client.shown("notify", "Presets: look, work.");
			await client.say("/preset look");
			await client.shown("setStatus", "preset look");
			await client.say("go");
			await client.end();
			expectPreset(body(client.home, 0));
		},
	},
	"plan mode": {
		example: "plan-first.ts",
		steps: ["1. Look.", "Done."],
		async screen(tau) {
			tau.type("/plan\r");
			await tau.until("planning");
			tau.type("go\r");
			await question(tau, "Carry out this plan?");
			tau.press("enter");
			await tau.until("Done.");
			expectPlan(tau.home);
		},
		async rpc(client) {
			await client.say("/plan");
			await client.shown("setStatus", "planning");
			await client.say("go");
			await client.answer("confirm", { confirmed: true });
			await client.until(
				({ type, message }) => type === "message_end" && JSON.stringify(message).includes("Done."),
			);
			expectPlan(client.home);
		},
	},
	"tool that calls tools": {
		example: "each-file.ts",
		steps: [call("read_all", { paths: ["a.txt", "none.txt"] }), "Read."],
		async screen(tau) {
			writeFileSync(join(tau.home.project, "a.txt"), "alpha");
			tau.type("go\r");
			await tau.until("Read.");
			expect(body(tau.home, 1)).toContain("alpha");
		},
		async rpc(client) {
			writeFileSync(join(client.home.project, "a.txt"), "alpha");
			await client.say("go");
			await client.until(
				({ parentToolCallId, isError }) => parentToolCallId !== undefined && isError === true,
			);
			await client.end();
			expect(body(client.home, 1)).toContain("alpha");
		},
	},
};

function expectPreset(request: string): void {
	expect(request).toContain("Change nothing.");
	expect(request).not.toContain('"name":"bash"');
}

function expectPlan(home: Launched): void {
	expect(body(home, 0)).toContain("Only plan");
	expect(body(home, 0)).not.toContain('"name":"write"');
	expect(body(home, 1)).not.toContain("Only plan");
	expect(body(home, 1)).toContain('"name":"write"');
}

function argsOf({ example, args = [], ownModel }: Kind): string[] {
	return [...(ownModel === undefined ? [] : ["--model", ownModel]), "-e", join(folder, example), ...args];
}

async function homeOf({ steps, settings }: Kind): Promise<Launched> {
	const home = await launch({ steps });
	if (settings !== undefined) writeFileSync(join(home.agentDir, "config.yml"), settings);
	return home;
}

async function atScreen(kind: Kind, home: Launched, more: string[] = []): Promise<OpenTau> {
	const tau = await openTau(
		{ steps: [] },
		{
			home,
			args: [...argsOf(kind), ...more],
			...(kind.ownModel === undefined ? {} : { anyModel: true as const }),
		},
	);
	await tau.until(kind.ownModel === undefined ? "played-1" : "parrot");
	return tau;
}

describe.each(Object.entries(kinds))("%s", (_name, kind) => {
	test(`${kind.example} on a screen`, async () => {
		const home = await homeOf(kind);
		await using _ = home;
		await using tau = await atScreen(kind, home);
		await kind.screen(tau);
	});

	test(`${kind.example} over RPC`, async () => {
		await using home = await homeOf(kind);
		const args = [...(kind.ownModel === undefined ? model : []), ...argsOf(kind)];
		await using rpc = startRpc(home, args);
		await kind.rpc(new Client(home, rpc));
	});
});
