/** `tau attach` as a whole program, and what sessions without a terminal take of memory. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { homeFor, modelName, tau, type Home } from "./home.ts";
import { median, Program } from "./program.ts";
import type { Row } from "./report.ts";
import { writeUncompactedSession } from "./uncompacted-session.ts";

const rounds = 5;
const idleSessions = 4;
/** Nothing that the program draws by itself has it. */
const probe = "zqzq";
/** Longer than the closing of an idle session takes. */
const patienceMs = 60_000;

export async function attached(): Promise<Row[]> {
	return [...(await joining()), ...(await idleSession())];
}

/** The end of the conversation is on the screen, and keys are taken. */
async function joining(): Promise<Row[]> {
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	using home = homeFor(played);
	const path = join(home.project, "long.jsonl");
	writeUncompactedSession(path, home.project, { messages: 10_000, megabytes: 46 });
	const { env, project: cwd } = home;
	await using owner = new Program({
		command: [tau, "--model", modelName, "--session", path],
		cwd,
		env,
	});
	await owner.until("played-1");
	await owner.untilTyped(probe);
	const [times, cpu]: number[][] = [[], []];
	for (let round = -1; round < rounds; round++) {
		const started = performance.now();
		await using joined = new Program({ command: [tau, "attach"], cwd, env });
		await joined.until("played-1");
		await joined.untilTyped(probe);
		if (round < 0) continue;
		times?.push(performance.now() - started);
		cpu?.push(joined.cpuMs());
	}
	return [
		{
			name: "tau attach to a session of 46 MB, to its end and a key",
			value: median(times ?? []),
			unit: "ms",
			budget: 150,
			beside: `${median(cpu ?? []).toFixed(0)} ms of processor time`,
		},
	];
}

/** While they wait to be closed, and when they are. */
async function idleSession(): Promise<Row[]> {
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	using home = homeFor(played);
	try {
		const pids: number[] = [];
		const own: number[] = [];
		const sizes: number[] = [];
		for (let at = 0; at < idleSessions; at++) {
			await detach(home);
			const pid = await newestIdle(home, pids);
			pids.push(pid);
			own.push(ownMB(pid));
			sizes.push(kilobytes(pid, "status", /VmRSS:\s+(\d+)/) / 1024);
		}
		return [
			{
				name: "one more detached session until it is closed, memory that no other shares",
				value: median(own.slice(1)),
				unit: "MB",
				budget: 30,
				beside: `${median(sizes).toFixed(0)} MB resident`,
			},
			{
				name: "one more idle detached session",
				value: (await closedMB(home)) / idleSessions,
				unit: "MB",
				budget: 12,
			},
		];
	} finally {
		await run(home, ["daemon", "stop"]);
	}
}

/** What all sessions take when none has anything to do. */
async function closedMB(home: Home): Promise<number> {
	for (const end = performance.now() + patienceMs; performance.now() < end;) {
		const pids = (await rowsOf(home)).flatMap(({ pid }) => (pid === null ? [] : [pid]));
		if (pids.length === 0) return 0;
		await Bun.sleep(500);
	}
	const left = (await rowsOf(home)).flatMap(({ pid }) => (pid === null ? [] : [pid]));
	return left.reduce((sum, pid) => sum + ownMB(pid), 0);
}

async function detach(home: Home): Promise<void> {
	await run(home, ["--model", modelName, "--detach", "hello"]);
}

interface ListedRow {
	pid: number | null;
	phase: string;
}

async function rowsOf(home: Home): Promise<ListedRow[]> {
	const out = await run(home, ["ps", "--json"]);
	return out
		.split("\n")
		.filter(Boolean)
		.map((line): ListedRow => JSON.parse(line));
}

async function newestIdle(home: Home, known: readonly number[]): Promise<number> {
	for (const end = performance.now() + patienceMs; performance.now() < end;) {
		const idle = (await rowsOf(home)).filter(({ phase }) => phase === "idle");
		const pid = idle.flatMap((row) => row.pid ?? []).find((each) => !known.includes(each));
		if (pid !== undefined) return pid;
	}
	throw new Error("the session is never idle");
}

async function run({ env, project: cwd }: Home, args: readonly string[]): Promise<string> {
	// What a run of Bun starts ends with it, unless this is unset: a daemon stays.
	const own = { ...process.env, BUN_FEATURE_FLAG_NO_ORPHANS: undefined };
	const child = Bun.spawn([tau, ...args], {
		cwd,
		env: { ...own, ...env },
		stdout: "pipe",
		stderr: "pipe",
	});
	const out = await new Response(child.stdout).text();
	if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
	return out;
}

/** What ends with the process: the program itself is in memory once for all of them. */
function ownMB(pid: number): number {
	const kinds = [/^Private_Dirty:\s+(\d+)/m, /^Private_Clean:\s+(\d+)/m];
	return kinds.reduce((sum, kind) => sum + kilobytes(pid, "smaps_rollup", kind), 0) / 1024;
}

function kilobytes(pid: number, file: string, pattern: RegExp): number {
	return Number(pattern.exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))?.[1] ?? 0);
}
