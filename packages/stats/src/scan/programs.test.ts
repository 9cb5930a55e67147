/** Sessions of other programs count as each of them writes its usage. */
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { aggregated } from "../query/dashboard.ts";
import { sessionList } from "../query/lists.ts";
import { rangeOf, type Range } from "../query/range.ts";
import { sumsBy } from "../query/sums.ts";
import { toolStats } from "../query/tools.ts";
import { Stats } from "../stats.ts";
import { builtinModels } from "@tau/ai";

const home = mkdtempSync(join(tmpdir(), "tau-programs-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const all = rangeOf("all") as Range;
const long = new Date(Date.now() - 3_600_000);

function write(path: string, lines: readonly object[]): string {
	const file = join(home, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	utimesSync(file, long, long);
	return file;
}

async function synced(): Promise<Stats> {
	const stats = new Stats({ home, data: join(home, ".tau/agent"), env: {} });
	await stats.sync();
	return stats;
}

function sourceSums(stats: Stats, source: string) {
	const row = sumsBy(stats.database, all, ["source", "provider", "model", "project", "agent", "role"]).filter(
		(each) => each.source === source,
	);
	return row.map((each) => ({
		model: each.model,
		provider: each.provider,
		project: each.project,
		agent: each.agent,
		tokens: [each.input, each.output, each.cacheRead, each.cacheWrite],
		answers: each.answers,
		role: each.role,
		...aggregated(each),
	}));
}

const priced = builtinModels("anthropic").find(({ cost }) => cost.input > 0);

test("Claude Code: an answer of several lines counts once, by its last line, also in a resumed copy", async () => {
	const line = (uuid: string, id: string, output: number, block: object, more: object = {}) => ({
		type: "assistant",
		uuid,
		sessionId: "c1",
		cwd: "/work/shop",
		timestamp: "2026-11-03T09:00:02.500Z",
		requestId: `r-${id}`,
		message: {
			id,
			role: "assistant",
			model: priced?.id,
			content: [block],
			usage: {
				input_tokens: 1000,
				cache_creation_input_tokens: 100,
				cache_read_input_tokens: 2000,
				output_tokens: output,
			},
		},
		...more,
	});
	const prompt = {
		type: "user",
		uuid: "u",
		sessionId: "c1",
		cwd: "/work/shop",
		timestamp: "2026-11-03T09:00:00.000Z",
		message: { role: "user", content: "Find the bug" },
	};
	const answers = [
		line("1", "msg_1", 1, { type: "thinking", thinking: "…" }),
		line("2", "msg_1", 500, { type: "tool_use", id: "t", name: "Bash", input: {} }),
		line("3", "msg_2", 20, { type: "text", text: "Done." }),
		line(
			"4",
			"msg_3",
			0,
			{ type: "text", text: "Limit reached" },
			{ message: { ...line("", "msg_3", 0, {}).message, model: "<synthetic>" } },
		),
	];
	write(".claude/projects/-work-shop/c1.jsonl", [prompt, ...answers]);
	write(
		".claude/projects/-work-shop/c2.jsonl",
		[prompt, ...answers].map((each) => ({ ...each, sessionId: "c2" })),
	);
	using stats = await synced();
	const [row, ...others] = sourceSums(stats, "claude");
	expect(others).toEqual([]);
	expect(row).toMatchObject({
		answers: 2,
		tokens: [2000, 520, 4000, 200],
		provider: "anthropic",
		project: "/work/shop",
	});
	const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = priced?.cost ?? {};
	const cost = (2000 * input + 520 * output + 4000 * cacheRead + 200 * cacheWrite) / 1e6;
	expect(row?.totalCost).toBeCloseTo(cost, 6);
	// Nobody was charged this sum: the program does not say what it cost.
	expect(row?.estimatedCost).toBeCloseTo(cost, 6);
	expect(sessionList(stats.database, "find the", 9)).toMatchObject([
		{ title: "Find the bug", source: "claude", requests: 2 },
	]);
	expect(toolStats(stats.database, all)).toMatchObject([{ tool: "Bash", calls: 1 }]);
});

test("Claude Code: an answer that is still being written counts when it has ended", async () => {
	const now = (output: number) =>
		JSON.stringify({
			type: "assistant",
			uuid: String(output),
			sessionId: "open",
			cwd: "/open",
			requestId: "r",
			timestamp: new Date().toISOString(),
			message: {
				id: "open",
				role: "assistant",
				model: "m",
				content: [],
				usage: { input_tokens: 5, output_tokens: output },
			},
		});
	const file = write(".claude/projects/-open/open.jsonl", []);
	appendFileSync(file, `${now(1)}\n`);
	using stats = await synced();
	const tokens = () => sourceSums(stats, "claude").find(({ project }) => project === "/open")?.tokens;
	expect(tokens()).toBeUndefined();
	appendFileSync(file, `${now(70)}\n`);
	utimesSync(file, long, long);
	await stats.sync();
	expect(tokens()).toEqual([5, 70, 0, 0]);
	await stats.sync();
	expect(tokens()).toEqual([5, 70, 0, 0]);
});

test("Codex: sums of the session become answers, and the same sum twice is one", async () => {
	const sum = (input: number, cached: number, output: number, at: string) => ({
		timestamp: at,
		type: "event_msg",
		payload: {
			type: "token_count",
			info: {
				total_token_usage: {
					input_tokens: input,
					cached_input_tokens: cached,
					output_tokens: output,
					total_tokens: input + output,
				},
			},
		},
	});
	const file = write(".codex/sessions/2026/11/03/rollout-2026-11-03T10-00-00-x.jsonl", [
		{
			timestamp: "2026-11-03T10:00:00.000Z",
			type: "session_meta",
			payload: { id: "x", cwd: "/work/api", model_provider: "openai" },
		},
		{
			timestamp: "2026-11-03T10:00:01.000Z",
			type: "turn_context",
			payload: { cwd: "/work/api", model: "gpt-m" },
		},
		{
			timestamp: "2026-11-03T10:00:01.500Z",
			type: "event_msg",
			payload: { type: "user_message", message: "List the files" },
		},
		{
			timestamp: "2026-11-03T10:00:02.000Z",
			type: "response_item",
			payload: { type: "function_call", name: "shell", arguments: "{}", call_id: "c" },
		},
		sum(100, 40, 10, "2026-11-03T10:00:03.000Z"),
		sum(100, 40, 10, "2026-11-03T10:00:04.000Z"),
	]);
	using stats = await synced();
	expect(sourceSums(stats, "codex")).toMatchObject([
		{ answers: 1, tokens: [60, 10, 40, 0], model: "gpt-m", unpricedRequests: 1 },
	]);
	appendFileSync(file, `${JSON.stringify(sum(300, 140, 25, "2026-11-03T10:00:09.000Z"))}\n`);
	await stats.sync();
	expect(sourceSums(stats, "codex")).toMatchObject([
		{ answers: 2, tokens: [160, 25, 140, 0], project: "/work/api" },
	]);
	expect(sessionList(stats.database, "List the", 9)).toMatchObject([
		{ id: "codex:x", requests: 2, toolCalls: 1 },
	]);
});

test("Gemini CLI: a file that is written anew with each message counts each message once", async () => {
	const path = ".gemini/tmp/abc/chats/session-1.json";
	const message = (id: string, output: number) => ({
		id,
		type: "gemini",
		timestamp: "2026-11-04T10:00:00.000Z",
		model: "gemini-x",
		tokens: { input: 100, cached: 30, output, thoughts: 5 },
		toolCalls: id === "1" ? [{ name: "glob", status: "error" }] : [],
	});
	const session = {
		sessionId: "g1",
		projectHash: "abc",
		directories: ["/work/gem"],
		messages: [message("1", 10)],
	};
	write(path, [session]);
	using stats = await synced();
	write(path, [{ ...session, messages: [message("1", 10), message("2", 20)] }]);
	await stats.sync();
	expect(sourceSums(stats, "gemini")).toMatchObject([
		{ answers: 2, tokens: [140, 40, 60, 0], project: "/work/gem", provider: "google" },
	]);
	expect(toolStats(stats.database, all).find(({ tool }) => tool === "glob")).toMatchObject({
		calls: 1,
		errors: 1,
	});
});

test("opencode: messages in files and in its database count once, with what they cost", async () => {
	const message = (id: string, cost: number) => ({
		id,
		sessionID: "ses_1",
		role: "assistant",
		providerID: "zen",
		modelID: "big",
		path: { cwd: "/work/oc" },
		time: { created: 1_790_000_000_000, completed: 1_790_000_004_000 },
		tokens: { input: 10, output: 20, reasoning: 5, cache: { read: 7, write: 3 } },
		cost,
	});
	write(".local/share/opencode/storage/message/ses_1/msg_1.json", [message("msg_1", 0.25)]);
	const path = join(home, ".local/share/opencode/opencode.db");
	const database = new Database(path);
	database.run(
		"CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INT)",
	);
	database.run(
		"CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, time_updated INT, data TEXT)",
	);
	database.run(
		"CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INT, time_updated INT, data TEXT)",
	);
	database.run("INSERT INTO session VALUES ('ses_1', NULL, '/work/oc', 'Shop', 1)");
	const insert = database.query("INSERT INTO message VALUES (?, 'ses_1', 1, ?, ?)");
	insert.run("msg_1", 5, JSON.stringify(message("msg_1", 0.25)));
	insert.run("msg_2", 6, JSON.stringify(message("msg_2", 0.5)));
	const part = {
		type: "tool",
		tool: "edit",
		callID: "c",
		state: { status: "completed", time: { start: 10, end: 60 } },
	};
	database.query("INSERT INTO part VALUES ('p', 'msg_2', 'ses_1', 1, 7, ?)").run(JSON.stringify(part));
	using stats = await synced();
	expect(sourceSums(stats, "opencode")).toMatchObject([
		{ answers: 2, tokens: [20, 50, 14, 6], totalCost: 0.75, estimatedCost: 0, avgDuration: 4000 },
	]);
	insert.run("msg_3", 9, JSON.stringify(message("msg_3", 1)));
	database.close();
	await stats.sync();
	expect(sourceSums(stats, "opencode")).toMatchObject([{ answers: 3, totalCost: 1.75 }]);
	expect(toolStats(stats.database, all).find(({ tool }) => tool === "edit")).toMatchObject({
		calls: 1,
		avgDuration: 50,
	});
});

test("pi and omp: agents, side answers and what tools paid count, what an agent cost its parent does not", async () => {
	const usage = (input: number, total: number) => ({
		input,
		output: 1,
		cacheRead: 0,
		cacheWrite: 0,
		totalTokens: input + 1,
		cost: { input: total, output: 0, cacheRead: 0, cacheWrite: 0, total },
	});
	const at = 1_790_000_000_000;
	const answer = (input: number) => ({
		role: "assistant",
		content: [],
		api: "a",
		provider: "p",
		model: "m",
		usage: usage(input, 0.01),
		stopReason: "stop",
		timestamp: at + input,
	});
	const entry = (type: string, fields: object) => ({
		type,
		id: "1",
		parentId: null,
		timestamp: new Date(at).toISOString(),
		...fields,
	});
	write(".pi/agent/sessions/--w--/a_pi.jsonl", [
		{ type: "session", version: 3, id: "pi", timestamp: new Date(at).toISOString(), cwd: "/w" },
		entry("message", { message: answer(10) }),
		entry("usage", { kind: "title", provider: "p", model: "small", usage: usage(3, 0.001) }),
		entry("usage", { kind: "agent", provider: "p", model: "m", usage: usage(999, 9) }),
		entry("message", {
			message: {
				role: "toolResult",
				toolCallId: "c",
				toolName: "web_search",
				content: [],
				usage: usage(7, 0.02),
				isError: false,
				timestamp: at + 5,
			},
		}),
	]);
	write(".omp/agent/sessions/--w--/b_omp.jsonl", [
		{ type: "session", version: 3, id: "omp", timestamp: new Date(at).toISOString(), cwd: "/w" },
		entry("model_usage", { purpose: "snapcompact", provider: "p", model: "m", usage: usage(20, 0.01) }),
	]);
	write(".omp/agent/sessions/--w--/b_omp/sub.jsonl", [
		{ type: "session", version: 3, id: "sub", timestamp: new Date(at).toISOString(), cwd: "/w" },
		entry("session_init", { agent: "explore", systemPrompt: "", task: "" }),
		entry("message", { message: { ...answer(40), duration: 1234, ttft: 300 } }),
	]);
	// What was imported from another program counts there; what Tau added to it counts here.
	write(".tau/agent/sessions/--w--/c_imported.jsonl", [
		{
			type: "session",
			version: 3,
			id: "imp",
			timestamp: new Date(at).toISOString(),
			cwd: "/w",
			importedFrom: { program: "claude", file: "x", digest: "y" },
		},
		entry("message", { message: answer(50) }),
		entry("message", { message: { ...answer(60), durationMs: 10 } }),
	]);
	using stats = await synced();
	const rows = ["pi", "omp", "tau"].flatMap((source) => sourceSums(stats, source));
	const found = Object.fromEntries(
		rows.map(({ role, agent, model, tokens: [input] }) => [`${role} ${agent} ${model}`, input]),
	);
	expect(found).toEqual({
		"turn  m": 60,
		"title  small": 3,
		"web_search  web_search": 7,
		"snapcompact  m": 20,
		"turn explore m": 40,
	});
	expect(rows.find(({ agent }) => agent === "explore")).toMatchObject({ avgDuration: 1234, avgTtft: 300 });
});

test("figures that no answer can have are left out, and break no sum", async () => {
	const at = 1_790_000_000_000;
	const answers = Array.from({ length: 20 }, (_, number) => ({
		type: "message",
		id: String(number),
		parentId: null,
		message: {
			role: "assistant",
			content: [],
			api: "a",
			provider: "p",
			model: "absurd",
			usage: {
				input: 9e15,
				output: 1e308,
				cacheRead: -5,
				cacheWrite: "many",
				cost: { input: 1e300, total: 9e300 },
			},
			stopReason: "stop",
			timestamp: number === 0 ? 1e300 : at + number,
			durationMs: 9e18,
		},
	}));
	write(".pi/agent/sessions/--absurd--/a.jsonl", [
		{ type: "session", version: 3, id: "absurd", timestamp: new Date(at).toISOString(), cwd: "/absurd" },
		...answers,
	]);
	using stats = await synced();
	const row = sourceSums(stats, "pi").find(({ model }) => model === "absurd");
	expect(row).toMatchObject({ answers: 19, tokens: [0, 0, 0, 0], totalCost: 0, avgDuration: null });
});
