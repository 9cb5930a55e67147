/** Every command of RPC mode, as a client uses it: the real program, a played model behind it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { modelsYml } from "@tau/ai/testing";
import { describe, expect, test } from "bun:test";

import { launch, type Launched } from "../support/launch.ts";
import { isEvent, model, startRpc, type Frame, type RpcProcess } from "./rpc-process.ts";

async function prompt(rpc: RpcProcess, message: string): Promise<Frame[]> {
	const response = await rpc.ask({ type: "prompt", message });
	expect(response).toMatchObject({ success: true });
	const from = rpc.frames.indexOf(response);
	await rpc.until(isEvent("agent_end"), from);
	return rpc.frames.slice(from);
}

async function data(rpc: RpcProcess, command: object): Promise<Record<string, unknown>> {
	const response = await rpc.ask(command);
	if (response.success !== true) throw new Error(JSON.stringify(response));
	return (response.data ?? {}) as Record<string, unknown>;
}

async function refusal(rpc: RpcProcess, command: object): Promise<unknown> {
	const response = await rpc.ask(command);
	expect(response.success).toBe(false);
	return response.error;
}

function bodies(tau: Launched): string[] {
	return tau.played.requests.map(({ rawBody }) => rawBody);
}

const slowCall = {
	answer: {
		blocks: [{ toolCall: { name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.01; done" } } }],
	},
};

describe("prompt", () => {
	test("can have images", async () => {
		await using tau = await launch({ steps: ["A dot."] });
		await using rpc = startRpc(tau);
		const images = [{ type: "image", data: "aGVsbG8=", mimeType: "image/png" }];
		await rpc.ask({ type: "prompt", message: "what is it?", images });
		await rpc.until(isEvent("agent_end"));
		const { messages } = await data(rpc, { type: "get_messages" });
		expect(messages).toMatchObject([
			{ role: "user", content: [{ type: "text", text: "what is it?" }, images[0]] },
			{ role: "assistant", content: [{ type: "text", text: "A dot." }] },
		]);
	});

	test("during a run must say how; then it steers, or follows up", async () => {
		await using tau = await launch({ steps: [slowCall, "Steered.", "Followed.", "Done."] });
		await using rpc = startRpc(tau);
		await rpc.ask({ type: "prompt", message: "first" });
		await rpc.until(isEvent("tool_execution_start"));
		expect(await refusal(rpc, { type: "prompt", message: "no" })).toContain("streamingBehavior");
		for (const [message, streamingBehavior] of [
			["later", "followUp"],
			["sooner", "steer"],
		])
			expect(await rpc.ask({ type: "prompt", message, streamingBehavior })).toMatchObject({ success: true });
		await rpc.ask({ type: "follow_up", message: "at last" });
		expect(await data(rpc, { type: "get_state" })).toMatchObject({
			isStreaming: true,
			pendingMessageCount: 3,
		});
		writeFileSync(join(tau.project, "go"), "");
		await rpc.until(isEvent("agent_end"));
		const updates = rpc.frames.filter(isEvent("queue_update"));
		expect(updates[2]).toMatchObject({ steering: ["sooner"], followUp: ["later", "at last"] });
		const said = (index: number, text: string): boolean => bodies(tau)[index]?.includes(text) ?? false;
		expect([
			said(1, "sooner"),
			said(1, "later"),
			said(2, "later"),
			said(2, "at last"),
			said(3, "at last"),
		]).toEqual([true, false, true, false, true]);
	});

	test("a mode of all sends all queued messages at once", async () => {
		await using tau = await launch({ steps: [slowCall, "Steered."] });
		await using rpc = startRpc(tau);
		await rpc.ask({ type: "set_steering_mode", mode: "all" });
		await rpc.ask({ type: "set_follow_up_mode", mode: "all" });
		expect(await data(rpc, { type: "get_state" })).toMatchObject({
			steeringMode: "all",
			followUpMode: "all",
		});
		await rpc.ask({ type: "prompt", message: "first" });
		await rpc.until(isEvent("tool_execution_start"));
		await rpc.ask({ type: "steer", message: "left" });
		await rpc.ask({ type: "steer", message: "right" });
		writeFileSync(join(tau.project, "go"), "");
		await rpc.until(isEvent("agent_end"));
		expect(bodies(tau)[1]).toMatch(/left.*right/);
	});
});

test("abort ends an answer, responds when it has ended, and the next prompt starts a new one", async () => {
	const fault = { pauseMs: 60_000, afterChunks: 2 };
	await using tau = await launch({
		steps: [{ answer: { blocks: [{ text: "a long answer", chunks: 9 }] }, fault }, "Better."],
	});
	await using rpc = startRpc(tau);
	await rpc.ask({ type: "prompt", message: "first" });
	await rpc.until(isEvent("message_update"));
	// Not awaited in between: commands are executed in order.
	rpc.write({ type: "abort" });
	await prompt(rpc, "second");
	const order = rpc.frames.map(({ type, command }) => command ?? type);
	expect(order.indexOf("abort")).toBeGreaterThan(order.indexOf("agent_end"));
	expect(await data(rpc, { type: "get_last_assistant_text" })).toEqual({ text: "Better." });
	expect(await rpc.ask({ type: "abort" })).toMatchObject({ success: true });
});

describe("bash", () => {
	test("runs at once, every client sees it, and its output is sent with the next prompt", async () => {
		await using tau = await launch({ steps: ["Seen."] });
		await using rpc = startRpc(tau);
		const command = "pwd; printf '\\033[31mred\\033[0m\\n'; exit 3";
		const outcome = { exitCode: 3, cancelled: false, truncated: false };
		expect(await data(rpc, { type: "bash", command })).toMatchObject({
			output: `${tau.project}\nred`,
			...outcome,
		});
		expect(rpc.frames.at(0)).toMatchObject({ type: "user_command_start", command, isPrivate: false });
		expect(rpc.frames.at(-2)).toMatchObject({ type: "user_command_end", message: { exitCode: 3 } });
		expect(await data(rpc, { type: "get_messages" })).toMatchObject({
			messages: [{ role: "bashExecution", command, exitCode: 3 }],
		});
		await prompt(rpc, "what was that?");
		expect(bodies(tau)[0]).toContain("red\\n```\\nIt exited with code 3.");
		const { sessionFile } = await data(rpc, { type: "get_state" });
		expect(readFileSync(String(sessionFile), "utf8")).toContain('"role":"bashExecution"');
	});

	test("during a run is recorded afterwards, so that calls stay with their results", async () => {
		await using tau = await launch({ steps: [slowCall, "Done.", "Seen."] });
		await using rpc = startRpc(tau);
		await rpc.ask({ type: "prompt", message: "go" });
		await rpc.until(isEvent("tool_execution_start"));
		await data(rpc, { type: "bash", command: "echo in-between" });
		writeFileSync(join(tau.project, "go"), "");
		await rpc.until(isEvent("agent_end"));
		await prompt(rpc, "and now?");
		const { messages } = await data(rpc, { type: "get_messages" });
		const roles = (messages as { role: string }[]).map(({ role }) => role);
		expect(roles).toEqual([
			"user",
			"assistant",
			"toolResult",
			"assistant",
			"bashExecution",
			"user",
			"assistant",
		]);
		expect([bodies(tau)[1], bodies(tau)[2]].map((body) => body?.includes("in-between"))).toEqual([
			false,
			true,
		]);
	});

	test("does not block other commands, and is ended by abort_bash with its children", async () => {
		await using tau = await launch({ steps: [] });
		await using rpc = startRpc(tau);
		rpc.write({ id: "b", type: "bash", command: "echo begun; touch ready; sleep 300 & wait" });
		while (!existsSync(join(tau.project, "ready"))) await Bun.sleep(5);
		expect(await rpc.ask({ type: "get_state" })).toMatchObject({ success: true });
		expect(await rpc.ask({ type: "abort_bash" })).toMatchObject({ success: true });
		expect(await rpc.until(({ id }) => id === "b")).toMatchObject({
			success: true,
			data: { output: "begun", cancelled: true },
		});
	});

	test("ends when its session is left, and stays there", async () => {
		await using tau = await launch({ steps: [] });
		await using rpc = startRpc(tau);
		rpc.write({ id: "b", type: "bash", command: "touch ready; sleep 300" });
		while (!existsSync(join(tau.project, "ready"))) await Bun.sleep(5);
		await data(rpc, { type: "new_session" });
		expect(await rpc.until(({ id }) => id === "b")).toMatchObject({ data: { cancelled: true } });
		expect(await data(rpc, { type: "get_messages" })).toEqual({ messages: [] });
	});

	test("reports if only the end of the output is included", async () => {
		await using tau = await launch({ steps: [] });
		await using rpc = startRpc(tau);
		const long = await data(rpc, { type: "bash", command: "seq 100000" });
		expect(long).toMatchObject({ truncated: true, output: expect.stringMatching(/99999\n100000$/) });
		const { fullOutputPath } = long as { fullOutputPath: string };
		expect(await Bun.file(fullOutputPath).text()).toMatch(/^1\n2\n[^]*\n100000\n$/);
	});
});

describe("models", () => {
	/** Two models, one of them with thinking. */
	async function withTwo(steps: Parameters<typeof launch>[0]["steps"]): Promise<Launched> {
		const tau = await launch({ steps });
		const yml = modelsYml(tau.played, { api: "anthropic-messages", reasoning: true });
		const second = yml.slice(yml.indexOf("      - id:")).replace("played-1", "played-2");
		writeFileSync(
			join(tau.agentDir, "models.yml"),
			`${yml}${second.replace("reasoning: true", "reasoning: false")}`,
		);
		return tau;
	}

	test("are listed, set, and stored in the log", async () => {
		await using tau = await withTwo(["Two."]);
		await using rpc = startRpc(tau);
		const { models } = await data(rpc, { type: "get_available_models" });
		const ids = (models as { provider: string; id: string }[]).filter(
			({ provider }) => provider === "played",
		);
		expect(ids.map(({ id }) => id)).toEqual(["played-1", "played-2"]);
		const chosen = await data(rpc, { type: "set_model", provider: "played", modelId: "played-2" });
		expect(chosen).toMatchObject({ provider: "played", id: "played-2", contextWindow: 200_000 });
		await prompt(rpc, "who are you?");
		expect(tau.played.requests[0]?.body).toMatchObject({ model: "played-2" });
		const { sessionFile } = await data(rpc, { type: "get_state" });
		expect(readFileSync(String(sessionFile), "utf8")).toContain('"modelId":"played-2"');
	});

	test.each([
		["nobody/knows", "Unknown model"],
		["played/played", 'Unknown model "played/played"'],
		["openai/gpt-4.1", "No key"],
	])("%s cannot be set, and the reason is reported", async (name, reason) => {
		await using tau = await withTwo([]);
		await using rpc = startRpc(tau);
		const [provider, modelId] = name.split("/");
		expect(await refusal(rpc, { type: "set_model", provider, modelId })).toContain(reason);
		expect(await data(rpc, { type: "get_state" })).toMatchObject({ model: { id: "played-1" } });
	});

	test("cycle, within the scope if there is one", async () => {
		await using tau = await withTwo([]);
		await using rpc = startRpc(tau, ["--models", "played/*:low"]);
		const turns = [await data(rpc, { type: "cycle_model" }), await data(rpc, { type: "cycle_model" })];
		expect(turns).toMatchObject([
			{ model: { id: "played-2" }, isScoped: true, thinkingLevel: "off" },
			{ model: { id: "played-1" }, isScoped: true, thinkingLevel: "low" },
		]);
	});

	test("do not cycle if there is only one", async () => {
		await using tau = await launch({ steps: [] });
		await using rpc = startRpc(tau, ["--models", "played/*"]);
		expect(await rpc.ask({ type: "cycle_model" })).toMatchObject({ success: true, data: null });
	});

	test("use a thinking level that they support", async () => {
		await using tau = await withTwo([]);
		await using rpc = startRpc(tau);
		const levels: unknown[] = [];
		for (let turn = 0; turn < 5; turn++)
			levels.push((await data(rpc, { type: "cycle_thinking_level" })).level);
		expect(levels).toEqual(["minimal", "low", "medium", "high", "off"]);
		await rpc.ask({ type: "set_thinking_level", level: "xhigh" });
		expect(await data(rpc, { type: "get_state" })).toMatchObject({ thinkingLevel: "high" });
		await rpc.ask({ type: "set_model", provider: "played", modelId: "played-2" });
		expect(await data(rpc, { type: "get_state" })).toMatchObject({ thinkingLevel: "off" });
		expect(await rpc.ask({ type: "cycle_thinking_level" })).toMatchObject({ success: true, data: null });
	});
});

describe("retries", () => {
	const busy = { fault: { http: 529, retryAfter: 0 } } as const;

	test("are made, announced, and done before the run is", async () => {
		await using tau = await launch({ steps: [busy, "At last."] });
		await using rpc = startRpc(tau);
		await rpc.ask({ type: "prompt", message: "hi" });
		await rpc.until(isEvent("auto_retry_end"));
		expect(rpc.frames.find(isEvent("auto_retry_start"))).toMatchObject({ attempt: 1, maxAttempts: 3 });
		expect(tau.played.requests).toHaveLength(2);
	});

	test("are not made when they are disabled", async () => {
		await using tau = await launch({ steps: [busy, "never"] });
		await using rpc = startRpc(tau);
		await rpc.ask({ type: "set_auto_retry", enabled: false });
		const events = await prompt(rpc, "hi");
		expect(events.some(isEvent("auto_retry_start"))).toBe(false);
		expect(await data(rpc, { type: "get_state" })).toMatchObject({ autoRetryEnabled: false });
		expect(tau.played.requests).toHaveLength(1);
	});

	test("are cancelled with abort_retry, which does nothing else", async () => {
		const refused = { fault: { http: 529, retryAfter: 50 } } as const;
		await using tau = await launch({ steps: [refused, slowCall, "Fine."] });
		await using rpc = startRpc(tau);
		await rpc.ask({ type: "prompt", message: "hi" });
		await rpc.until(isEvent("auto_retry_start"));
		expect(await data(rpc, { type: "get_state" })).toMatchObject({ isStreaming: true });
		await rpc.ask({ type: "abort_retry" });
		expect(await rpc.until(isEvent("auto_retry_end"))).toMatchObject({ success: false, attempt: 1 });
		await rpc.until(isEvent("agent_end"));
		await rpc.ask({ type: "prompt", message: "again" });
		await rpc.until(isEvent("tool_execution_start"));
		await rpc.ask({ type: "abort_retry" });
		writeFileSync(join(tau.project, "go"), "");
		await rpc.until(isEvent("agent_end"), rpc.frames.length);
		expect(await data(rpc, { type: "get_last_assistant_text" })).toEqual({ text: "Fine." });
	});
});

describe("sessions", () => {
	const steps = ["One.", "Two.", "Three.", "Four."];

	test("are named, counted and priced", async () => {
		const answer = { blocks: [{ text: "One." }], usage: { input: 1000, output: 100, cacheRead: 50 } };
		await using tau = await launch({ steps: [{ answer }] });
		await using rpc = startRpc(tau);
		expect(await data(rpc, { type: "get_last_assistant_text" })).toEqual({ text: null });
		await prompt(rpc, "hi");
		await rpc.ask({ type: "set_session_name", name: "  my work " });
		expect(await refusal(rpc, { type: "set_session_name", name: " " })).toContain("empty");
		const state = await data(rpc, { type: "get_state" });
		expect(state).toMatchObject({ sessionName: "my work", messageCount: 2, isStreaming: false });
		const stats = await data(rpc, { type: "get_session_stats" });
		expect(stats).toMatchObject({
			sessionFile: state.sessionFile,
			sessionId: state.sessionId,
			userMessages: 1,
			assistantMessages: 1,
			toolCalls: 0,
			toolResults: 0,
			totalMessages: 2,
			tokens: { input: 1000, output: 100, cacheRead: 50, cacheWrite: 0, total: 1150 },
			contextUsage: { tokens: 1150, contextWindow: 200_000, percent: 0.575 },
		});
		expect(stats.cost).toBeCloseTo(0.003 + 0.0015 + 0.000015, 10);
	});

	test("are left for a new one, and resumed with all messages", async () => {
		await using tau = await launch({ steps });
		await using rpc = startRpc(tau);
		await prompt(rpc, "remember the milk");
		const first = await data(rpc, { type: "get_state" });
		const fresh = { type: "new_session", parentSession: first.sessionFile };
		expect(await data(rpc, fresh)).toEqual({ cancelled: false });
		const second = await data(rpc, { type: "get_state" });
		expect(second.messageCount).toBe(0);
		expect(second.sessionId).not.toBe(first.sessionId);
		await prompt(rpc, "hello");
		expect(bodies(tau)[1]).not.toContain("milk");
		expect(JSON.parse(readFileSync(String(second.sessionFile), "utf8").split("\n")[0] ?? "")).toMatchObject({
			parentSession: first.sessionFile,
		});
		await data(rpc, { type: "switch_session", sessionPath: first.sessionFile });
		expect(await data(rpc, { type: "get_state" })).toMatchObject({
			sessionId: first.sessionId,
			messageCount: 2,
		});
		await prompt(rpc, "what was it?");
		expect(bodies(tau)[2]).toContain("milk");
		expect(readFileSync(String(first.sessionFile), "utf8").trimEnd().split("\n")).toHaveLength(5);
	});

	test("are resumed from the command line", async () => {
		await using tau = await launch({ steps });
		await tau.run(["-p", "remember the milk", ...model]);
		await using rpc = startRpc(tau, [...model, "--continue"]);
		expect(await data(rpc, { type: "get_state" })).toMatchObject({ messageCount: 2 });
		await prompt(rpc, "what was it?");
		expect(bodies(tau)[1]).toContain("milk");
	});

	test("are not switched to an invalid file, also not during an answer", async () => {
		await using tau = await launch({ steps: [slowCall, "Done."] });
		await using rpc = startRpc(tau);
		writeFileSync(join(tau.project, "notes.txt"), "buy milk\nand bread\n");
		await rpc.ask({ type: "prompt", message: "go" });
		await rpc.until(isEvent("tool_execution_start"));
		const to = (sessionPath: string): object => ({ type: "switch_session", sessionPath });
		expect(await refusal(rpc, to("/nowhere.jsonl"))).toBe("No session found at /nowhere.jsonl.");
		const notes = join(tau.project, "notes.txt");
		expect(await refusal(rpc, to(notes))).toBe(`${notes} is not a session.`);
		expect(await refusal(rpc, to(tau.project))).toContain("Cannot read");
		expect(readFileSync(notes, "utf8")).toBe("buy milk\nand bread\n");
		expect(readdirSync(tau.project)).toEqual(["notes.txt"]);
		writeFileSync(join(tau.project, "go"), "");
		expect(await rpc.until(isEvent("agent_end"))).toMatchObject({ messages: { length: 4 } });
	});

	test("continue in their own directory", async () => {
		await using tau = await launch({ steps });
		const other = join(tau.project, "other");
		mkdirSync(other);
		await using there = startRpc({
			...tau,
			start: (args, options) => tau.start(args, { ...options, cwd: other }),
		});
		await prompt(there, "hi");
		const { sessionFile } = await data(there, { type: "get_state" });
		there.end();
		await there.running.finished;
		await using rpc = startRpc(tau);
		await data(rpc, { type: "switch_session", sessionPath: sessionFile });
		expect(await data(rpc, { type: "bash", command: "pwd" })).toMatchObject({ output: other });
	});

	test("that another process has open are not taken over", async () => {
		await using tau = await launch({ steps });
		await using owner = startRpc(tau);
		await prompt(owner, "mine");
		const { sessionFile } = await data(owner, { type: "get_state" });
		await using rpc = startRpc(tau);
		const before = await data(rpc, { type: "get_state" });
		expect(await refusal(rpc, { type: "switch_session", sessionPath: sessionFile })).toContain("open");
		expect(await data(rpc, { type: "get_state" })).toEqual(before);
		await prompt(rpc, "my own");
		expect(bodies(tau)[1]).not.toContain("mine");
	});

	test.each([[[]], [["--no-session"]]])(
		"are forked at a message and cloned at the end, with %p",
		async (flags) => {
			await using tau = await launch({ steps });
			await using rpc = startRpc(tau, [...model, ...flags]);
			expect(await refusal(rpc, { type: "clone" })).toContain("Nothing to clone");
			await prompt(rpc, "alpha");
			await prompt(rpc, "beta");
			const original = await data(rpc, { type: "get_state" });
			const { messages } = await data(rpc, { type: "get_branch_messages" });
			expect(messages).toMatchObject([{ text: "alpha" }, { text: "beta" }]);
			const [first, second] = messages as { entryId: string }[];
			expect(await data(rpc, { type: "clone" })).toEqual({ cancelled: false });
			const copy = await data(rpc, { type: "get_state" });
			expect(copy.messageCount).toBe(4);
			expect(copy.sessionId).not.toBe(original.sessionId);
			expect(await data(rpc, { type: "fork", entryId: second?.entryId })).toEqual({
				text: "beta",
				cancelled: false,
			});
			expect(await data(rpc, { type: "get_state" })).toMatchObject({ messageCount: 2 });
			await prompt(rpc, "gamma");
			expect(bodies(tau)[2]).toMatch(/alpha.*One\..*gamma/);
			expect(bodies(tau)[2]).not.toContain("beta");
			expect(await data(rpc, { type: "branch", entryId: first?.entryId })).toMatchObject({ text: "alpha" });
			expect(await data(rpc, { type: "get_state" })).toMatchObject({ messageCount: 0 });
		},
	);

	test("are not forked at an unknown entry", async () => {
		await using tau = await launch({ steps });
		await using rpc = startRpc(tau);
		await prompt(rpc, "alpha");
		expect(await refusal(rpc, { type: "fork", entryId: "nowhere" })).toContain("Entry nowhere not found");
		expect(await data(rpc, { type: "get_state" })).toMatchObject({ messageCount: 2 });
	});
});

test("export_html writes a page beside the project, and returns its path", async () => {
	await using tau = await launch({ steps: ["Hello."] });
	await using rpc = startRpc(tau);
	await prompt(rpc, "hi");
	const { path } = await data(rpc, { type: "export_html" });
	expect(readFileSync(String(path), "utf8")).toContain("Hello.");
	const taken = join(tau.project, "taken.html");
	writeFileSync(taken, "mine");
	expect(await refusal(rpc, { type: "export_html", outputPath: taken })).toContain("taken.html");
	expect(readFileSync(taken, "utf8")).toBe("mine");
});

test("compact summarizes the conversation, and the next prompt continues from the summary", async () => {
	const summing = { when: { bodyContains: "Reply with the summary" }, answer: "They counted." };
	await using tau = await launch({ steps: [summing, "One.", "Two.", "Three."] });
	const config = join(tau.project, "small.yml");
	writeFileSync(config, "compaction:\n  keepRecentTokens: 100\n");
	await using rpc = startRpc(tau, [...model, "--config", config]);
	expect(await refusal(rpc, { type: "compact" })).toContain("Nothing to compact");
	await prompt(rpc, `aardvark ${"word ".repeat(200)}`);
	await prompt(rpc, `second ${"word ".repeat(200)}`);
	const result = await data(rpc, { type: "compact", customInstructions: "Mind the numbers." });
	expect(result).toMatchObject({ summary: "They counted.", tokensBefore: expect.any(Number) });
	await prompt(rpc, "third");
	const [summary = "", third = ""] = bodies(tau).slice(-2);
	expect(summary).toContain("Mind the numbers.");
	expect(third).toContain("They counted.");
	expect(third).not.toContain("One.");
	const file = String((await data(rpc, { type: "get_state" })).sessionFile);
	const entries = readFileSync(file, "utf8").trimEnd().split("\n");
	expect(entries.filter((line) => line.startsWith('{"type":"compaction"'))).toHaveLength(1);
});

test("set_auto_compaction is reported by get_state", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = startRpc(tau);
	expect(await data(rpc, { type: "get_state" })).toMatchObject({ autoCompactionEnabled: true });
	await rpc.ask({ type: "set_auto_compaction", enabled: false });
	expect(await data(rpc, { type: "get_state" })).toMatchObject({ autoCompactionEnabled: false });
});
