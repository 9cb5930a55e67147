/** How long it takes until an agent has a tree of its own, in a project of 50,000 files, beside `git worktree add`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { localMachine } from "@tau/sys";
import { isolate } from "@tau/machines/isolation";

import { times, type Row } from "./report.ts";

const directories = 1000;
const filesEach = 50;
const rounds = 15;
const { signal } = new AbortController();

export async function isolation(): Promise<Row[]> {
	const home = mkdtempSync(join(tmpdir(), "tau-bench-isolation-"));
	try {
		const root = join(home, "project");
		plant(root);
		const worktree = timed(() => git(root, "worktree", "add", "-q", "--detach", join(home, "worktree")));
		const [made, merged] = await overlays(root, join(home, "trees"));
		return [
			{
				name: "an isolated tree of 50,000 files",
				value: made,
				unit: "ms",
				budget: 30,
				beside: times(made, worktree, "git worktree add"),
			},
			{ name: "merging 10 files of it", value: merged, unit: "ms", budget: 100 },
		];
	} finally {
		Bun.spawnSync(["chmod", "-R", "u+rwX", home]);
		rmSync(home, { recursive: true, force: true });
	}
}

/** The medians of making a tree, and of merging it. */
async function overlays(root: string, directory: string): Promise<[made: number, merged: number]> {
	const [made, merged]: [number[], number[]] = [[], []];
	for (let round = 0; round < rounds; round++) {
		const began = performance.now();
		await using tree = await isolate(localMachine(), { root, cwd: root, mode: "overlay", directory, signal });
		made.push(performance.now() - began);
		const { files } = tree.machine;
		for (let at = 0; at < 10; at++) {
			const before = await files.readText("file", join(root, `d${at}/f0.ts`));
			if (!before.ok) throw new Error(before.reason);
			await files.commit([{ before, after: { text: `round ${round}\n`, hasBom: false } }], { signal });
		}
		const start = performance.now();
		const outcome = await tree.merge({ signal });
		merged.push(performance.now() - start);
		if (outcome.merged.length !== 10) throw new Error(JSON.stringify(outcome));
	}
	return [median(made), median(merged)];
}

function plant(root: string): void {
	for (let directory = 0; directory < directories; directory++) {
		const path = join(root, `d${directory}`);
		mkdirSync(path, { recursive: true });
		for (let file = 0; file < filesEach; file++)
			writeFileSync(join(path, `f${file}.ts`), `export const n${file} = ${directory};\n`);
	}
	git(root, "init", "-q", ".");
	// Large files go into a pack at once: 50,000 loose objects take a minute.
	git(root, "-c", "core.bigFileThreshold=1", "add", "-A");
	git(root, "commit", "-qm", "all");
}

function git(cwd: string, ...args: string[]): void {
	const identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
	const { exitCode, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd });
	if (exitCode !== 0) throw new Error(stderr.toString());
}

function timed(work: () => void): number {
	const began = performance.now();
	work();
	return performance.now() - began;
}

function median(values: readonly number[]): number {
	return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
