/** A persistent shell on another machine: state that a command sets is available to the next one. */
import type { MachineShellOptions, MachineShellSession, SessionCommand, SessionOutcome } from "@tau/sys";
import type { SshConnection } from "./connection.ts";
import { limits } from "./limits.ts";
import { RemoteShell, type CommandEnd } from "./remote-shell.ts";

const nameSyntax = /^[A-Za-z_]\w*$/;

/** The environment of this machine is not sent: that of the other one counts. */
export function remoteSession(
	connection: SshConnection,
	{ cwd }: Pick<MachineShellOptions, "cwd">,
): MachineShellSession {
	return new RemoteSession(connection, cwd);
}

class RemoteSession implements MachineShellSession {
	readonly #connection: SshConnection;
	readonly #closing = new AbortController();
	readonly #running = new Set<Promise<unknown>>();
	#shell: RemoteShell | undefined;
	#starting: Promise<RemoteShell> | undefined;
	#states: readonly string[] = [];
	#cwd: string;
	/** The command that runs in the shell itself, and whether it was detached with it. */
	#turn: { left: boolean } | undefined;

	constructor(connection: SshConnection, cwd: string) {
		this.#connection = connection;
		this.#cwd = cwd;
	}

	get cwd(): string {
		return this.#cwd;
	}

	get busy(): boolean {
		return this.#turn !== undefined;
	}

	/** The next command waits for it and reports what failed. */
	prepare(): void {
		if (this.#closing.signal.aborted || this.#turn) return;
		this.#usable().catch(() => {});
	}

	async run(command: SessionCommand): Promise<SessionOutcome> {
		if (this.#closing.signal.aborted) throw new Error("The shell session has ended.");
		if (command.signal.aborted) return { stopped: "abort", durationMs: 0, cwd: this.#cwd };
		check(command);
		const beside = this.busy || command.beside === true;
		const running = beside ? this.#runBeside(command) : this.#runInside(command);
		this.#running.add(running);
		try {
			return await running;
		} finally {
			this.#running.delete(running);
		}
	}

	leave(): void {
		if (!this.#turn) return;
		this.#turn.left = true;
		this.#turn = undefined;
		this.#shell = undefined;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closing.abort();
		await Promise.allSettled(this.#running);
		await (await this.#starting?.catch(() => undefined))?.[Symbol.asyncDispose]();
		await this.#shell?.kill().catch(() => {});
		this.#shell = undefined;
	}

	async #runInside(command: SessionCommand): Promise<SessionOutcome> {
		const turn = { left: false };
		this.#turn = turn;
		try {
			const shell = await this.#usable();
			if (turn.left) return await this.#detached(shell, command);
			const end = await shell.run(command, this.#closing.signal);
			// The shell had ended, as after a lost connection; the next one has the same state.
			if (end === "unstarted") return await this.#again(command);
			const { outcome, home } = end;
			if (turn.left) await shell[Symbol.asyncDispose]();
			else {
				this.#keep(shell);
				this.#cwd = home ?? this.#cwd;
			}
			return outcome;
		} finally {
			if (!turn.left) this.#turn = undefined;
		}
	}

	async #runBeside(command: SessionCommand): Promise<SessionOutcome> {
		return await this.#detached(await this.#start(), command);
	}

	async #detached(shell: RemoteShell, command: SessionCommand): Promise<SessionOutcome> {
		await using own = shell;
		return outcomeOf(await own.run(command, this.#closing.signal));
	}

	async #again(command: SessionCommand): Promise<SessionOutcome> {
		this.#shell = undefined;
		const shell = await this.#usable();
		const end = await shell.run(command, this.#closing.signal);
		if (end !== "unstarted" && end.home !== undefined) this.#cwd = end.home;
		this.#keep(shell);
		return outcomeOf(end);
	}

	/** A shell that was killed in its first command has no state: that of the shell before it counts. */
	#keep({ states }: RemoteShell): void {
		this.#states = [...new Set([...states, ...this.#states])].slice(0, limits.states);
	}

	async #usable(): Promise<RemoteShell> {
		if (this.#shell?.isUsable) return this.#shell;
		const starting = (this.#starting ??= this.#start());
		try {
			return (this.#shell = await starting);
		} finally {
			if (this.#starting === starting) this.#starting = undefined;
		}
	}

	#start(): Promise<RemoteShell> {
		const states = this.#states;
		return RemoteShell.start(this.#connection, { cwd: this.#cwd, states }, this.#closing.signal);
	}
}

function outcomeOf(end: CommandEnd | "unstarted"): SessionOutcome {
	if (end === "unstarted") throw new Error("The connection was lost before the command was started.");
	return end.outcome;
}

function check({ command, env }: SessionCommand): void {
	if (command.includes("\0")) throw new Error("The command contains a null byte.");
	for (const [name, value] of Object.entries(env ?? {})) {
		if (!nameSyntax.test(name)) throw new Error(`Not a valid variable name: ${JSON.stringify(name)}`);
		if (value.includes("\0")) throw new Error(`The value of ${name} contains a null byte.`);
	}
}
