/** What recording the changes of commands costs in a project of 50,000 files, beside a shadow git repository. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { FileHistory, FileRecorder } from "@tau/log/journal";

import { times, type Row } from "./report.ts";

const directories = 1000;
const filesEach = 50;
const turns = 9;
/** They fill caches and are thrown away. */
const warmUps = 4;
const changedEach = 10;

export async function rewinding(): Promise<Row[]> {
	const home = mkdtempSync(join(tmpdir(), "tau-bench-rewind-"));
	try {
		const root = join(home, "project");
		plant(root);
		git(root, "init", "-q", ".");
		// Large files go into a pack at once: 50,000 loose objects take a minute.
		git(root, "-c", "core.bigFileThreshold=1", "add", "-A");
		git(root, "commit", "-qm", "all");
		return await measured(home, root);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

interface Turn {
	tau: number;
	idle: number;
	/** Only every third turn: it takes long. */
	shadow?: number;
	shadowIdle?: number;
}

async function measured(home: string, root: string): Promise<Row[]> {
	const directory = join(home, "session");
	const heads: { id: string; parentId: null; type: "message"; timestamp: string }[] = [];
	const log = { getHeads: () => heads, getLeafId: () => null, getEntry: () => undefined };
	const history = new FileHistory({ directory: () => directory, isStored: () => true, root, log });
	using recorder = new FileRecorder(
		{
			root,
			isEnabled: () => true,
			maxBytes: () => Infinity,
			isOwn: () => false,
			onNotice: () => {},
			onRecorded: () => {},
		},
		history,
	);
	const started = performance.now();
	recorder.prepare();
	await recorder.idle();
	const first = performance.now() - started;
	const shadow = join(home, "shadow");
	git(root, "init", "-q", "--bare", shadow);
	// It borrows the objects of the repository, as the fastest of the peers does.
	writeFileSync(join(shadow, "objects/info/alternates"), `${join(root, ".git/objects")}\n`);
	shadowTurn(shadow, root);
	const samples: Turn[] = [];
	for (let turn = -warmUps; turn < turns; turn++) {
		heads.push({ id: String(turn), parentId: null, type: "message", timestamp: new Date().toISOString() });
		const sample = await oneTurn(recorder, shadow, root, turn);
		if (turn >= 0) samples.push(sample);
	}
	const stored = sizeOf(directory);
	const restore = await restored(history);
	return rows(samples, { first, restore, stored });
}

function rows(
	samples: readonly Turn[],
	{ first, restore, stored }: Record<"first" | "restore" | "stored", number>,
): Row[] {
	const middle = (value: (turn: Turn) => number | undefined): number => {
		const values = samples.flatMap((sample) => value(sample) ?? []).toSorted((one, two) => one - two);
		return values[values.length >> 1] ?? Number.NaN;
	};
	const [tau, idle, git50, gitIdle] = [
		middle((each) => each.tau),
		middle((each) => each.idle),
		middle((each) => each.shadow),
		middle((each) => each.shadowIdle),
	];
	const changed = (turns + warmUps) * changedEach * 2 * body.length;
	return [
		{
			name: "first command, 50,000 files",
			value: first,
			unit: "ms",
			budget: 4000,
			beside: "in the background",
		},
		{
			name: "a command that changes 10 files",
			value: tau,
			unit: "ms",
			budget: 10,
			beside: times(git50, tau, "Tau"),
		},
		{
			name: "the same, of a shadow git",
			value: (tau / git50) * 50,
			unit: "/50",
			budget: 1,
			beside: `${git50.toFixed(0)} ms`,
		},
		{
			name: "a command that changes nothing",
			value: idle,
			unit: "ms",
			budget: 0.5,
			beside: `git ${gitIdle.toFixed(0)} ms`,
		},
		{
			name: "stored, of the changed bytes",
			value: stored / changed,
			unit: "x",
			budget: 1.2,
			beside: `${stored} bytes`,
		},
		{ name: "restoring 10 files", value: restore, unit: "ms", budget: 20, beside: "" },
	];
}

async function oneTurn(recorder: FileRecorder, shadow: string, root: string, turn: number): Promise<Turn> {
	const timed = async (work: () => void | Promise<void>): Promise<number> => {
		const started = performance.now();
		await work();
		return performance.now() - started;
	};
	const id = String(turn);
	let tau = await timed(() => recorder.commandStarting(id));
	change(root, turn);
	tau += await timed(() => recorder.commandEnded(id));
	const idle = await timed(async () => {
		await recorder.commandStarting("idle");
		await recorder.commandEnded("idle");
	});
	if (turn % 3 !== 0) return { tau, idle };
	return {
		tau,
		idle,
		shadow: await timed(() => shadowTurn(shadow, root)),
		shadowIdle: await timed(() => shadowTurn(shadow, root)),
	};
}

/** By a shell, as a command of a model would. */
function change(root: string, turn: number): void {
	const paths = Array.from({ length: changedEach }, (_, at) => path((turn + warmUps) * 37 + at * 83, at));
	const { exitCode } = Bun.spawnSync(["sh", "-c", `for f do echo ${turn} >> "$f"; done`, "sh", ...paths], {
		cwd: root,
	});
	if (exitCode !== 0) throw new Error("the files were not changed");
}

/** The middle of several, each of which is taken back. */
async function restored(history: FileHistory): Promise<number> {
	const samples: number[] = [];
	for (let turn = 0; turn < turns; turn++) {
		const started = performance.now();
		const plan = await history.plan(history.momentBefore(String(turns - 1)));
		const { restored: done } = await history.restore(plan, () => false);
		const time = performance.now() - started;
		if (done.length !== changedEach) throw new Error(`${done.length} files were restored`);
		const redo = await history.redoPlan();
		if (redo) await history.restore(redo, () => false);
		samples.push(time);
	}
	return samples.toSorted((one, two) => one - two)[turns >> 1] ?? Number.NaN;
}

/** What a shadow repository does for each snapshot: a tree of everything. */
function shadowTurn(shadow: string, root: string): void {
	git(root, `--git-dir=${shadow}`, `--work-tree=${root}`, "add", "-A");
	git(root, `--git-dir=${shadow}`, `--work-tree=${root}`, "write-tree");
}

function git(cwd: string, ...args: string[]): void {
	const name = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"];
	const { exitCode, stderr } = Bun.spawnSync(["git", ...name, ...args], { cwd });
	if (exitCode !== 0) throw new Error(stderr.toString());
}

const body = "export const value = compute(one, two, three); // some text here\n".repeat(15);

function path(directory: number, file: number): string {
	return `pkg${directory % directories}/lib/file${file % filesEach}.ts`;
}

function plant(root: string): void {
	for (let directory = 0; directory < directories; directory++) {
		mkdirSync(join(root, `pkg${directory}/lib`), { recursive: true });
		for (let file = 0; file < filesEach; file++)
			writeFileSync(join(root, path(directory, file)), `${directory} ${file}\n${body}`);
	}
}

function sizeOf(directory: string): number {
	return readdirSync(directory)
		.map((name) => statSync(join(directory, name)).size)
		.reduce((sum, size) => sum + size, 0);
}
