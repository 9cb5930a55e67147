/** What the sandbox costs: in the session's shell, and for a command in a new one, beside bare bubblewrap. */
import { join } from "node:path";

import { times, type Row } from "./report.ts";

const rounds = 60;
const shellDoor = join(import.meta.dir, "../packages/sys/src/index.ts");
const sandboxFolder = join(import.meta.dir, "../packages/machines/src/sandbox");

type Way = "bare" | "fresh" | "kept" | "outside";
type Durations = Record<Way, number>;

export async function sandbox(): Promise<Row[]> {
	if (Bun.which("bwrap") === null) return [];
	const { bare, fresh, kept, outside } = await durations();
	return [
		{
			name: "a command in the session's sandboxed shell",
			value: kept - outside,
			unit: "ms over the same without",
			budget: 1,
			beside: times(kept, outside, "without"),
		},
		{
			name: "a command in a new sandboxed shell, with allowed hosts",
			value: fresh,
			unit: "ms",
			budget: 10,
			beside: `${bare.toFixed(1)} ms bare bwrap`,
		},
		{
			name: "the same beside bare bwrap",
			value: fresh / bare,
			unit: "x",
			budget: 1.5,
			beside: times(fresh, bare, "bwrap … bash -c"),
		},
	];
}

/** In a process of its own, as a program would: what the benchmarks have loaded slows the start of others down. */
async function durations(): Promise<Durations> {
	const code = `
		import { mkdtempSync, rmSync } from "node:fs";
		import { homedir, tmpdir } from "node:os";
		import { join } from "node:path";
		import { commandEnvironment, ShellSession } from ${JSON.stringify(shellDoor)};
		import { projectProfile } from ${JSON.stringify(join(sandboxFolder, "profile.ts"))};
		import { Sandbox } from ${JSON.stringify(join(sandboxFolder, "sandbox.ts"))};
		import { sandboxSupport } from ${JSON.stringify(join(sandboxFolder, "support.ts"))};
		const cwd = mkdtempSync(join(tmpdir(), "tau-bench-"));
		const env = commandEnvironment(process.env);
		const rest = { command: "true", timeoutMs: 60_000, signal: new AbortController().signal, onOutput() {} };
		const support = await sandboxSupport(process.env, join(cwd, "cache"));
		const profile = await projectProfile({ cwd, home: homedir(), network: { allow: () => true } });
		const sandbox = new Sandbox(profile, support);
		const outside = new ShellSession({ cwd, env });
		const kept = new ShellSession({ cwd, env, launcher: () => sandbox });
		const bare = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--bind", cwd, cwd, "--dev", "/dev",
			"--proc", "/proc", "--die-with-parent", "bash", "-c", "true"];
		const ways = {
			bare: () => Bun.spawn(bare, { cwd, env, stdio: ["ignore", "pipe", "pipe"] }).exited,
			fresh: async () => {
				using launched = await sandbox.launch(["bash", "-c", "true"], { cwd });
				await Bun.spawn(launched.command, {
					cwd: "/", env, stdio: ["ignore", "pipe", "pipe", null, launched.file],
				}).exited;
			},
			kept: () => kept.run(rest),
			outside: () => outside.run(rest),
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
		for (const thing of [kept, outside, sandbox]) await thing[Symbol.asyncDispose]();
		rmSync(cwd, { recursive: true, force: true });
		// A start passes through several programs: on a busy machine the median measures who else is running.
		const quick = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)];
		const durations = Object.entries(samples).map(([name, values]) => [name, quick(values)]);
		process.stdout.write(JSON.stringify(Object.fromEntries(durations)));
	`;
	const child = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe", stderr: "inherit" });
	const result: Partial<Durations> = JSON.parse(await child.stdout.text());
	const of = (name: Way): number => result[name] ?? Number.NaN;
	return { bare: of("bare"), fresh: of("fresh"), kept: of("kept"), outside: of("outside") };
}
