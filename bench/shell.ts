/** What a command costs over a bare `bash -c`, in a session and by itself. */
import { tmpdir } from "node:os";

import { commandEnvironment, runShell, ShellSession } from "../packages/sys/src/index.ts";

import { times, type Row } from "./report.ts";

const rounds = 60;
/** A user's rc file leaves this much behind: the state that is kept after each command. */
const loaded = Array.from({ length: 400 }, (_, index) => `fn${index}() { echo ${"word ".repeat(20)}; }`).join(
	"\n",
);

export async function shell(): Promise<Row[]> {
	const cwd = tmpdir();
	const env = commandEnvironment(process.env);
	const rest = {
		command: "true",
		timeoutMs: 60_000,
		signal: new AbortController().signal,
		onOutput: () => {},
	};
	await using session = new ShellSession({ cwd, env });
	await using full = new ShellSession({ cwd, env, snapshot: async () => loaded });
	const ways = {
		bare: async () =>
			void (await Bun.spawn(["bash", "-c", "true"], { cwd, env, stdio: ["ignore", "pipe", "pipe"] }).exited),
		alone: async () => void (await runShell({ ...rest, cwd, env })),
		session: async () => void (await session.run(rest)),
		full: async () => void (await full.run(rest)),
	};
	const samples: Record<keyof typeof ways, number[]> = { bare: [], alone: [], session: [], full: [] };
	const names = ["bare", "alone", "session", "full"] as const;
	// In turns, so that a busy machine is busy for all of them; the first round fills caches and is thrown away.
	for (let round = -1; round < rounds; round++) {
		for (const name of names) {
			const started = performance.now();
			await ways[name]();
			if (round >= 0) samples[name].push(performance.now() - started);
		}
	}
	const bare = median(samples.bare);
	const row = (name: string, key: keyof typeof ways): Row => ({
		name,
		value: median(samples[key]) - bare,
		unit: "ms over bash -c",
		budget: 8,
		beside: times(median(samples[key]), bare, "bash -c"),
	});
	return [
		row("a command by itself", "alone"),
		row("a command in a session", "session"),
		row("the same with 50 KB of the user's functions", "full"),
	];
}

function median(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
