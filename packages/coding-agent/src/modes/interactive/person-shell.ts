/** Runs what the person types after `!`, in the shell of the session, and shows it while it runs. */
import type { BashOperations, ResultOf } from "@tau/extensions/api";
import type { BashExecutionMessage } from "@tau/session";
import { shellSlot } from "@tau/tools/bash";
import { liveUpdates, OutputSink } from "@tau/tools/output";
import type { ToolPlace } from "@tau/tools/tool";

import type { ConversationView } from "./conversation-view.ts";
import { limits } from "./limits.ts";
import { PersonCommandView } from "./views/person-command.ts";
import type { Stage } from "./views/stage.ts";

export interface PersonShellParts {
	stage: Stage;
	view: ConversationView;
	/** Where the tools of the session work. */
	place(): ToolPlace;
	/** What an extension runs it with instead, or what it has given already. */
	instead(command: string, isPrivate: boolean): Promise<ResultOf<"user_bash"> | undefined>;
	record(message: BashExecutionMessage): void;
	/** A command has ended: files may have changed. */
	onEnd(): void;
}

export class PersonShell {
	readonly #parts: PersonShellParts;
	readonly #running = new Map<AbortController, Promise<void>>();

	constructor(parts: PersonShellParts) {
		this.#parts = parts;
	}

	get isRunning(): boolean {
		return this.#running.size > 0;
	}

	/** `isPrivate`: models do not see it. Resolves when it has ended, however that was. */
	run(command: string, isPrivate: boolean): Promise<void> {
		const abort = new AbortController();
		const running = this.#execute(command, isPrivate, abort.signal).finally(() => {
			this.#running.delete(abort);
			this.#parts.onEnd();
		});
		this.#running.set(abort, running);
		return running;
	}

	/** Resolves when all have ended, with everything that they had started. */
	async stop(): Promise<void> {
		const ending = [...this.#running];
		for (const [abort] of ending) abort.abort();
		await Promise.allSettled(ending.map(([, running]) => running));
	}

	async #execute(command: string, isPrivate: boolean, signal: AbortSignal): Promise<void> {
		const { stage, view, record } = this.#parts;
		const block = new PersonCommandView(stage, command, isPrivate);
		view.add(block);
		const started = stage.pulse.now();
		const instead = await this.#parts.instead(command, isPrivate);
		const { output, exitCode, cancelled, truncated } =
			instead?.result ?? (await this.#give(command, instead?.operations, signal, (text) => block.show(text)));
		block.finish({ output, exitCode, cancelled, tookMs: stage.pulse.now() - started });
		record({
			role: "bashExecution",
			command,
			output,
			exitCode,
			cancelled,
			truncated,
			...(isPrivate ? { excludeFromContext: true } : {}),
			timestamp: Date.now(),
		});
	}

	/** What the command has given, run in the shell of the session or `by` somebody else. */
	async #give(
		command: string,
		by: BashOperations | undefined,
		signal: AbortSignal,
		show: (text: string) => void,
	): Promise<Outcome> {
		const place = this.#parts.place();
		using sink = new OutputSink({ tool: "bash", artifacts: place.artifacts });
		const run = by ? elsewhere(by, place.cwd) : here(place);
		const { exitCode, cancelled, problem } = await attempt(run, command, sink, signal, show);
		const { text, truncated } = sink.summary();
		const output = problem === undefined ? text : [text, problem].filter(Boolean).join("\n");
		return { output, exitCode, cancelled, truncated };
	}
}

type Outcome = Pick<BashExecutionMessage, "output" | "exitCode" | "cancelled" | "truncated">;
type Run = (
	command: string,
	signal: AbortSignal,
	onOutput: (chunk: Uint8Array) => void,
) => Promise<Omit<Attempt, "problem">>;

function here(place: ToolPlace): Run {
	return async (command, signal, onOutput) => {
		const shell = place.shelf.get(shellSlot, place);
		const { exitCode, stopped } = await shell.run({ command, timeoutMs: limits.bashMs, signal, onOutput });
		return { exitCode, cancelled: stopped !== undefined };
	};
}

function elsewhere(by: BashOperations, cwd: string): Run {
	return async (command, signal, onOutput) => {
		const { exitCode } = await by.exec(command, cwd, { onData: onOutput, signal });
		return { exitCode: exitCode ?? undefined, cancelled: signal.aborted };
	};
}

interface Attempt {
	exitCode: number | undefined;
	cancelled: boolean;
	problem?: string;
}

async function attempt(
	run: Run,
	command: string,
	sink: OutputSink,
	signal: AbortSignal,
	show: (text: string) => void,
): Promise<Attempt> {
	using live = liveUpdates(() => show(sink.summary().text));
	try {
		return await run(command, signal, (chunk) => {
			sink.push(chunk);
			live.changed();
		});
	} catch (error) {
		const problem = error instanceof Error ? error.message : String(error);
		return { exitCode: undefined, cancelled: signal.aborted, problem };
	}
}
