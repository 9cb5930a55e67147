/** Runs one shell command and owns every process that it starts. */
import { withTimeout } from "@tau/utils";

import { limits } from "../limits.ts";
import { killTree } from "../process/index.ts";

export interface ShellCommand {
	command: string;
	cwd: string;
	env: Record<string, string>;
	timeoutMs: number;
	signal: AbortSignal;
	/** Standard output and error as they come, in one stream. The chunk is only valid during the call. */
	onOutput(chunk: Uint8Array): void;
}

export interface ShellOutcome {
	/** Absent when the command was killed. */
	exitCode?: number;
	/** The signal that ended the command, by itself or by us. */
	killedBy?: string;
	/** Why we ended it. */
	stopped?: "timeout" | "abort";
	durationMs: number;
}

/** Rejects only when the shell cannot be started. */
export async function runShell(run: ShellCommand): Promise<ShellOutcome> {
	const started = performance.now();
	const shell = Bun.which("bash") ?? Bun.which("sh");
	if (!shell) throw new Error("No bash or sh on PATH: install bash to run commands.");
	using deadline = withTimeout(run.signal, run.timeoutMs, "The command ran out of time");
	const child = Bun.spawn([shell, "-c", `exec 2>&1\n${run.command}`], {
		cwd: run.cwd,
		env: run.env,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "ignore",
		// Its own session: a group of its own to kill, and no terminal to read a password from.
		detached: true,
	});
	const stop = (): void => void killTree(child.pid);
	if (deadline.signal.aborted) stop();
	else deadline.signal.addEventListener("abort", stop, { once: true });
	try {
		await drain(child, run.onOutput);
	} finally {
		deadline.signal.removeEventListener("abort", stop);
		if (deadline.signal.aborted) await killTree(child.pid);
	}
	const stopped = run.signal.aborted ? "abort" : deadline.signal.aborted ? "timeout" : undefined;
	return {
		...(child.exitCode === null ? {} : { exitCode: child.exitCode }),
		...(child.signalCode === null ? {} : { killedBy: String(child.signalCode) }),
		...(stopped === undefined ? {} : { stopped }),
		durationMs: performance.now() - started,
	};
}

/** Reads until the pipe ends; a background child that holds it open does not hold the call open. */
async function drain(
	child: Bun.Subprocess<"ignore", "pipe", "ignore">,
	onOutput: (chunk: Uint8Array) => void,
): Promise<void> {
	const reader = child.stdout.getReader();
	let lastOutput = performance.now();
	const reading = (async () => {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			lastOutput = performance.now();
			onOutput(value);
		}
	})();
	const gone = child.exited.then(async () => {
		const exited = performance.now();
		for (;;) {
			await Bun.sleep(limits.drainIdleMs / 4);
			const now = performance.now();
			if (now - lastOutput > limits.drainIdleMs || now - exited > limits.drainMaxMs) return;
		}
	});
	await Promise.race([reading, gone]);
	await reader.cancel();
	await child.exited;
}
