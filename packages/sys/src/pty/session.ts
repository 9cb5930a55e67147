/** Runs a command in a pseudo-terminal, which can be typed into and resized. */
import { listen, withTimeout } from "@tau/utils";

import { limits } from "../limits.ts";
import { findShell } from "../shell/find-shell.ts";
import type { CurrentLauncher } from "../shell/launcher.ts";
import { endScope, newScope, ownShell, shellEnded, withMark } from "../shell/owned.ts";
import type { ShellCommand, ShellOutcome } from "../shell/run.ts";
import { Silence } from "../shell/silence.ts";
import { startFailure } from "../shell/start-failure.ts";

export interface PtyCommand extends ShellCommand {
	columns?: number;
	rows?: number;
}

interface Running {
	terminal: Bun.Terminal;
	kill(): void;
}

export class PtySession {
	readonly #current: (() => CurrentLauncher) | undefined;
	#running: Running | undefined;
	/** Input that arrived while the sandbox was starting. */
	#early: (string | Uint8Array)[] | undefined;
	#earlySize: [columns: number, rows: number] | undefined;

	/** `launcher` is asked for each command. */
	constructor(launcher?: () => CurrentLauncher) {
		this.#current = launcher;
	}

	get running(): boolean {
		return this.#running !== undefined || this.#early !== undefined;
	}

	/**
	 * Resolves when the command has ended; then its remaining processes are ended too, since their terminal is gone.
	 * Input is accepted from the moment of the call. Rejects when the command cannot be started or `onOutput` throws.
	 */
	async start(command: PtyCommand): Promise<ShellOutcome> {
		if (this.running) throw new Error("The terminal is already running a command.");
		if (command.signal.aborted) return { stopped: "abort", durationMs: 0 };
		const started = performance.now();
		const program = [findShell(command.env), "-c", command.command];
		const current = this.#current?.();
		if (!current) return this.#run(command, program, started);
		this.#early = [];
		try {
			const launcher = await current;
			const { cwd } = command;
			using launched = await launcher?.launch(program, { cwd, terminal: true });
			await launched?.connected;
			const env = launcher?.environment(command.env) ?? command.env;
			launcher?.commandStarts?.();
			const ended = this.#run(
				{ ...command, cwd: launcher ? "/" : cwd, env },
				launched?.command ?? program,
				started,
			);
			if (this.#earlySize) this.resize(...this.#earlySize);
			for (const input of this.#early) this.write(input);
			return await ended.finally(() => launcher?.commandEnded());
		} finally {
			this.#early = this.#earlySize = undefined;
		}
	}

	async #run(command: PtyCommand, program: readonly string[], started: number): Promise<ShellOutcome> {
		const scope = newScope();
		const silence = new Silence();
		const closed = Promise.withResolvers<void>();
		const failed = Promise.withResolvers<never>();
		// The caller of `start` gets the failure; until then it must not count as unhandled.
		failed.promise.catch(() => {});
		const shell = spawn(command, program, scope, {
			data: (chunk) => {
				silence.reset();
				try {
					command.onOutput(chunk);
				} catch (error) {
					failed.reject(error);
				}
			},
			exit: () => closed.resolve(),
		});
		const { terminal } = shell;
		if (!terminal) throw new Error("This system has no pseudo-terminals.");
		const owned = ownShell(shell.pid, scope);
		using deadline = withTimeout(command.signal, command.timeoutMs, "The command timed out");
		let killed = false;
		let ending: Promise<void> | undefined;
		const end = (): Promise<void> => (ending ??= endScope(scope));
		this.#running = {
			terminal,
			kill: () => {
				killed = true;
				void end();
			},
		};
		using _listener = listen(deadline.signal, "abort", () => void end());
		try {
			await Promise.race([shell.exited, failed.promise]);
			shellEnded(owned);
			await Promise.race([silence.orEnd(closed.promise), failed.promise]);
		} finally {
			this.#running = undefined;
			terminal.close();
			await end();
		}
		const stopped =
			killed || command.signal.aborted ? "abort" : deadline.signal.aborted ? "timeout" : undefined;
		return {
			...(shell.signalCode === null
				? { exitCode: shell.exitCode ?? 0 }
				: { killedBy: String(shell.signalCode) }),
			...(stopped === undefined ? {} : { stopped }),
			durationMs: performance.now() - started,
		};
	}

	/** Sends input. Throws when no command runs. */
	write(data: string | Uint8Array): void {
		if (!this.#running && this.#early) return void this.#early.push(data);
		this.#now().terminal.write(typeof data === "string" ? data : Uint8Array.from(data));
	}

	/** Throws when no command runs. */
	resize(columns: number, rows: number): void {
		if (!this.#running && this.#early) {
			this.#earlySize = [columns, rows];
			return;
		}
		this.#now().terminal.resize(...size(columns, rows));
	}

	/** Ends the command with all of its processes. Throws when no command runs. */
	kill(): void {
		this.#now().kill();
	}

	#now(): Running {
		if (!this.#running) throw new Error("No command is running in the terminal.");
		return this.#running;
	}
}

interface Listener {
	data(chunk: Uint8Array): void;
	exit(): void;
}

function spawn(
	command: PtyCommand,
	program: readonly string[],
	scope: string,
	listener: Listener,
): Bun.Subprocess {
	const { cwd, env } = command;
	const [cols, rows] = size(command.columns ?? 80, command.rows ?? 24);
	// The variables for non-interactive terminals are wrong here.
	const term = env.TERM === undefined || env.TERM === "dumb" ? "xterm-256color" : env.TERM;
	try {
		return Bun.spawn([...program], {
			cwd,
			env: withMark({ ...env, TERM: term }, scope),
			// A terminal that is created here controls the session; one that is passed in does not.
			terminal: {
				cols,
				rows,
				name: term,
				data: (_terminal, chunk) => listener.data(chunk),
				exit: () => listener.exit(),
			},
		});
	} catch (error) {
		throw new Error(startFailure(error, command), { cause: error });
	}
}

/** A size that programs can work with. */
export function size(columns: number, rows: number): [columns: number, rows: number] {
	return [clamp(columns, limits.ptyColumns), clamp(rows, limits.ptyRows)];
}

function clamp(value: number, [least, most]: readonly [number, number]): number {
	return Math.min(Math.max(Math.trunc(value) || least, least), most);
}
