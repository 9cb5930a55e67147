/** Runs the user's own commands and cells, and leaves their output for the model. */
import type { BashExecutionMessage, PythonExecutionMessage } from "@tau/log";
import { uuidv7 } from "@tau/utils";
import type { EventFrameOf } from "@tau/wire";

import { UserError } from "../run/user-error.ts";

import { limits } from "./limits.ts";

export interface UserCommandOptions {
	/** The model does not see the command. */
	isPrivate?: boolean;
	/** The output so far, at most a few times a second. */
	onOutput?: ((text: string) => void) | undefined;
	/** Each piece of output as it comes. */
	onChunk?: ((chunk: Uint8Array) => void) | undefined;
	/** Runs it somewhere else, such as on another machine. */
	runner?: CommandRunner | undefined;
}

export type CellLanguage = "python" | "js";

export interface UserCellOptions extends Omit<UserCommandOptions, "runner"> {
	/** Python, unless it says otherwise. */
	language?: CellLanguage | undefined;
}

export type CommandOutcome = Pick<
	BashExecutionMessage,
	"output" | "exitCode" | "cancelled" | "truncated" | "fullOutputPath"
> & { totals?: OutputTotals };

/** How much a command wrote, and how much of it its outcome shows. */
export interface OutputTotals {
	totalLines: number;
	totalBytes: number;
	outputLines: number;
	outputBytes: number;
	/** The artifact that has all of it. */
	artifactId?: string;
}

/** What is recorded of a command, and what only its caller needs to know. */
export type CommandResult = BashExecutionMessage & { totals?: OutputTotals };

/** The same of a cell. */
export type CellResult = PythonExecutionMessage & { totals?: OutputTotals };

/** Runs one command. Its failure is part of the outcome. */
export type CommandRunner = (
	command: string,
	options: {
		signal: AbortSignal;
		/** The output so far. */
		onOutput?: ((text: string) => void) | undefined;
		/** Each piece of output as it comes. */
		onChunk?: ((chunk: Uint8Array) => void) | undefined;
		/** The model does not see the command, nor a job that it becomes. */
		isPrivate?: boolean;
	},
) => Promise<CommandOutcome>;

export interface UserShellParts {
	/** The shell that the model's `bash` uses. */
	run: CommandRunner;
	/** An extension may run the command itself, or know its outcome already. */
	intercept(
		command: string,
		isPrivate: boolean,
	): Promise<{ outcome?: CommandOutcome; runner?: CommandRunner } | undefined>;
	/** The interpreters that the model's cells use. */
	cell(language: CellLanguage): CommandRunner;
	/** An extension may know the outcome of a cell of Python already. */
	interceptPython(code: string, isPrivate: boolean): Promise<CommandOutcome | undefined>;
	record(message: BashExecutionMessage | PythonExecutionMessage): void;
	/** Everybody who follows the session sees the user's commands. */
	emit(event: UserCommandEvent): void;
}

type UserCommandEvent = EventFrameOf<"user_command_start" | "user_command_output" | "user_command_end">;
type Shown = Pick<EventFrameOf<"user_command_start">, "command" | "language" | "isPrivate">;

export class UserShell {
	readonly #parts: UserShellParts;
	readonly #running = new Map<AbortController, Promise<unknown>>();

	constructor(parts: UserShellParts) {
		this.#parts = parts;
	}

	get isRunning(): boolean {
		return this.#running.size > 0;
	}

	/** Resolves when the command has ended, however that was. `by`: who runs it, if not the owner. */
	run(command: string, options: UserCommandOptions = {}, by?: string): Promise<CommandResult> {
		const shown = { command, isPrivate: options.isPrivate ?? false };
		return this.#track((signal) =>
			this.#show(shown, by, options, (seen) => this.#execute(command, seen, signal)),
		);
	}

	/** The same for a cell. */
	runCell(code: string, options: UserCellOptions = {}, by?: string): Promise<CellResult> {
		const { isPrivate = false, language = "python" } = options;
		const shown = { command: code, language, isPrivate };
		return this.#track((signal) =>
			this.#show(shown, by, options, (seen) => this.#executeCell(code, { ...seen, language }, signal)),
		);
	}

	/** Everybody sees the command, and its output as it comes. */
	async #show<T extends BashExecutionMessage | PythonExecutionMessage>(
		shown: Shown,
		by: string | undefined,
		options: UserCommandOptions,
		run: (options: UserCommandOptions) => Promise<T>,
	): Promise<T> {
		const { emit } = this.#parts;
		const commandId = uuidv7();
		emit({ type: "user_command_start", commandId, ...shown, ...(by === undefined ? {} : { by }) });
		const onOutput = (output: string): void => {
			options.onOutput?.(output);
			emit({ type: "user_command_output", commandId, output });
		};
		const message = await run({ ...options, onOutput });
		emit({ type: "user_command_end", commandId, message });
		return message;
	}

	async #executeCell(code: string, options: UserCellOptions, signal: AbortSignal): Promise<CellResult> {
		const { isPrivate = false, language = "python", onOutput, onChunk } = options;
		const instead = language === "python" ? await this.#parts.interceptPython(code, isPrivate) : undefined;
		const run = this.#parts.cell(language);
		const outcome = instead ?? (await run(code, { signal, onOutput, onChunk, isPrivate }));
		const { output, exitCode, cancelled, truncated, fullOutputPath, totals } = outcome;
		const message: PythonExecutionMessage = {
			role: "pythonExecution",
			code,
			...(language === "js" ? { language } : {}),
			output,
			exitCode,
			cancelled,
			truncated,
			...(fullOutputPath === undefined ? {} : { fullOutputPath }),
			...(isPrivate ? { excludeFromContext: true } : {}),
			timestamp: Date.now(),
		};
		this.#parts.record(message);
		return { ...message, ...(totals ? { totals } : {}) };
	}

	#track<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
		if (this.#running.size >= limits.userCommands)
			throw new UserError(
				`${limits.userCommands} commands are already running. Wait for one to end, or stop them.`,
			);
		const abort = new AbortController();
		const running = work(abort.signal).finally(() => this.#running.delete(abort));
		this.#running.set(abort, running);
		return running;
	}

	/** Leaves the outcome of a command that ran elsewhere for the model. */
	record(command: string, outcome: CommandOutcome, isPrivate = false): BashExecutionMessage {
		const message: BashExecutionMessage = {
			role: "bashExecution",
			command,
			output: outcome.output,
			exitCode: outcome.exitCode,
			cancelled: outcome.cancelled,
			truncated: outcome.truncated,
			...(outcome.fullOutputPath === undefined ? {} : { fullOutputPath: outcome.fullOutputPath }),
			...(isPrivate ? { excludeFromContext: true } : {}),
			timestamp: Date.now(),
		};
		this.#parts.record(message);
		return message;
	}

	/** Resolves when all commands have ended, with everything that they started. */
	async stop(): Promise<void> {
		const ending = [...this.#running];
		for (const [abort] of ending) abort.abort();
		await Promise.allSettled(ending.map(([, running]) => running));
	}

	async #execute(
		command: string,
		{ isPrivate = false, onOutput, onChunk, runner }: UserCommandOptions,
		signal: AbortSignal,
	): Promise<CommandResult> {
		const instead = runner ? { runner } : await this.#parts.intercept(command, isPrivate);
		const run = instead?.runner ?? this.#parts.run;
		const outcome =
			instead && "outcome" in instead && instead.outcome
				? instead.outcome
				: await run(command, { signal, onOutput, onChunk, isPrivate });
		const { totals } = outcome;
		return { ...this.record(command, outcome, isPrivate), ...(totals ? { totals } : {}) };
	}
}
