/** Runs the commands that the person gives, and leaves what they printed for the model to read. */
import { commandEnvironment, ShellSession } from "@tau/sys";
import type { Env } from "@tau/utils";
import type { BashOperations } from "@tau/extensions/api";
import type { BashExecutionMessage } from "@tau/session";
import { Refusal } from "@tau/session/run";
import { OutputSink } from "@tau/tools/output";

import { limits } from "./limits.ts";
import type { RpcBashResult } from "./protocol.ts";

type BashOutcome = Pick<BashExecutionMessage, "output" | "exitCode" | "cancelled" | "truncated">;

export class BashDesk implements AsyncDisposable {
	readonly #record: (message: BashExecutionMessage) => void;
	readonly #running = new Map<AbortController, Promise<RpcBashResult>>();
	/** What a command sets is there for the next one, as long as the session stays in its directory. */
	#shell: { cwd: string; session: ShellSession } | undefined;

	constructor(record: (message: BashExecutionMessage) => void) {
		this.#record = record;
	}

	/** `by` runs it elsewhere. */
	run(command: string, cwd: string, env: Env, by?: BashOperations): Promise<RpcBashResult> {
		if (this.#running.size >= limits.bashCommands)
			throw new Refusal(`${limits.bashCommands} commands are running: wait for one, or abort_bash.`);
		const abort = new AbortController();
		const work = by
			? this.#executeBy(by, command, cwd, abort.signal)
			: this.#execute(command, cwd, env, abort.signal);
		const running = work.finally(() => this.#running.delete(abort));
		this.#running.set(abort, running);
		return running;
	}

	/** Resolves when all have ended, with everything that they had started. */
	async stop(): Promise<void> {
		const ending = [...this.#running];
		for (const [abort] of ending) abort.abort();
		await Promise.allSettled(ending.map(([, running]) => running));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
		await this.#shell?.session[Symbol.asyncDispose]();
		this.#shell = undefined;
	}

	async #execute(command: string, cwd: string, env: Env, signal: AbortSignal): Promise<RpcBashResult> {
		const session = await this.#shellIn(cwd, env);
		using sink = new OutputSink({ tool: "bash" });
		const { exitCode, stopped } = await session.run({
			command,
			timeoutMs: limits.bashMs,
			signal,
			onOutput: (chunk) => sink.push(chunk),
		});
		const { text: output, truncated } = sink.summary();
		return this.keep(command, { output, exitCode, cancelled: stopped !== undefined, truncated });
	}

	async #executeBy(
		by: BashOperations,
		command: string,
		cwd: string,
		signal: AbortSignal,
	): Promise<RpcBashResult> {
		using sink = new OutputSink({ tool: "bash" });
		const { exitCode } = await by.exec(command, cwd, { onData: (data) => sink.push(data), signal });
		const { text: output, truncated } = sink.summary();
		const cancelled = signal.aborted;
		return this.keep(command, { output, exitCode: exitCode ?? undefined, cancelled, truncated });
	}

	/** Leaves what a command printed for the model. */
	keep(command: string, outcome: BashOutcome): RpcBashResult {
		const { output, exitCode, cancelled, truncated } = outcome;
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

	async #shellIn(cwd: string, env: Env): Promise<ShellSession> {
		const last = this.#shell;
		if (last?.cwd === cwd) return last.session;
		const session = new ShellSession({ cwd, env: commandEnvironment(env) });
		this.#shell = { cwd, session };
		await last?.session[Symbol.asyncDispose]();
		return session;
	}
}
