/** Commands that a program runs in a session, with what they printed left for the model. */
import type { LiveHost } from "@tau/extensions/assembly";
import { createLocalBashOperations, type BashOperations } from "@tau/extensions/api";
import type { BashExecutionMessage } from "@tau/session";
import { OutputSink } from "@tau/tools/output";

export interface BashResult {
	output: string;
	exitCode?: number | undefined;
	cancelled: boolean;
	truncated: boolean;
}

export interface BashChoices {
	/** The model does not see it. */
	excludeFromContext?: boolean;
	/** Run it elsewhere. */
	operations?: BashOperations;
}

export class SessionBash implements AsyncDisposable {
	readonly #host: LiveHost;
	readonly #record: (message: BashExecutionMessage) => void;
	readonly #running = new Map<AbortController, Promise<BashResult>>();

	constructor(host: LiveHost, record: (message: BashExecutionMessage) => void) {
		this.#host = host;
		this.#record = record;
	}

	get isRunning(): boolean {
		return this.#running.size > 0;
	}

	run(
		command: string,
		onChunk: (chunk: string) => void = () => {},
		choices: BashChoices = {},
	): Promise<BashResult> {
		const abort = new AbortController();
		const running = this.#execute(command, onChunk, choices, abort.signal).finally(() =>
			this.#running.delete(abort),
		);
		this.#running.set(abort, running);
		return running;
	}

	keep(command: string, result: BashResult, { excludeFromContext }: BashChoices = {}): void {
		this.#record({
			role: "bashExecution",
			command,
			output: result.output,
			exitCode: result.exitCode,
			cancelled: result.cancelled,
			truncated: result.truncated,
			...(excludeFromContext ? { excludeFromContext } : {}),
			timestamp: Date.now(),
		});
	}

	/** Resolves when all have ended. */
	async stop(): Promise<void> {
		const ending = [...this.#running];
		for (const [abort] of ending) abort.abort();
		await Promise.allSettled(ending.map(([, running]) => running));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
	}

	async #execute(
		command: string,
		onChunk: (chunk: string) => void,
		choices: BashChoices,
		signal: AbortSignal,
	): Promise<BashResult> {
		const { operations = createLocalBashOperations() } = choices;
		using sink = new OutputSink({ tool: "bash" });
		const { exitCode } = await operations.exec(command, this.#host.log.getCwd(), {
			signal,
			env: this.#host.env,
			onData(data) {
				sink.push(data);
				onChunk(data.toString("utf8"));
			},
		});
		const { text: output, truncated } = sink.summary();
		const result = { output, exitCode: exitCode ?? undefined, cancelled: signal.aborted, truncated };
		this.keep(command, result, choices);
		return result;
	}
}
