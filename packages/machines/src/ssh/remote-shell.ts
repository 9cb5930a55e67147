/** One shell on another machine that runs commands, one at a time; a command continues when the connection is lost. */
import { abortable, listen, log, shortId, timer, withTimeout } from "@tau/utils";

import { commandEnvironment, type SessionCommand, type SessionOutcome } from "@tau/sys";
import { channelProgram, ConnectionLost, lineQuote, type Channel } from "./channel.ts";
import type { SshConnection } from "./connection.ts";
import { joined } from "./facts.ts";
import { limits } from "./limits.ts";
import program from "./session.sh" with { type: "text" };
import { newWord, WordScanner, type OutputEnd } from "./word-scanner.ts";

export interface ShellStart {
	readonly cwd: string;
	/** The state of another shell, the newest first: files there. */
	readonly states: readonly string[];
}

/** How the command ended; `home` is where the shell is now, if it still runs. */
export interface CommandEnd {
	readonly outcome: SessionOutcome;
	readonly home?: string | undefined;
}

export class RemoteShell {
	readonly #connection: SshConnection;
	readonly #channel: Channel;
	readonly #pid: number;
	readonly #name: string;
	readonly #room: string;
	/** The directory that the next command starts in. */
	#cwd: string;
	#commands = 0;
	#hasExited = false;

	/** Rejects with a readable reason. */
	static async start(
		connection: SshConnection,
		{ cwd, states }: ShellStart,
		signal: AbortSignal,
	): Promise<RemoteShell> {
		const { room, programs } = await connection.facts(signal);
		const name = `s${shortId()}`;
		const isBash = programs.has("bash");
		const setup = (word: string): string =>
			channelProgram(
				`${joined(program, {
					"@INIT@": initScript(states, cwd),
					"@ROOM@": lineQuote(room),
					"@NAME@": name,
					"@DUMP@": lineQuote(dumpScript(isBash)),
					"@BLOCKS@": String(limits.spoolBytes / 1024),
				})} printf "%s 0 %s %s\\n" ${word} $$ "$PWD" >&5`,
				"exit",
			);
		const { channel, response } = await openShell(connection, isBash, states, setup, signal);
		const [, pid = "0", home = cwd] = /^(\d+) (.*)$/s.exec(response.rest) ?? [];
		return new RemoteShell(connection, channel, { pid: Number(pid), name, room, cwd: home });
	}

	private constructor(
		connection: SshConnection,
		channel: Channel,
		{ pid, name, room, cwd }: { pid: number; name: string; room: string; cwd: string },
	) {
		this.#connection = connection;
		this.#channel = channel;
		this.#pid = pid;
		this.#name = name;
		this.#room = room;
		this.#cwd = cwd;
	}

	get isUsable(): boolean {
		return this.#channel.isFree && !this.#hasExited;
	}

	get cwd(): string {
		return this.#cwd;
	}

	/** The files with its state, the newest first; the newest may be incomplete. */
	get states(): string[] {
		const last = this.#commands;
		return [last, last - 1].filter((each) => each >= 0).map((each) => this.#stateOf(each));
	}

	/**
	 * Resolves when the command has ended. An abort or the timeout ends the shell with everything below it. `unstarted` if
	 * the shell was gone before it could start the command.
	 */
	async run(command: SessionCommand, closing: AbortSignal): Promise<CommandEnd | "unstarted"> {
		const started = performance.now();
		// Two spools in turn: that of the last command is not read any more.
		const id = `${this.#name}.${++this.#commands % 2}`;
		const word = newWord();
		using deadline = withTimeout(
			AbortSignal.any([command.signal, closing]),
			command.timeoutMs,
			"The command timed out",
		);
		command.onStart?.((timeoutMs) => deadline.restart(timeoutMs));
		const begin = newWord();
		let beginning: WordScanner | undefined = new WordScanner(begin);
		let received = 0;
		const onData = (chunk: Uint8Array): void => {
			// Shells report what is killed below them, and that is not the command's output.
			if (deadline.signal.aborted) return;
			received += chunk.length;
			if (chunk.length > 0) command.onOutput(chunk);
		};
		// What the last command left behind may have printed before.
		const onAny = (chunk: Uint8Array): void => {
			if (!beginning) return onData(chunk);
			const { more } = beginning.push(Buffer.from(chunk));
			if (!more) return;
			beginning = undefined;
			onData(more);
		};
		const script = this.#order(command, begin);
		let end: OutputEnd | "unstarted" | undefined;
		try {
			const work = this.#channel.request({ script, word, onData: onAny });
			end = await abortable(work, deadline.signal).catch(async (error: unknown) => {
				if (!(error instanceof ConnectionLost)) throw error;
				return await this.#afterLoss({ id, begin, word, received: () => received, onData }, deadline.signal);
			});
		} catch (error) {
			if (!deadline.signal.aborted) throw error;
			await this.kill();
		}
		const durationMs = performance.now() - started;
		if (end === "unstarted") return end;
		if (end) {
			const [, ending, cwd = this.#cwd] = /^(stays|exits) (.*)$/s.exec(end.rest) ?? [];
			if (ending !== "stays") this.#hasExited = true;
			if (command.cwd === undefined) this.#cwd = cwd;
			return { outcome: { exitCode: end.status, durationMs, cwd }, home: this.#cwd };
		}
		const stopped = command.signal.aborted || closing.aborted ? "abort" : "timeout";
		if (deadline.signal.aborted) return { outcome: { stopped, durationMs, cwd: this.#cwd } };
		// The command has replaced or killed its shell.
		const { exitCode } = this.#channel;
		return { outcome: { exitCode: exitCode ?? 0, durationMs, cwd: this.#cwd } };
	}

	/** Ends the shell and everything below it. */
	async kill(): Promise<void> {
		try {
			await this.#connection.killTree(this.#pid, true);
		} finally {
			await this.#channel.kill();
		}
	}

	/** Ends an idle shell. What its commands left behind continues until the connection ends. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#channel[Symbol.asyncDispose]();
	}

	#order({ command, cwd, env }: SessionCommand, begin: string): string {
		const variables = Object.entries(env ?? {}).map(([name, value]) => `${name}=${lineQuote(value)}`);
		const settings = [
			`__tau_word=$__tau_n __tau_begin=${begin} __tau_text=${lineQuote(command)}`,
			...(cwd === undefined ? [] : [`__tau_at=${lineQuote(cwd)}`]),
			...(variables.length === 0 ? [] : [`__tau_env=${lineQuote(variables.join(" "))}`]),
		];
		return `${settings.join(" ")}; eval "$__tau_run"`;
	}

	/** Two files in turn: one of them is complete at any time. */
	#stateOf(command: number): string {
		return `${this.#room}/${this.#name}.state${command % 2}`;
	}

	/** Undefined if the shell is gone without a word. */
	async #afterLoss(run: LostRun, signal: AbortSignal): Promise<OutputEnd | "unstarted" | undefined> {
		const scanner = new WordScanner(run.word);
		// What the channel held back was not received.
		for (let position = run.received(); ; position = run.received() + scanner.heldBytes) {
			await this.#connection.reconnect(signal);
			try {
				const isRunning = await this.#isRunning(signal);
				const found = await this.#readSpool(run, scanner, position, isRunning, signal);
				if (found) return found;
				if (isRunning) continue;
				const rest = scanner.flush();
				if (rest.length > 0) run.onData(rest);
				return undefined;
			} catch (error) {
				if (!(error instanceof ConnectionLost)) throw error;
				signal.throwIfAborted();
			}
		}
	}

	async #isRunning(signal: AbortSignal): Promise<boolean> {
		const { status } = await this.#connection.request(`kill -0 ${this.#pid} 2>/dev/null`, { signal });
		return status === 0;
	}

	/** Reads the spool from a position: to its end, or until the end of the command is in it or its shell is gone. */
	async #readSpool(
		{ id, begin, onData }: LostRun,
		scanner: WordScanner,
		position: number,
		follows: boolean,
		signal: AbortSignal,
	): Promise<OutputEnd | "unstarted" | undefined> {
		const done = new AbortController();
		using stack = new DisposableStack();
		stack.use(listen(signal, "abort", () => done.abort(signal.reason)));
		let end: OutputEnd | undefined;
		const check = async (): Promise<void> => {
			if (!(await this.#isRunning(done.signal))) return done.abort();
			stack.use(timer(limits.aliveCheckMs, () => void check().catch(() => {})));
		};
		if (follows) stack.use(timer(limits.aliveCheckMs, () => void check().catch(() => {})));
		const spool = lineQuote(`${this.#room}/${id}.out`);
		const tail = `tail -c +${position + 1}${follows ? " -f" : ""} ${spool}`;
		try {
			const { status } = await this.#connection.request(
				`[ "$(cat ${lineQuote(`${this.#room}/${this.#name}.run`)} 2>/dev/null)" = ${begin} ] && ${tail}`,
				{
					signal: done.signal,
					isLong: true,
					onData: (chunk) => {
						// What follows is about the end of this request: the shell there says that its tail was terminated.
						if (done.signal.aborted) return;
						const found = scanner.push(Buffer.from(chunk));
						if (found.data.length > 0) onData(found.data);
						end ??= found.end;
						if (found.end) done.abort();
					},
				},
			);
			if (status !== 0 && position === 0) return "unstarted";
		} catch (error) {
			// Aborted above: the end has come, or the shell is gone.
			if (!done.signal.aborted) throw error;
		}
		signal.throwIfAborted();
		return end;
	}
}

/** The user's profile sets PATH and what else commands expect. A shell that continues another one has that already. */
async function openShell(
	connection: SshConnection,
	isBash: boolean,
	states: readonly string[],
	setup: (word: string) => string,
	signal: AbortSignal,
): ReturnType<SshConnection["openShell"]> {
	if (isBash && states.length === 0) {
		using deadline = withTimeout(signal, limits.profileMs, "the profile takes too long");
		try {
			return await connection.openShell("bash -l", setup, deadline.signal);
		} catch (error) {
			signal.throwIfAborted();
			// A profile may wait for a terminal, or become another shell.
			log.warn("a login shell did not start", { host: connection.name, reason: String(error) });
		}
	}
	return await connection.openShell(isBash ? "bash" : "sh", setup, signal);
}

interface LostRun {
	readonly id: string;
	/** What the shell notes when it has started the command. */
	readonly begin: string;
	readonly word: string;
	received(): number;
	onData(chunk: Uint8Array): void;
}

/** Restores the newest complete state; a new shell starts in the directory, with nothing that waits for a user. */
function initScript(states: readonly string[], cwd: string): string {
	const variables = Object.entries(commandEnvironment({})).map(
		([name, value]) => `${name}=${lineQuote(value)}`,
	);
	const names = variables.map((each) => each.slice(0, each.indexOf("=")));
	// With those of a profile, words of a command would mean something else than was judged (commandEnvironment).
	const fresh = `unset CDPATH GLOBIGNORE; ${variables.join(" ")}; export ${names.join(" ")}`;
	const files = states.map(lineQuote);
	const restore = files.map(
		(file, index) =>
			`${index === 0 ? "if" : "elif"} [ "$(tail -n 1 ${file} 2>/dev/null)" = ": whole" ]; then . ${file};`,
	);
	const load = files.length === 0 ? fresh : `${restore.join(" ")} else ${fresh}; fi`;
	return `${load}; cd ${lineQuote(cwd)} || cd;`;
}

function dumpScript(isBash: boolean): string {
	const all = isBash
		? "shopt -p; declare -p; declare -f; declare -F; alias -p; umask -p"
		: `export -p; printf "umask %s\\n" "$(umask)"`;
	return `{ ${all}; echo ": whole"; } >|"$__tau_dir/$__tau_name.state$__tau_round" 2>/dev/null`;
}
