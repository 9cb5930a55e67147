/** A directory and an environment for tests of shells, in which no leftover process is missed. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { listProcesses, readProcess, startedWith } from "../../process/table.ts";
import { ShellSession, type SessionCommand, type SessionOutcome } from "../session.ts";

export interface ShellFixture extends AsyncDisposable {
	readonly cwd: string;
	readonly env: Record<string, string>;
	readonly session: ShellSession;
	run(command: string, more?: Partial<SessionCommand>): Promise<Ran>;
	/** Aborts as soon as the command has printed `ready`; the numbers that it printed are its pids. */
	abortWhenReady(command: string): Promise<Ran & { pids: number[] }>;
	/** The running processes that were started here. */
	left(): number[];
}

export interface Ran {
	text: string;
	outcome: SessionOutcome;
}

export function shellFixture(snapshot?: () => Promise<string>): ShellFixture {
	const cwd = realpathSync(mkdtempSync(join(tmpdir(), "tau-session-")));
	const mark = `room-${crypto.randomUUID()}`;
	const env = { PATH: process.env.PATH ?? "", HOME: cwd, TAU_TEST_MARKER: mark };
	const session = new ShellSession({ cwd, env, ...(snapshot ? { snapshot } : {}) });
	const left = (): number[] =>
		listProcesses()
			.map(({ pid }) => pid)
			.filter((pid) => startedWith(pid, mark));

	async function run(command: string, more: Partial<SessionCommand> = {}): Promise<Ran> {
		const decoder = new TextDecoder();
		let text = "";
		const outcome = await session.run({
			command,
			timeoutMs: 20_000,
			signal: new AbortController().signal,
			...more,
			onOutput: (chunk) => {
				text += decoder.decode(chunk, { stream: true });
				more.onOutput?.(chunk);
			},
		});
		return { text: text + decoder.decode(), outcome };
	}

	return {
		cwd,
		env,
		session,
		run,
		left,
		async abortWhenReady(command) {
			const abort = new AbortController();
			let output = "";
			const onOutput = (chunk: Uint8Array): void => {
				output += Buffer.from(chunk).toString("latin1");
				if (output.includes("ready")) abort.abort();
			};
			const ran = await run(command, { signal: abort.signal, onOutput });
			// A shell with job control may report the job that the abort has ended: "[1]+  Terminated  sleep 100".
			const [before = ""] = ran.text.split("ready");
			return { ...ran, pids: [...before.matchAll(/\d+/g)].map(Number) };
		},
		async [Symbol.asyncDispose]() {
			await session[Symbol.asyncDispose]();
			rmSync(cwd, { recursive: true, force: true });
			// A killed process may take a moment to exit on a busy machine.
			await until("the processes of the session are gone", () => left().length === 0);
		},
	};
}

export function alive(pids: readonly number[]): number[] {
	return pids.filter((pid) => readProcess(pid) !== undefined);
}

export async function until(what: string, condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 10_000;
	while (!condition()) {
		if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
		await Bun.sleep(5);
	}
}
