/** The interactive mode under a real terminal: how soon it takes keys, how fast a key is seen, what an answer costs. */
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { answering, figuresOf, ourselves, tauOf, type Figures } from "./contender.ts";
import { homeFor, modelName } from "./home.ts";
import { measurePeers, type Measured } from "./peers.ts";
import { median, Program } from "./program.ts";
import { readAnew, thisBuild, type Build } from "./release.ts";
import type { Row } from "./report.ts";
import { writeLongSession } from "./session-log.ts";
import { writeUncompactedSession } from "./uncompacted-session.ts";

const resumeRounds = 5;
/** Nothing that the program draws by itself has it. */
const probe = "zqzq";

export async function interactive(withPeers: boolean, release?: Build): Promise<Row[]> {
	readAnew(release ? [thisBuild, release] : [thisBuild]);
	const ours = await figuresOf(ourselves);
	const before = release && { name: release.name, figures: await figuresOf(tauOf(release)) };
	const peers = withPeers ? await measurePeers() : [];
	const twice = await answering(ourselves, { chars: 400_000, chunks: 8000 });
	const row = (name: string, unit: string, budget: number, figure: (figures: Figures) => number): Row => ({
		name,
		value: figure(ours),
		unit,
		budget,
		...beside(ours, peers, figure),
		...(before ? { release: { name: before.name, value: figure(before.figures) } } : {}),
	});
	return [
		row("launch to a prompt that takes keys", "ms", 60, ({ launchMs }) => launchMs),
		row("key to screen", "ms", 1.5, ({ keyMs }) => keyMs),
		row("key to screen while an answer streams", "ms", 2.5, ({ streamingKeyMs }) => streamingKeyMs),
		// Less than a millisecond is a timer that went off once.
		row("10 s in which nothing happens", "ms of CPU", 1, ({ idleMs }) => idleMs),
		row("memory at rest", "MB", 62, ({ residentMB }) => residentMB),
		row("200 KB in 4,000 deltas: CPU", "ms", 800, ({ answerCpuMs }) => answerCpuMs),
		// Without a color, the words, the indents and the ends of 7,000 rows are 222 KB; 22,000 changes of color are the rest.
		row("200 KB in 4,000 deltas: bytes to the terminal", "KB", 430, ({ answerBytes }) => answerBytes / 1000),
		{ name: "twice as much: CPU, as a ratio", value: twice.cpuMs / ours.answerCpuMs, unit: "x", budget: 2.5 },
		row("20 KB over 10 s: CPU", "ms", 500, ({ slowCpuMs }) => slowCpuMs),
		row("20 KB over 10 s: bytes to the terminal", "KB", 60, ({ slowBytes }) => slowBytes / 1000),
		...(await resuming(release)),
	];
}

/** `pi 0.74.2 takes 4.1x, omp: it does not install`. */
function beside(
	ours: Figures,
	peers: readonly Measured[],
	figure: (figures: Figures) => number,
): Pick<Row, "beside"> {
	if (peers.length === 0) return {};
	const said = peers.map((peer) => {
		if ("reason" in peer) return `${peer.name}: ${peer.reason}`;
		const theirs = figure(peer.figures);
		// Of nothing there is no multiple.
		const ratio = figure(ours) < 0.1 ? "" : ` (${(theirs / figure(ours)).toFixed(1)}x)`;
		return `${peer.name} ${theirs.toFixed(1)}${ratio}`;
	});
	return { beside: said.join(", ") };
}

interface Resumed {
	name: string;
	write(path: string, cwd: string): void;
	budget: { ms: number; MB: number };
}

const sessions: readonly Resumed[] = [
	{
		name: "resume 50 MB, 10,000 entries, compacted,",
		write: (path, cwd) => writeLongSession(path, cwd),
		budget: { ms: 200, MB: 110 },
	},
	{
		name: "resume 46 MB, 10,000 messages, all of them context,",
		write: (path, cwd) => writeUncompactedSession(path, cwd, { messages: 10_000, megabytes: 46 }),
		budget: { ms: 150, MB: 95 },
	},
	{
		name: "resume 4 MB, 2,000 messages, all of them context,",
		write: (path, cwd) => writeUncompactedSession(path, cwd, { messages: 2000, megabytes: 4 }),
		budget: { ms: 110, MB: 75 },
	},
];

async function resuming(release: Build | undefined): Promise<Row[]> {
	const rows: Row[] = [];
	for (const session of sessions) {
		const [ms, MB, keyMs] = await resumingOne(session, thisBuild);
		const before = release && (await resumingOne(session, release));
		const row = (what: string, unit: string, budget: number, value = Number.NaN, then?: number): Row => ({
			name: `${session.name} ${what}`,
			value,
			unit,
			budget,
			...(release && then !== undefined ? { release: { name: release.name, value: then } } : {}),
		});
		rows.push(
			row("to its end and a key", "ms", session.budget.ms, ms, before?.[0]),
			row("memory", "MB", session.budget.MB, MB, before?.[1]),
			row("key to screen", "ms", 2, keyMs, before?.[2]),
		);
	}
	return rows;
}

/** Milliseconds until the end of the conversation is on the screen and keys are taken; memory; milliseconds of a key. */
async function resumingOne({ write }: Resumed, { tau }: Build): Promise<number[]> {
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	using home = homeFor(played);
	const path = join(home.project, "long.jsonl");
	write(path, home.project);
	const samples: [number[], number[], number[]] = [[], [], []];
	const command = [tau, "--model", modelName, "--session", path];
	for (let round = -1; round < resumeRounds; round++) {
		const started = performance.now();
		await using program = new Program({ command, cwd: home.project, env: home.env });
		await program.until("played-1");
		await program.untilTyped(probe);
		const ms = performance.now() - started;
		await Bun.sleep(500);
		if (round < 0) continue;
		for (const [at, value] of [ms, program.residentMB(), await program.keyMs()].entries())
			samples[at]?.push(value);
	}
	return samples.map(median);
}
