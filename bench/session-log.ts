/** How long a very long session takes to open, thousands to be listed, and a message to be written. */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { times, type Row } from "./report.ts";

const entries = 10_000;
const sessions = 10_000;
const rounds = 7;
const door = join(import.meta.dir, "../packages/log/src/log/index.ts");

interface Measured {
	openMs: number;
	openMB: number;
	parseMs: number;
	parseMB: number;
	listMs: number;
	recentMs: number;
	byIdMs: number;
	statMs: number;
	appendUs: number;
	writeUs: number;
}

export async function sessionLog(): Promise<Row[]> {
	const home = mkdtempSync(join(tmpdir(), "tau-bench-log-"));
	try {
		writeLongSession(join(home, "long.jsonl"));
		writeManySessions(join(home, "agent/sessions/--work--"));
		const samples: Measured[] = [];
		// The first run fills caches and the index, and is thrown away.
		for (let round = -1; round < rounds; round++) {
			const sample = await once(home);
			if (round >= 0) samples.push(sample);
		}
		const middle = (key: keyof Measured) => median(samples.map((sample) => sample[key]));
		const beside = (one: keyof Measured, other: keyof Measured, name: string) => ({
			value: middle(one),
			beside: times(middle(one), middle(other), name),
		});
		return [
			{
				name: "open 50 MB, 10,000 entries, to its context",
				unit: "ms",
				budget: 100,
				...beside("openMs", "parseMs", "parsing it all"),
			},
			{
				name: "the same, extra memory",
				unit: "MB",
				budget: 60,
				...beside("openMB", "parseMB", "parsing it all"),
			},
			{
				name: "list 10,000 sessions",
				unit: "ms",
				budget: 200,
				...beside("listMs", "statMs", "a stat of each"),
			},
			{
				name: "find the most recent of them (-c)",
				unit: "ms",
				budget: 100,
				...beside("recentMs", "statMs", "a stat of each"),
			},
			{
				name: "find one of them by its id",
				unit: "ms",
				budget: 20,
				...beside("byIdMs", "statMs", "a stat of each"),
			},
			{
				name: "append a message of 2 KB",
				unit: "µs",
				budget: 200,
				...beside("appendUs", "writeUs", "a bare write"),
			},
		];
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

/** A process of its own each time: what was compiled and cached in one must not help the next. */
async function once(home: string): Promise<Measured> {
	const code = `
		import { openSync, readdirSync, readFileSync, statSync, writeSync } from "node:fs";
		import { join } from "node:path";
		import { mostRecentSession, SessionManager } from ${JSON.stringify(door)};
		const home = ${JSON.stringify(home)};
		const MB = () => process.memoryUsage.rss() / 1024 / 1024;
		const result = {};
		const timed = async (key, work) => {
			const started = performance.now();
			const made = await work();
			result[key] = performance.now() - started;
			return made;
		};
		let before = MB();
		const session = await timed("openMs", () => {
			const opened = SessionManager.open(join(home, "long.jsonl"));
			if (opened.buildSessionContext().messages.length < 100) throw new Error("the context is too short");
			return opened;
		});
		result.openMB = MB() - before;
		session[Symbol.dispose]();
		const list = await timed("listMs", () => SessionManager.list("/work"));
		if (list.length !== ${sessions}) throw new Error("the list has " + list.length);
		await timed("recentMs", () => mostRecentSession("/work"));
		const found = await timed("byIdMs", () => SessionManager.findById("/work", list[9].id));
		if (found !== list[9].path) throw new Error("found " + found);
		const fresh = SessionManager.create("/bench", join(home, "fresh"));
		const message = { role: "user", content: "x".repeat(2000), timestamp: 1 };
		// A thousand times: the milliseconds of all are the microseconds of one.
		const repeat = (work) => () => {
			for (let count = 0; count < 1000; count++) work();
		};
		await timed("appendUs", repeat(() => fresh.appendMessage(message)));
		fresh[Symbol.dispose]();
		const file = openSync(join(home, "bare"), "a");
		const line = Buffer.from(JSON.stringify(message));
		await timed("writeUs", repeat(() => writeSync(file, line)));
		const directory = join(home, "agent/sessions/--work--");
		await timed("statMs", () => readdirSync(directory).map((name) => statSync(join(directory, name))));
		before = MB();
		const all = await timed("parseMs", () =>
			readFileSync(join(home, "long.jsonl"), "utf8").trimEnd().split("\\n").map((text) => JSON.parse(text)));
		result.parseMB = MB() - before;
		process.stdout.write(JSON.stringify({ ...result, parsed: all.length }));
	`;
	const child = Bun.spawn([process.execPath, "-e", code], {
		env: { ...process.env, HOME: home, TAU_CONFIG_DIR: home },
		stdout: "pipe",
		stderr: "inherit",
	});
	return JSON.parse(await child.stdout.text());
}

/** Compacted now and then, as every session of this length was: no model takes 50 MB. */
export function writeLongSession(path: string, cwd = "/work"): void {
	const file = openSync(path, "w");
	const id = (count: number) => count.toString(16).padStart(8, "0");
	writeSync(file, `${header("long", cwd)}\n`);
	const text = 'const answer = "42";\n\tif (answer) return; // ünïcode\n'.repeat(88);
	for (let start = 0; start < entries; start += 500) {
		let lines = "";
		for (let count = start; count < start + 500; count++) {
			const parentId = count === 0 ? null : id(count - 1);
			const head = { id: id(count), parentId, timestamp: "2026-02-16T10:20:30.000Z" };
			const role = count % 2 === 0 ? "user" : "assistant";
			const message = {
				role,
				content: [{ type: "text", text }],
				provider: "p",
				model: "m",
				timestamp: count,
			};
			const entry =
				count % 500 === 300
					? { type: "compaction", ...head, summary: text, firstKeptEntryId: id(count - 50), tokensBefore: 1 }
					: { type: "message", ...head, message };
			lines += `${JSON.stringify(entry)}\n`;
		}
		writeSync(file, lines);
	}
	closeSync(file);
}

function writeManySessions(directory: string): void {
	mkdirSync(directory, { recursive: true });
	for (let count = 0; count < sessions; count++) {
		const id = `0193b0f0-0000-7000-8000-${String(count).padStart(12, "0")}`;
		const message = { role: "user", content: `Prompt number ${count}, and what it is about`, timestamp: 1 };
		const entry = {
			type: "message",
			id: "a",
			parentId: null,
			timestamp: "2026-02-16T10:20:30.000Z",
			message,
		};
		const lines = `${header(id)}\n${JSON.stringify(entry)}\n`;
		writeFileSync(join(directory, `2026-02-16T10-20-30-000Z_${id}.jsonl`), lines);
	}
}

function header(id: string, cwd = "/work"): string {
	const timestamp = "2026-02-16T10:20:30.000Z";
	return JSON.stringify({ type: "session", version: 3, id, timestamp, cwd });
}

function median(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
