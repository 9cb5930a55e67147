/** What a command costs over a bare `bash -c`, in a session and by itself. */
import { join } from "node:path";

import { times, type Row } from "./report.ts";

const rounds = 60;
const door = join(import.meta.dir, "../packages/sys/src/index.ts");

type Way = "bare" | "alone" | "session" | "full";
type Medians = Record<Way, number>;

export async function shell(): Promise<Row[]> {
	const { bare, ...ours } = await medians();
	const row = (name: string, value: number): Row => ({
		name,
		value: value - bare,
		unit: "ms over bash -c",
		budget: 8,
		beside: times(value, bare, "bash -c"),
	});
	return [
		row("a command by itself", ours.alone),
		row("a command in a session", ours.session),
		row("the same with 50 KB of the user's functions", ours.full),
	];
}

/** In a process of its own, as a program would: what the benchmarks have loaded slows the start of others down. */
async function medians(): Promise<Medians> {
	const code = `
		import { tmpdir } from "node:os";
		import { commandEnvironment, runShell, ShellSession } from ${JSON.stringify(door)};
		const cwd = tmpdir();
		const env = commandEnvironment(process.env);
		const rest = { command: "true", timeoutMs: 60_000, signal: new AbortController().signal, onOutput() {} };
		// What a user's rc file leaves behind is part of the state that is kept after each command.
		const loaded = Array.from({ length: 400 }, (_, n) => "fn" + n + "() { echo " + "word ".repeat(20) + "; }");
		const session = new ShellSession({ cwd, env });
		const full = new ShellSession({ cwd, env, snapshot: async () => loaded.join("\\n") });
		const bare = () => Bun.spawn(["bash", "-c", "true"], { cwd, env, stdio: ["ignore", "pipe", "pipe"] }).exited;
		const ways = {
			bare,
			alone: () => runShell({ ...rest, cwd, env }),
			session: () => session.run(rest),
			full: () => full.run(rest),
		};
		const samples = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
		// In turns, so that a busy machine is busy for all; the first round fills caches and is thrown away.
		for (let round = -1; round < ${rounds}; round++) {
			for (const [name, run] of Object.entries(ways)) {
				const started = performance.now();
				await run();
				if (round >= 0) samples[name].push(performance.now() - started);
			}
		}
		await Promise.all([session[Symbol.asyncDispose](), full[Symbol.asyncDispose]()]);
		const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
		const medians = Object.entries(samples).map(([name, values]) => [name, middle(values)]);
		process.stdout.write(JSON.stringify(Object.fromEntries(medians)));
	`;
	const child = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe", stderr: "inherit" });
	const result: Partial<Medians> = JSON.parse(await child.stdout.text());
	const of = (name: Way): number => result[name] ?? Number.NaN;
	return { bare: of("bare"), alone: of("alone"), session: of("session"), full: of("full") };
}
