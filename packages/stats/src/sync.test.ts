/** What the index says is what the files have: once, whatever happens to them. */
import { afterAll, expect, test } from "bun:test";
import {
	appendFileSync,
	chmodSync,
	copyFileSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { needs } from "../../../test/support/needs.ts";
import { UsageLines } from "./lines/usage-lines.ts";
import { dashboardStats } from "./query/dashboard.ts";
import { recentErrors, sessionList } from "./query/lists.ts";
import { rangeOf, startOfDay, type Range } from "./query/range.ts";
import { sumsBy } from "./query/sums.ts";
import { toolStats } from "./query/tools.ts";
import { summaryLines, tableLines } from "./report/summary.ts";
import { scanInWorker } from "./scan-in-worker.ts";
import { Stats } from "./stats.ts";
import { naiveSums, writeCorpus } from "./testing/index.ts";

const base = mkdtempSync(join(tmpdir(), "tau-stats-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let homes = 0;

interface UserFiles {
	home: string;
	data: string;
	sessions: string;
	files: string[];
}

function place(sessions = 12, answers = 4): UserFiles {
	const home = join(base, String(homes++));
	const data = join(home, ".tau/agent");
	if (sessions > 0) writeCorpus({ home, sessions, answers, textBytes: 300 });
	else mkdirSync(join(data, "sessions"), { recursive: true });
	const root = join(data, "sessions");
	const files = readdirSync(root, { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(".jsonl"))
		.toSorted()
		.map((name) => join(root, name));
	return { home, data, sessions: root, files };
}

function open({ home, data }: UserFiles, notices: string[] = []): Stats {
	return new Stats({ home, data, env: {} }, (notice) => notices.push(notice));
}

const all = rangeOf("all") as Range;
const overall = (stats: Stats) => dashboardStats(stats.database, all).overall;

/** The index of what is there agrees with a plain reader, to the cent and to the token. */
function expectNaive(stats: Stats, { sessions }: UserFiles): void {
	const naive = naiveSums(sessions);
	const { overall: sums, byModel } = dashboardStats(stats.database, all);
	expect(sums).toMatchObject({
		totalRequests: naive.answers,
		failedRequests: naive.failed,
		totalInputTokens: naive.input,
		totalOutputTokens: naive.output,
		totalCacheReadTokens: naive.cacheRead,
		totalCacheWriteTokens: naive.cacheWrite,
	});
	expect(sums.totalCost).toBeCloseTo(naive.cost, 6);
	for (const { model, totalCost } of byModel) expect(totalCost).toBeCloseTo(naive.byModel[model] ?? 0, 6);
	const tools = toolStats(stats.database, all);
	expect(tools.reduce((sum, { calls }) => sum + calls, 0)).toBe(naive.toolCalls);
	expect(tools.reduce((sum, { errors }) => sum + errors, 0)).toBe(naive.toolErrors);
}

test("sums agree with a plain reader, and a second scan reads nothing", async () => {
	const here = place();
	using stats = open(here);
	expect(await stats.sync()).toEqual({ processed: 48, files: 12 });
	expectNaive(stats, here);
	expect(await stats.sync()).toEqual({ processed: 0, files: 0 });
});

needs("jq")(
	"sums are those that jq adds up from the logs, to the cent and to the token, also by model",
	async () => {
		const user = place(40, 6);
		using stats = open(user);
		await stats.sync();
		const answers = `[inputs | select(.type == "message" and .message.role == "assistant") | .message]`;
		const sums = `{answers: length, input: (map(.usage.input) | add), output: (map(.usage.output) | add), cost: (map(.usage.cost.total) | add), failed: (map(select(.stopReason == "error")) | length)}`;
		const program = `${answers} | ${sums} + {models: (group_by(.model) | map({key: .[0].model, value: (map(.usage.cost.total) | add)}) | from_entries)}`;
		const { stdout } = Bun.spawnSync(["jq", "-n", program, ...user.files]);
		const jq = JSON.parse(stdout.toString()) as Record<
			"answers" | "input" | "output" | "cost" | "failed",
			number
		> & {
			models: Record<string, number>;
		};
		const { overall: sum, byModel } = dashboardStats(stats.database, all);
		const cents = (dollars: number): number => Math.round(dollars * 100);
		expect(jq.answers).toBe(240);
		expect({
			answers: sum.totalRequests,
			input: sum.totalInputTokens,
			output: sum.totalOutputTokens,
			cost: cents(sum.totalCost),
			failed: sum.failedRequests,
		}).toEqual({
			answers: jq.answers,
			input: jq.input,
			output: jq.output,
			cost: cents(jq.cost),
			failed: jq.failed,
		});
		expect(Object.fromEntries(byModel.map(({ model, totalCost }) => [model, cents(totalCost)]))).toEqual(
			Object.fromEntries(Object.entries(jq.models).map(([model, cost]) => [model, cents(cost)])),
		);
	},
);

test("days are those of the user, also where summer time ends and in zones of half hours", async () => {
	const user = place(200, 2);
	using stats = open(user);
	await stats.sync();
	const zone = process.env.TZ;
	try {
		for (const name of ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns"]) {
			process.env.TZ = name;
			const days = new Map<number, number>();
			for (const { hour, answers } of sumsBy(stats.database, all, ["hour"]))
				days.set(startOfDay(hour), (days.get(startOfDay(hour)) ?? 0) + answers);
			const { timeSeries } = dashboardStats(stats.database, all);
			expect(new Map(timeSeries.map(({ timestamp, requests }) => [timestamp, requests])), name).toEqual(
				new Map([...days].toSorted(([a], [b]) => a - b)),
			);
		}
	} finally {
		if (zone === undefined) delete process.env.TZ;
		else process.env.TZ = zone;
	}
});

test("a session that grew is read from its old end, and a torn line costs itself alone", async () => {
	const here = place(3);
	using stats = open(here);
	await stats.sync();
	const [first = "", second = ""] = here.files;
	const lines = readFileSync(second, "utf8").split("\n");
	const answer = lines.findLast((line) => line.includes('"assistant"')) ?? "";
	const later = answer.replaceAll(
		/"timestamp":(\d+)/g,
		(_, at: string) => `"timestamp":${Number(at) + 99_000}`,
	);
	appendFileSync(
		first,
		`${later.slice(0, 500)}\n{"type":"message","id":"x","message":{"role":"assistant"\n\0\0\0\n${later}\n`,
	);
	// A line that is still being written counts when it is whole.
	appendFileSync(second, later.replace('"output":', '"output":1').slice(0, -10));
	expect(await stats.sync()).toEqual({ processed: 1, files: 2 });
	appendFileSync(second, `${later.slice(-10)}\n`);
	expect(await stats.sync()).toEqual({ processed: 1, files: 1 });
	expectNaive(stats, here);
});

test("a file that shrank is read anew, and what was paid stays counted once", async () => {
	const here = place(2);
	using stats = open(here);
	await stats.sync();
	const before = overall(stats);
	const [file = ""] = here.files;
	const whole = readFileSync(file);
	truncateSync(file, Math.floor(statSync(file).size / 2));
	expect((await stats.sync()).processed).toBe(0);
	expect(overall(stats)).toEqual(before);
	writeFileSync(file, whole);
	expect((await stats.sync()).processed).toBe(0);
	expectNaive(stats, here);
});

test("a fork and a copy of a session count no answer twice", async () => {
	const here = place(1);
	using stats = open(here);
	const [file = ""] = here.files;
	const [, ...entries] = readFileSync(file, "utf8").split("\n");
	const header = {
		type: "session",
		version: 3,
		id: "fork",
		timestamp: new Date().toISOString(),
		cwd: "/w",
		parentSession: file,
	};
	writeFileSync(join(dirname(file), "z-fork.jsonl"), [JSON.stringify(header), ...entries].join("\n"));
	copyFileSync(file, join(dirname(file), "z-copy.jsonl"));
	expect((await stats.sync()).processed).toBe(4);
});

test("an answer that is in a usage line and in the log counts once, whichever is read first", async () => {
	const here = place(2);
	const { files } = here;
	const [first = "", second = ""] = files;
	const lines = new UsageLines(join(here.data, "usage"));
	const record = (file: string): void => {
		const entries = readFileSync(file, "utf8")
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		const session = entries[0].id as string;
		for (const { message } of entries.slice(1)) {
			if (message.role === "toolResult")
				lines.append({
					at: message.timestamp,
					session,
					cwd: "/w",
					tool: message.toolName,
					isError: message.isError,
					durationMs: message.durationMs,
				});
			if (message.role === "assistant")
				lines.append({
					at: message.timestamp,
					session,
					cwd: "/w",
					kind: "turn",
					...message,
					...(message.stopReason === "error" ? { failure: "overloaded" } : {}),
				});
		}
	};
	record(first);
	using stats = open(here);
	await stats.sync();
	expectNaive(stats, here);
	record(second);
	lines[Symbol.dispose]();
	expect((await stats.sync()).processed).toBe(0);
	expect(overall(stats).totalRequests).toBe(8);
});

test("processes that scan at the same time count everything once", async () => {
	const here = place(60, 6);
	const places = { home: here.home, data: here.data, env: {} };
	const scans = await Promise.all([scanInWorker(places), scanInWorker(places)]);
	using stats = open(here);
	const own = await stats.sync();
	expect([...scans, own].reduce((sum, { processed }) => sum + processed, 0)).toBe(360);
	expectNaive(stats, here);
});

test("a damaged index is built anew, and says so", async () => {
	const here = place(4);
	const notices: string[] = [];
	{
		using stats = open(here, notices);
		await stats.sync();
	}
	const path = join(here.data, "usage/stats.sqlite");
	writeFileSync(path, "this is not a database, and long enough to be read as one".repeat(200));
	{
		using stats = open(here, notices);
		await stats.sync();
		expectNaive(stats, here);
	}
	// Pages in the middle are noticed later than the head.
	const bytes = readFileSync(path);
	writeFileSync(path, bytes.fill(0xaa, 4096, bytes.length));
	using stats = open(here, notices);
	await stats.sync();
	expectNaive(stats, here);
	expect(notices).toHaveLength(2);
	for (const notice of notices) expect(notice).toContain("damaged");
});

test("an index of a later version is replaced, and one that cannot be stored is in memory", async () => {
	const here = place(2);
	{
		using stats = open(here);
		stats.database.run("PRAGMA user_version = 99");
	}
	{
		using stats = open(here);
		await stats.sync();
		expectNaive(stats, here);
	}
	const elsewhere = place(2);
	writeFileSync(join(elsewhere.data, "usage"), "a file where the directory should be");
	chmodSync(join(elsewhere.data, "usage"), 0o444);
	const notices: string[] = [];
	using stats = open(elsewhere, notices);
	await stats.sync();
	expectNaive(stats, elsewhere);
	expect(notices.join()).toContain("cannot be stored");
});

test("an answer of several megabytes is counted by the ends of its line", async () => {
	const here = place(0);
	const directory = join(here.sessions, "--w--");
	mkdirSync(directory);
	const message = {
		role: "assistant",
		content: [{ type: "text", text: 'é"],"api":"'.repeat(400_000) }],
		api: "a",
		provider: "p",
		model: "m",
		usage: {
			input: 1,
			output: 2,
			cacheRead: 3,
			cacheWrite: 4,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
		},
		stopReason: "stop",
		timestamp: 1_790_000_000_000,
	};
	const small = { ...message, content: [{ type: "text", text: "next" }], timestamp: message.timestamp + 1 };
	const entry = (value: object) =>
		JSON.stringify({
			type: "message",
			id: "1",
			parentId: null,
			timestamp: "2026-09-21T00:00:00.000Z",
			message: value,
		});
	writeFileSync(
		join(directory, "a.jsonl"),
		`${JSON.stringify({ type: "session", version: 3, id: "s", cwd: "/w" })}\n${entry(message)}\n${entry(small)}\n`,
	);
	using stats = open(here);
	expect((await stats.sync()).processed).toBe(2);
	// A model without a price is not in the sum of costs.
	expect(overall(stats)).toMatchObject({ totalCost: 0, unpricedRequests: 2, totalCacheWriteTokens: 8 });
});

test("names from files cannot write to the terminal", async () => {
	const here = place(0);
	const usage = {
		input: 1,
		output: 1,
		cacheRead: 0,
		cacheWrite: 0,
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 1 },
	};
	const lines = new UsageLines(join(here.data, "usage"));
	lines.append({
		at: 1_790_000_000_000,
		session: "s",
		cwd: "/w\u001B[31m",
		kind: "turn",
		provider: "p\u0007",
		model: "m\u001B]0;x\u0007y",
		usage,
	});
	lines[Symbol.dispose]();
	using stats = open(here);
	await stats.sync();
	const { byModel, byFolder } = dashboardStats(stats.database, all);
	expect(JSON.stringify([byModel, byFolder, sessionList(stats.database, "", 9)])).not.toMatch(
		/\\u00(?:1b|07)/,
	);
});

test("words beyond ASCII behind an answer, and more fields behind a result, are read as they were written", async () => {
	const here = place(0);
	const directory = join(here.sessions, "--w--");
	mkdirSync(directory);
	const at = 1_790_000_000_000;
	const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
	const failed = {
		role: "assistant",
		content: [],
		api: "a",
		provider: "wörld",
		model: "模型-1",
		usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, cost: none },
		stopReason: "error",
		errorMessage: "überlastet 🙂",
		timestamp: at,
	};
	const result = { role: "toolResult", toolCallId: "c", toolName: "bash", content: [] };
	const messages = [
		failed,
		{ ...result, isError: false, useless: true, timestamp: at + 1, durationMs: 7 },
		{ ...result, isError: true, timestamp: at + 2 },
		{ ...result, isError: false, timestamp: at + 3, durationMs: 5 },
	];
	const entries = messages.map((message) =>
		JSON.stringify({ type: "message", id: "1", parentId: null, timestamp: "x", message }),
	);
	const header = JSON.stringify({ type: "session", version: 3, id: "s", cwd: "/w" });
	writeFileSync(join(directory, "a.jsonl"), `${[header, ...entries].join("\n")}\n`);
	using stats = open(here);
	await stats.sync();
	expect(recentErrors(stats.database, all, 9)).toMatchObject([
		{ provider: "wörld", model: "模型-1", errorMessage: "überlastet 🙂" },
	]);
	expect(toolStats(stats.database, all)).toMatchObject([{ tool: "bash", calls: 3, errors: 1 }]);
});

test("a summary names ten projects, and where the others are", async () => {
	const user = place(24, 1);
	using stats = open(user);
	await stats.sync();
	const lines = summaryLines(stats.database, all, "all").join("\n");
	expect(lines).toContain("… 10 more: tau stats --by project");
	expect(tableLines(stats.database, all, "project")).toHaveLength(20);
});
