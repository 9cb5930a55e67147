/** A persistent shell: state that a command sets is available to the next one. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";

import { abortable, withTimeout } from "@tau/utils";

import { limits } from "../limits.ts";
import type { InsideProcess } from "../process/index.ts";
import { BashProcess, unwanted } from "./bash-process.ts";
import { findBash } from "./find-shell.ts";
import type { CurrentLauncher, ShellLauncher } from "./launcher.ts";
import { endScope, forgetScope, hasRuns, hasRunsAmong, newScope, withMark } from "./owned.ts";
import { ownRoom } from "./pipe-room.ts";
import { runIn, type OrderedOutcome } from "./run-in.ts";
import { runShell, type ShellCommand, type ShellOutcome } from "./run.ts";
import { readWritten, removeWritten } from "./written-file.ts";

export interface ShellSessionOptions {
	cwd: string;
	env: Record<string, string>;
	/** The path of the bash to use; by default the one on PATH. */
	program?: string;
	/** Functions and aliases that the shell starts with, as a script: the user's own, see `rcSnapshot`. */
	snapshot?: () => Promise<string>;
	/** How shells are started now: with another answer than before, the next command runs in a new shell. */
	launcher?: () => CurrentLauncher;
}

export interface SessionCommand extends Pick<
	ShellCommand,
	"command" | "timeoutMs" | "signal" | "onOutput" | "onStart"
> {
	/** Where this command runs; the session's directory does not change. */
	cwd?: string;
	/** Variables for this command only. */
	env?: Record<string, string>;
	/** Runs in a copy of the shell even if the shell itself is free: for long-running commands. */
	beside?: boolean;
}

export interface SessionOutcome extends ShellOutcome {
	/** The directory in which the command ended. */
	cwd: string;
}

const brokenShell =
	"The command did not run: its shell cannot be reached, and a new one cannot either. An earlier command may have broken its files, or the disk is full.";
const nameSyntax = /^[A-Za-z_]\w*$/;

export class ShellSession implements AsyncDisposable {
	readonly #options: ShellSessionOptions;
	readonly #scope = newScope();
	readonly #closing = new AbortController();
	readonly #running = new Set<Promise<unknown>>();
	#bash: BashProcess | undefined;
	/** Settles when the shell that was started ahead runs. */
	#starting: Promise<void> | undefined;
	#launcher: ShellLauncher | undefined;
	/** All that shells of the session were started with. */
	readonly #launchers = new Set<ShellLauncher | undefined>();
	#snapshot: Promise<string | undefined> | undefined;
	/** Settles when the pending copy of the state is taken. */
	#copying: Promise<unknown> = Promise.resolve();
	/** The script that brings a new shell to the state of the last one. */
	#state: string | undefined;
	#cwd: string;
	/** The command that runs in the shell itself, and whether it was detached with it. */
	#turn: { left: boolean } | undefined;
	#runs = 0;
	#files = 0;

	constructor(options: ShellSessionOptions) {
		this.#options = options;
		this.#cwd = options.cwd;
	}

	/**
	 * The directories in which the next command looks for programs, as the last one has left them (`source
	 * .venv/bin/activate`); undefined if no command has ended.
	 */
	get searchPath(): readonly string[] | undefined {
		const state = this.#state === undefined ? undefined : readWritten(this.#state)?.toString("utf8");
		const value = state && /^declare -[a-zA-Z-]+ PATH="((?:[^"\\]|\\.)*)"$/m.exec(state)?.[1];
		return value ? value.replaceAll(/\\(.)/g, "$1").split(delimiter) : undefined;
	}

	/** The directory in which the next command starts: for a deleted one, the nearest existing parent. A sandbox has some of its own. */
	get cwd(): string {
		return this.#launcher ? this.#cwd : this.#existing(this.#cwd);
	}

	/** True while a command runs; another one would run concurrently, in a copy of the shell. */
	get busy(): boolean {
		return this.#turn !== undefined;
	}

	/** Starts the shell if it does not run, with its sandbox; the next command waits for it and reports what failed. */
	prepare(): void {
		if (this.#closing.signal.aborted || this.#bash || this.#starting) return;
		const starting = this.#startAhead().catch(() => {});
		this.#starting = starting;
		this.#running.add(starting);
		void starting.then(() => {
			this.#starting = undefined;
			this.#running.delete(starting);
		});
	}

	async #startAhead(): Promise<void> {
		const launcher = await this.#options.launcher?.();
		launcher?.prepare?.();
		if (launcher !== this.#launcher) await this.#follow(launcher);
		if (!this.#bash?.usable && this.#program() !== undefined) await this.#restart();
	}

	/**
	 * Resolves when the command has ended. Its background processes go on until the session is disposed; an abort or
	 * the timeout ends the processes of this command. Rejects when the command cannot be started or `onOutput`
	 * throws.
	 */
	async run(command: SessionCommand): Promise<SessionOutcome> {
		if (this.#closing.signal.aborted) throw new Error("The shell session has ended.");
		if (command.signal.aborted) return { stopped: "abort", durationMs: 0, cwd: this.#cwd };
		if (this.#starting) await this.#starting;
		const launcher = this.#options.launcher?.();
		const current = launcher instanceof Promise ? await launcher : launcher;
		if (current !== this.#launcher) await this.#follow(current);
		this.#check(command);
		current?.commandStarts?.();
		const beside = this.busy || command.beside === true;
		const running = beside ? this.#runBeside(command) : this.#runInside(command);
		this.#running.add(running);
		try {
			return await running;
		} finally {
			current?.commandEnded(() => this.hasLeftovers);
			this.#running.delete(running);
		}
	}

	/** Whether processes that commands have left behind still run. Reads the table of all processes, or of a namespace. */
	get hasLeftovers(): boolean {
		const inside = this.#inside();
		return inside ? hasRunsAmong(inside, this.#scope) : hasRuns(this.#scope);
	}

	/**
	 * The running command keeps the shell to its end, and the session continues in a new one, with the state from
	 * before that command. No effect when no command runs.
	 */
	leave(): void {
		if (!this.#turn || !this.#bash?.busy) return;
		this.#turn.left = true;
		this.#turn = undefined;
		this.#bash.onState = unwanted;
		this.#bash = undefined;
	}

	/** Ends all processes of this session. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#closing.abort();
		await Promise.allSettled(this.#running);
		const inside = this.#inside();
		const isAlone = inside !== undefined && !hasRunsAmong(inside, this.#scope);
		const endsByItself = this.#launchers.size === 0 || isAlone;
		// A daemon without the mark is found by its parent, which may be the shell: it is looked for before that exits.
		const ending = endsByItself ? undefined : endScope(this.#scope);
		if (endsByItself) this.#bash?.kill();
		this.#bash?.[Symbol.dispose]();
		await ending;
		if (endsByItself && !(await this.#ended())) await endScope(this.#scope);
		await this.#bash?.exited;
		this.#bash = undefined;
		this.#dropState();
		const snapshot = await this.#snapshot?.catch(() => undefined);
		if (snapshot !== undefined) rmSync(snapshot, { force: true });
	}

	/** Where all processes of the session are in one sandbox, which the kernel ends as a whole: those in it. */
	#inside(): readonly InsideProcess[] | undefined {
		const [launcher, ...others] = this.#launchers;
		return others.length === 0 ? launcher?.processesInside?.() : undefined;
	}

	/** Waits for the shell, which was killed. */
	async #ended(): Promise<boolean> {
		using deadline = withTimeout(undefined, limits.killGraceMs, "The shell did not exit.");
		await abortable(this.#bash?.exited ?? Promise.resolve(), deadline.signal).catch(() => {});
		return forgetScope(this.#scope);
	}

	/** What a sandboxed shell has set does not leave the sandbox: a function or PATH could take commands over. */
	async #follow(launcher: ShellLauncher | undefined): Promise<void> {
		this.leave();
		const last = this.#bash;
		// The state of the last command is written after its end.
		await last?.settled();
		if (launcher === this.#launcher) return;
		// Another command has started a shell meanwhile.
		if (last !== this.#bash) return this.#follow(launcher);
		if (last) last.onState = unwanted;
		last?.[Symbol.dispose]();
		this.#bash = undefined;
		if (this.#launcher && !launcher) this.#dropState();
		this.#launcher = launcher;
	}

	async #runInside(command: SessionCommand): Promise<SessionOutcome> {
		// A shell that runs needs no search for its program, which looks at every directory on PATH.
		if (!this.#bash?.usable && this.#program() === undefined) return this.#runWithoutBash(command);
		const turn = { left: false };
		this.#turn = turn;
		let bash: BashProcess | undefined;
		try {
			const started = performance.now();
			// An earlier command that runs concurrently must not see the state that this one sets.
			await this.#copying;
			if (!this.#bash?.usable) await this.#restart();
			bash = this.#bash;
			let result = await this.#obey(bash, command, started);
			if (result.isLost) {
				await this.#restart();
				bash = this.#bash;
				result = await this.#obey(bash, command, started);
			}
			if (result.isLost) throw new Error(brokenShell);
			const { outcome, home } = result;
			if (home !== undefined && !turn.left) this.#cwd = home;
			return outcome;
		} finally {
			if (turn.left) bash?.[Symbol.dispose]();
			else this.#turn = undefined;
		}
	}

	async #runBeside(command: SessionCommand): Promise<SessionOutcome> {
		const program = this.#program();
		if (program === undefined) return this.#runWithoutBash(command);
		const started = performance.now();
		const taking = this.#takeCopy();
		this.#copying = taking.catch(() => undefined);
		const copy = await taking;
		try {
			using bash = await this.#start(program, copy);
			const { outcome, isLost } = await this.#obey(bash, command, started);
			if (isLost) throw new Error(brokenShell);
			return outcome;
		} finally {
			if (copy !== undefined) rmSync(copy, { force: true });
		}
	}

	/** The current state, for a concurrent shell. */
	async #takeCopy(): Promise<string | undefined> {
		await this.#bash?.settled();
		const init = await this.#initScript();
		return init === undefined ? undefined : this.#copy(init);
	}

	/** A plain sh has no way to keep the state of a command. */
	async #runWithoutBash(command: SessionCommand): Promise<SessionOutcome> {
		const { env } = this.#options;
		const cwd = command.cwd ?? this.cwd;
		const signal = AbortSignal.any([command.signal, this.#closing.signal]);
		const marked = withMark({ ...env, ...command.env }, this.#scope);
		this.#launchers.add(this.#launcher);
		return { ...(await runShell({ ...command, cwd, env: marked, signal }, this.#launcher)), cwd };
	}

	async #obey(
		bash: BashProcess | undefined,
		command: SessionCommand,
		started: number,
	): Promise<OrderedOutcome> {
		const signal = AbortSignal.any([command.signal, this.#closing.signal]);
		const { cwd } = this;
		// Aborted while the shell was starting: there is nothing to end.
		if (!bash || signal.aborted)
			return { outcome: { stopped: "abort", durationMs: performance.now() - started, cwd } };
		return runIn(bash, {
			...command,
			signal,
			scope: this.#scope,
			run: ++this.#runs,
			outerMarks: this.#options.env,
			sessionEnv: () => this.#environment,
			fallbackCwd: cwd,
			...(this.#launcher ? {} : { home: cwd }),
			started,
		});
	}

	async #restart(): Promise<void> {
		const program = this.#program();
		if (program === undefined) throw new Error(brokenShell);
		const last = this.#bash;
		this.#bash = undefined;
		last?.[Symbol.dispose]();
		this.#cwd = this.#existing(this.#cwd);
		const script = await this.#initScript();
		const init = script === undefined ? undefined : this.#readable(script);
		const bash = await this.#start(program, init);
		if (init !== script && init !== undefined) rmSync(init, { force: true });
		bash.onState = (path) => this.#keepState(path);
		this.#bash = bash;
	}

	/** If the script makes every shell exit or stop, the session starts without it. */
	async #start(program: string, init: string | undefined): Promise<BashProcess> {
		const env = this.#environment;
		const launcher = this.#launcher;
		this.#launchers.add(launcher);
		// All variables are in the state, and an unset one must not come back.
		const environment = this.#state === undefined ? env : { PATH: env.PATH ?? "" };
		const cwd = this.#existing(this.#cwd);
		const mark = this.#scope;
		const start = { program, cwd, mark, env: withMark(environment, mark), init, launcher };
		if (init === undefined) return BashProcess.start(start);
		clearAttributes(init);
		try {
			return await BashProcess.start(start);
		} catch {
			return BashProcess.start({ ...start, env: withMark(env, mark), init: undefined });
		}
	}

	get #environment(): Record<string, string> {
		const { env } = this.#options;
		return this.#launcher?.environment(env) ?? env;
	}

	async #initScript(): Promise<string | undefined> {
		if (this.#state !== undefined && existsSync(this.#state)) return this.#state;
		this.#dropState();
		const snapshot = await (this.#snapshot ??= this.#writeSnapshot());
		if (snapshot === undefined || existsSync(snapshot)) return snapshot;
		return await (this.#snapshot = this.#writeSnapshot());
	}

	async #writeSnapshot(): Promise<string | undefined> {
		const script = await this.#options.snapshot?.().catch(() => "");
		if (!script) return undefined;
		const path = this.#newFile();
		writeFileSync(path, script, { mode: 0o600 });
		return path;
	}

	/** Returns the state from before, which nobody reads any more. */
	#keepState(path: string): string | undefined {
		const before = this.#state;
		this.#state = path;
		return before;
	}

	#dropState(): void {
		if (this.#state !== undefined) removeWritten(this.#state);
		this.#state = undefined;
	}

	/** A new shell of a sandbox reads only what the old one cannot change meanwhile. */
	#readable(script: string): string {
		return this.#launcher ? this.#copy(script) : script;
	}

	#copy(path: string): string {
		const copy = this.#newFile();
		writeFileSync(copy, readWritten(path) ?? "", { mode: 0o600 });
		return copy;
	}

	#newFile(): string {
		const room = this.#launcher?.room ?? ownRoom;
		return join(room.path, `${this.#scope}${++this.#files}.init`);
	}

	#program(): string | undefined {
		const { program, env } = this.#options;
		if (program === undefined) return findBash(env);
		if (!basename(program).startsWith("bash") || !existsSync(program))
			throw new Error(`Not the path of a bash: ${program}. Change the setting shellPath.`);
		return program;
	}

	#existing(cwd: string): string {
		return isDirectory(this.#hostPath(cwd)) || dirname(cwd) === cwd ? cwd : this.#existing(dirname(cwd));
	}

	#hostPath(path: string): string {
		return this.#launcher?.hostPath(path) ?? path;
	}

	#check({ command, cwd, env }: SessionCommand): void {
		if (command.includes("\0")) throw new Error("The command contains a null byte.");
		for (const [name, value] of Object.entries(env ?? {})) {
			if (!nameSyntax.test(name)) throw new Error(`Not a valid variable name: ${JSON.stringify(name)}`);
			if (value.includes("\0")) throw new Error(`The value of ${name} contains a null byte.`);
		}
		if (cwd === undefined || isDirectory(this.#hostPath(cwd))) return;
		const missing = statSync(this.#hostPath(cwd), { throwIfNoEntry: false }) === undefined;
		throw new Error(`Working directory ${missing ? "does not exist" : "is not a directory"}: ${cwd}`);
	}
}

/** A command may have made the variables of our program readonly: that must not last. */
function clearAttributes(script: string): void {
	const text = readFileSync(script, "latin1");
	const cleared = text.replaceAll(/^declare -[A-Za-z]+ (?=__tau_\w+(?:=|$))/gm, "declare -- ");
	if (cleared !== text) writeFileSync(script, cleared, { encoding: "latin1", mode: 0o600 });
}

function isDirectory(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
