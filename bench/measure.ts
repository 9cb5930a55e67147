/** Times commands against each other in one run, in turns, so that a busy machine is busy for all of them. */
import { writeFileSync } from "node:fs";

export interface Timed {
	name: string;
	command: string[];
	env?: Record<string, string>;
	/** Milliseconds and bytes of the middle run. */
	medianMs: number;
	bestMs: number;
	peakBytes: number;
}

export type Candidate = Pick<Timed, "name" | "command" | "env">;

export async function measure(candidates: readonly Candidate[], rounds: number): Promise<Timed[]> {
	const samples = candidates.map((): { ms: number; bytes: number }[] => []);
	// The first round fills caches and is thrown away.
	for (let round = -1; round < rounds; round++) {
		for (const [index, candidate] of candidates.entries()) {
			const sample = await once(candidate);
			if (round >= 0) samples[index]?.push(sample);
		}
	}
	return candidates.map((candidate, index) => {
		const times = (samples[index] ?? []).map(({ ms }) => ms).toSorted((a, b) => a - b);
		const sizes = (samples[index] ?? []).map(({ bytes }) => bytes).toSorted((a, b) => a - b);
		return {
			...candidate,
			medianMs: middle(times),
			bestMs: times[0] ?? Number.NaN,
			peakBytes: middle(sizes),
		};
	});
}

async function once({ name, command, env }: Candidate): Promise<{ ms: number; bytes: number }> {
	forgetOwnPeak();
	const started = performance.now();
	const child = Bun.spawn(command, {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		env: { ...process.env, ...env },
	});
	const [code, errors] = await Promise.all([child.exited, child.stderr.text()]);
	const ms = performance.now() - started;
	if (code !== 0) throw new Error(`${name} ended with ${code}: ${errors.trim()}`);
	return { ms, bytes: child.resourceUsage()?.maxRSS ?? 0 };
}

/**
 * Linux counts the peak of the process that starts a program into the program's own: from now on, ours is what we have
 * now, which is less than any Tau has. Elsewhere a start does not count it.
 */
export function forgetOwnPeak(): void {
	Bun.gc(true);
	Bun.shrink();
	if (process.platform === "linux") writeFileSync("/proc/self/clear_refs", "5");
}

function middle(sorted: readonly number[]): number {
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
