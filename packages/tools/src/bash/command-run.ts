/** One running command: its output, its end, and the way to stop it. */
import {
	commandEnvironment,
	TerminalScreen,
	type MachineShellSession,
	type MachineTerminal,
	type SessionOutcome,
	type ShellCommand,
	type ShellOutcome,
	type TerminalSize,
} from "@tau/sys";
import { env as readEnv } from "@tau/utils";

import type { ShownTerminal } from "@tau/session/host";
import { settingsLimits } from "@tau/config/settings";

import { OutputSink, type OutputSummary } from "../output/index.ts";
import type { ToolContext } from "../tool/define-tool.ts";
import { userTerminals } from "../tool/env.ts";
import { limits } from "./limits.ts";

export interface CommandOptions {
	command: string;
	/** The working directory; by default that of the shell. */
	cwd?: string;
	env?: Record<string, string>;
	seconds: number;
	pty: boolean;
	/** True if the user sees the terminal and types into it. */
	isShown?: boolean;
	/** What the model is to know about how it runs. */
	note?: string;
	/** True to run in a copy of the shell, which stays free. */
	beside: boolean;
}

/** The working directory of a command, and the call that it belongs to. */
export type CommandEnv = Pick<ToolContext, "artifacts" | "env" | "machine" | "settings"> &
	Partial<Pick<ToolContext, "services" | "toolCallId">>;

export class CommandRun implements Disposable {
	readonly options: CommandOptions;
	readonly output: OutputSink;
	/** As `performance.now()`. */
	readonly startedAt = performance.now();
	/** How it ended; rejects when it could not be started. */
	readonly ended: Promise<SessionOutcome>;
	/** Called with each piece of output. */
	onOutput: (chunk: Uint8Array) => void = () => {};
	readonly #abort = new AbortController();
	readonly #shell: MachineShellSession;
	readonly #pty: MachineTerminal | undefined;
	readonly #terminal = Promise.withResolvers<ShownTerminal | undefined>();
	/** The view of the terminal on the user's screen. */
	#view: Disposable | undefined;
	/** While the command runs. */
	#screen: TerminalScreen | undefined;
	/** What the terminal showed in the end. */
	#screenText: string | undefined;
	/** The end of what `since` has returned. */
	#reported: string | undefined;
	#extend: (timeoutMs: number) => void = () => {};

	constructor(options: CommandOptions, shell: MachineShellSession, env: CommandEnv) {
		this.options = options;
		this.output = new OutputSink({ tool: "bash", artifacts: env.artifacts });
		this.#shell = shell;
		this.#pty = options.pty ? env.machine.shell.pty() : undefined;
		this.ended = this.#start(env).finally(() => {
			// The command may have written anywhere.
			env.machine.files.noteChange({ toolCallId: env.toolCallId });
			this.output.summary();
			this.output[Symbol.dispose]();
			this.#terminal.resolve(undefined);
		});
		// Callers that await the end receive the error; until then it must not count as unhandled.
		this.ended.catch(() => {});
	}

	get hasTerminal(): boolean {
		return this.#pty !== undefined;
	}

	/** For a user who wants to type into it; of use only while the command runs. */
	get terminal(): Promise<ShownTerminal | undefined> {
		return this.#terminal.promise;
	}

	stop(): void {
		this.#abort.abort();
	}

	/** The output as it is reported: of a terminal, what that shows, if it is all there and fits. */
	summary(): OutputSummary {
		const whole = this.output.summary();
		const shown = this.#screenSummary(this.#shownText());
		return shown === undefined || shown.truncated ? whole : shown;
	}

	/**
	 * What is new after the first `seen` lines, and how many there are. Of a terminal, the line of the cursor is new
	 * again when it has changed, and of a full-screen program, its screen.
	 */
	since(seen: number): { text: string; lines: number } {
		const all = this.#shownText();
		if (all === undefined) return this.output.since(seen);
		const isFullScreen = this.#screen?.isFullScreen === true;
		const lines = all.split("\n");
		// A program that has cleared the terminal starts again.
		const from = seen < lines.length ? seen : 0;
		const fresh = isFullScreen ? (this.#screen?.visible() ?? "") : lines.slice(from).join("\n");
		const isKnown = fresh === this.#reported;
		this.#reported = isFullScreen ? fresh : (lines.at(-1) ?? "");
		const text = isKnown ? "" : (this.#screenSummary(fresh)?.text ?? "");
		return { text, lines: isFullScreen ? seen : lines.length - 1 };
	}

	/** Resolves when the terminal shows what the command has written. */
	async drawn(): Promise<void> {
		await this.#screen?.settled();
	}

	#shownText(): string | undefined {
		return this.#screen ? this.#screen.text() : this.#screenText;
	}

	#screenSummary(text: string | undefined): OutputSummary | undefined {
		if (text === undefined) return undefined;
		using sink = new OutputSink({ tool: "bash" });
		sink.push(Buffer.from(text));
		return sink.summary();
	}

	/** The command continues in the background with the time of a job, and the shell is free for the next command. */
	leave(): void {
		this.options.seconds = Math.max(this.options.seconds, settingsLimits.bashTimeoutMaxSeconds);
		this.#extend(this.options.seconds * 1000);
		this.options.isShown = false;
		this.#view?.[Symbol.dispose]();
		if (!this.options.beside && !this.#pty) this.#shell.leave();
	}

	/** Types into the command's terminal; returns whether there is one. */
	type(text: string): boolean {
		if (!this.#pty?.running) return false;
		this.#pty.write(text);
		return true;
	}

	[Symbol.dispose](): void {
		this.stop();
	}

	async #start(commandEnv: CommandEnv): Promise<SessionOutcome> {
		const { env, settings, machine } = commandEnv;
		const { command, cwd, seconds, beside } = this.options;
		// They are about the shells of this machine.
		const isHere = machine.where.kind !== "ssh";
		const named = readEnv("TAU_SHELL_PREFIX", env) ?? readEnv("CLAUDE_CODE_SHELL_PREFIX", env);
		const prefix = isHere ? named : undefined;
		const setup = isHere ? settings.get("shellCommandPrefix") : undefined;
		const prefixed = prefix === undefined ? command : `${prefix} ${command}`;
		const common = {
			command: setup === undefined ? prefixed : `${setup}\n${prefixed}`,
			timeoutMs: seconds * 1000,
			signal: this.#abort.signal,
			onOutput: (chunk: Uint8Array) => {
				this.output.push(chunk);
				this.onOutput(chunk);
			},
		};
		if (!this.#pty) {
			return this.#shell.run({
				...common,
				beside,
				onStart: (extend) => (this.#extend = extend),
				...(cwd === undefined ? {} : { cwd }),
				...(this.options.env ? { env: this.options.env } : {}),
			});
		}
		const place = cwd ?? this.#shell.cwd;
		const variables = { ...commandEnvironment(env), ...this.options.env };
		const outcome = await this.#inTerminal(this.#pty, { ...common, cwd: place, env: variables }, commandEnv);
		return { ...outcome, cwd: place };
	}

	async #inTerminal(
		pty: MachineTerminal,
		command: ShellCommand,
		{ env, services }: CommandEnv,
	): Promise<ShellOutcome> {
		const takesKeys = this.options.isShown && pty.takesKeys !== false;
		const viewer = takesKeys ? services?.provided(userTerminals)?.() : undefined;
		const plain = { columns: Number(env.COLUMNS) || limits.ptyColumns, rows: limits.ptyRows };
		const size = viewer?.size() ?? plain;
		const type = (bytes: string): void => void this.type(bytes);
		const early: Uint8Array[] = [];
		// At once, so that it takes keys: the emulator takes a moment to load.
		const outcome = pty.start({
			...command,
			...size,
			onOutput: (chunk) => {
				if (this.#screen) this.#screen.write(chunk);
				else early.push(chunk.slice());
				command.onOutput(chunk);
			},
		});
		// Awaited below.
		outcome.catch(() => {});
		using screen = await TerminalScreen.open(size, type);
		for (const chunk of early) screen.write(chunk);
		this.#screen = screen;
		const resize = (to: TerminalSize): void => {
			screen.resize(to);
			if (pty.running) pty.resize(to.columns, to.rows);
		};
		const terminal = { command: this.options.command, screen, type, resize };
		this.#terminal.resolve(terminal);
		// It may have been moved to the background meanwhile.
		using view = this.options.isShown ? viewer?.show(terminal) : undefined;
		this.#view = view;
		const ended = await outcome;
		await screen.settled();
		this.#screenText = screen.text();
		this.#screen = undefined;
		return ended;
	}
}
