/** Runs the commands that the person gives, and leaves what they printed for the model to read. */
import { commandEnvironment, OutputTail, runShell } from "@tau/sys";
import type { Env } from "@tau/utils";

import type { BashExecutionMessage } from "../../session/index.ts";
import { shownOutput } from "../../tools/bash/shown-output.ts";
import { limits } from "./limits.ts";
import type { RpcBashResult } from "./protocol.ts";
import { Refusal } from "../shared/refusal.ts";

export class BashDesk {
	readonly #record: (message: BashExecutionMessage) => void;
	readonly #running = new Map<AbortController, Promise<RpcBashResult>>();

	constructor(record: (message: BashExecutionMessage) => void) {
		this.#record = record;
	}

	run(command: string, cwd: string, env: Env): Promise<RpcBashResult> {
		if (this.#running.size >= limits.bashCommands)
			throw new Refusal(`${limits.bashCommands} commands are running: wait for one, or abort_bash.`);
		const abort = new AbortController();
		const running = this.#execute(command, cwd, env, abort.signal).finally(() => this.#running.delete(abort));
		this.#running.set(abort, running);
		return running;
	}

	/** Resolves when all have ended, with everything that they had started. */
	async stop(): Promise<void> {
		const ending = [...this.#running];
		for (const [abort] of ending) abort.abort();
		await Promise.allSettled(ending.map(([, running]) => running));
	}

	async #execute(command: string, cwd: string, env: Env, signal: AbortSignal): Promise<RpcBashResult> {
		const tail = new OutputTail();
		const { exitCode, stopped } = await runShell({
			command,
			cwd,
			env: commandEnvironment(env),
			timeoutMs: limits.bashMs,
			signal,
			onOutput: (chunk) => tail.push(chunk),
		});
		const { truncated } = tail;
		const output = shownOutput(tail);
		const cancelled = stopped !== undefined;
		this.#record({
			role: "bashExecution",
			command,
			output,
			exitCode,
			cancelled,
			truncated,
			timestamp: Date.now(),
		});
		return { output, ...(exitCode === undefined ? {} : { exitCode }), cancelled, truncated };
	}
}
