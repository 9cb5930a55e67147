/** Work on another machine over loopback: commands after the first, and files, beside a new session of ControlMaster. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { SearchEvent } from "@tau/sys";
import { openSshMachine } from "@tau/machines/ssh";

import { testSshd } from "../test/support/sshd.ts";
import { times, type Row } from "./report.ts";

const rounds = 60;
const { signal } = new AbortController();

export async function ssh(): Promise<Row[]> {
	await using sshd = await testSshd();
	const destination = { name: "box", host: "box" };
	const options = { destination, env: process.env, config: sshd.config };
	const started = performance.now();
	await using box = await openSshMachine(options, sshd.work, signal);
	const connected = performance.now() - started;
	const { files, shell } = box.machine;
	const path = join(sshd.work, "a.ts");
	writeFileSync(path, "export const one = 1;\n".repeat(200));
	await using session = shell.session({ cwd: sshd.work, env: {} });
	const run = { command: "true", timeoutMs: 60_000, signal, onOutput() {} };
	const client = await box.connection.clientCommand(signal, "-T", "--", "box", "true");
	let edits = 0;
	const found: SearchEvent[] = [];
	const medians = await inTurns({
		plain: () => Bun.spawn(["ssh", "-F", sshd.config, "box", "true"], silent).exited,
		mux: () => Bun.spawn(client, silent).exited,
		ping: () => box.connection.ping(),
		command: () => session.run(run),
		read: () => files.read(path, { signal, maxBytes: 1_000_000 }),
		edit: async () => {
			const before = await files.readText("a.ts", path);
			if (!before.ok) throw new Error(before.reason);
			const done = await files.commit([{ before, after: { text: `${++edits}\n`, hasBom: false } }], {
				signal,
			});
			if (!done.ok) throw new Error(done.reason);
		},
		grep: () =>
			files.search({ pattern: "\\d+", paths: [path], cwd: sshd.work }, (event) => void found.push(event)),
	});
	const row = (name: string, value: number, budget: number): Row => ({
		name,
		value,
		unit: "ms",
		budget,
		beside: times(value, medians.mux, "a session of ControlMaster"),
	});
	return [
		{
			name: "connecting",
			value: connected - medians.plain,
			unit: "ms over ssh host true",
			// It also asks what the other machine has.
			budget: 60,
			beside: times(connected, medians.plain, "ssh host true"),
		},
		row("a command after the first", medians.command, 2),
		row("reading a file", medians.read, 5),
		row("reading and changing a file", medians.edit, 5),
		row("searching a file", medians.grep, 5),
	];
}

const silent = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;

/** In turns, so that a busy machine is busy for all; the first round fills caches and is thrown away. */
async function inTurns<N extends string>(
	ways: Record<N, () => Promise<unknown>>,
): Promise<Record<N, number>> {
	const names = Object.keys(ways) as N[];
	const samples = new Map<N, number[]>(names.map((name) => [name, []]));
	for (let round = -1; round < rounds; round++) {
		for (const name of names) {
			const begin = performance.now();
			await ways[name]();
			if (round >= 0) samples.get(name)?.push(performance.now() - begin);
		}
	}
	const middle = (values: readonly number[]): number =>
		values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
	return Object.fromEntries(names.map((name) => [name, middle(samples.get(name) ?? [])])) as Record<
		N,
		number
	>;
}
