/** What a process holds, as the kernel counts it. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Sample {
	turn: number;
	/** Resident memory of the process alone, in MB. */
	memory: number;
	files: number;
	threads: number;
	/** Processes below it, at any depth. */
	processes: number;
	/** Files and directories in the temporary directory. */
	temporary: number;
}

export const held = ["memory", "files", "threads", "processes", "temporary"] as const;

export async function takeSample(pid: number, turn: number, temporary: string): Promise<Sample> {
	const status = await readFile(`/proc/${pid}/status`, "utf8");
	const count = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
	return {
		turn,
		memory: count("VmRSS") / 1024,
		// Tau hides its descriptors from programs of the same user; how large their table is can be read.
		files: await readdir(`/proc/${pid}/fd`).then(
			(names) => names.length,
			() => count("FDSize"),
		),
		threads: count("Threads"),
		processes: await descendants(pid),
		temporary: (await readdir(temporary, { recursive: true })).length,
	};
}

async function descendants(pid: number): Promise<number> {
	const parents = new Map<number, number>();
	for (const name of await readdir("/proc")) {
		if (!/^\d+$/.test(name)) continue;
		// It may have ended since.
		const stat = await readFile(join("/proc", name, "stat"), "utf8").catch(() => "");
		const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(stat) ?? [];
		if (parent !== undefined) parents.set(Number(name), Number(parent));
	}
	const isBelow = (child: number): boolean => {
		const parent = parents.get(child);
		return parent === pid || (parent !== undefined && parent > 1 && isBelow(parent));
	};
	return [...parents.keys()].filter(isBelow).length;
}

export interface Growth {
	what: (typeof held)[number];
	early: number;
	late: number;
	isFlat: boolean;
}

/** How much each may grow from the second quarter of the run to the last one. */
const allowed: Readonly<Record<Growth["what"], (early: number) => number>> = {
	memory: (early) => Math.max(15, early * 0.1),
	files: () => 2,
	threads: () => 2,
	processes: () => 1,
	temporary: () => 5,
};

export function growthOf(samples: readonly Sample[]): Growth[] {
	const quarter = Math.floor(samples.length / 4);
	const [early, late] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
	return held.map((what) => {
		const [before, after] = [median(early, what), median(late, what)];
		return { what, early: before, late: after, isFlat: after - before <= allowed[what](before) };
	});
}

function median(samples: readonly Sample[], what: Growth["what"]): number {
	const sorted = samples.map((sample) => sample[what]).toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
