/** The programs that a session debugs. They end with it. */
import { basename, relative } from "node:path";

import type { Machine } from "@tau/sys";
import { log, timer, withoutSecrets } from "@tau/utils";

import type { AdapterRow } from "./adapters/adapter-row.ts";
import { adaptersFor, findAdapter, type Command } from "./adapters/locate.ts";
import { adapterRows } from "./adapters/own-rows.ts";
import type { Breakpoint } from "./client/breakpoints.ts";
import { DapError } from "./client/connection.ts";
import { DebugSession } from "./client/debug-session.ts";
import { debugUpdate } from "./describe.ts";
import { limits } from "./limits.ts";
import { planMode, type ToolEnv, type ServiceKey } from "@tau/tools/tool";

export interface Beginning {
	readonly label: string;
	readonly request: "launch" | "attach";
	readonly adapter: FoundAdapter;
	readonly configuration: Readonly<Record<string, unknown>>;
	readonly cwd: string;
	/** Where it runs, if not in the session's sandbox. */
	readonly machine?: Machine;
	readonly breakpoints: readonly Breakpoint[];
	readonly exceptions?: readonly string[];
}

export interface FoundAdapter {
	readonly row: AdapterRow;
	readonly command: Command;
}

export class Debuggers implements AsyncDisposable {
	readonly #env: ToolEnv;
	readonly #sessions = new Map<string, DebugSession>();
	/** Programs whose changes clients have not seen, and when they will. */
	readonly #changed = new Set<DebugSession>();
	#announcing: Disposable | undefined;
	#made = 0;

	constructor(env: ToolEnv) {
		this.#env = env;
	}

	/** The newest last; those that have ended are kept until another one needs the room. */
	get sessions(): readonly DebugSession[] {
		return [...this.#sessions.values()];
	}

	/** A program that is being debugged cannot be brought back to where it stands. */
	get holdsState(): boolean {
		return this.sessions.some(({ state }) => state !== "ended");
	}

	get rows(): readonly AdapterRow[] {
		return adapterRows(this.#env.settings.get("debug.adapters")).rows;
	}

	row(name: string | undefined): AdapterRow | undefined {
		return this.rows.find((row) => row.name === name || row.type === name);
	}

	/** Mistakes in the settings. */
	get problems(): readonly string[] {
		return adapterRows(this.#env.settings.get("debug.adapters")).problems;
	}

	/** The one of this id or, without one, the newest that has not ended; of a program with child sessions, the active one. */
	session(id?: string): DebugSession {
		const living = this.sessions.filter(({ state }) => state !== "ended");
		if (id === undefined) {
			const newest = living.at(-1) ?? this.sessions.at(-1);
			if (newest) return newest.active;
		} else {
			const root = this.#sessions.get(id);
			const found = root?.active ?? living.flatMap(({ family }) => family).find((each) => each.id === id);
			if (found) return found;
		}
		const ids = living.flatMap(({ family }) => family.map((each) => each.id)).join(", ");
		throw new DapError(
			id === undefined
				? "No program is being debugged. Start one with launch or attach."
				: `There is no debug session ${id}. There are: ${ids || "none"}.`,
		);
	}

	/** The first adapter that is installed, or the one of this name. */
	async adapter(name: string | undefined, program: string, signal: AbortSignal): Promise<FoundAdapter> {
		const { rows } = this;
		const { machine, cwd, env } = this.#env;
		const named = rows.filter((row) => row.name === name || row.type === name);
		const place = { machine, cwd, env };
		const candidates = name === undefined ? await adaptersFor(rows, program, place, signal) : named;
		if (candidates.length === 0)
			throw new DapError(
				`There is no adapter ${name ?? ""}. There are: ${rows.map((row) => row.name).join(", ")}.`,
			);
		const reasons: string[] = [];
		for (const row of candidates) {
			const { command, reason } = await findAdapter(row, place, signal);
			if (command) return { row, command };
			if (reason !== undefined) reasons.push(` ${reason}.`);
		}
		const hints = candidates.map((row) => `${row.name} (${row.install || row.command[0]})`).join("; ");
		const what = program === "" ? "the process" : basename(program);
		throw new DapError(
			`No debugger for ${what} is installed.${reasons.join("")} Ask the user to install: ${hints}.`,
		);
	}

	/** An adapter that runs already; the row is for what is sent to it. */
	adapterAt(name: string, host: string, port: number): FoundAdapter {
		const row = this.row(name);
		if (!row) throw new DapError(`There is no adapter ${name}.`);
		return { row, command: ["--connect", host, String(port)] };
	}

	/** Starts a program, or attaches to one; what fails leaves nothing behind. */
	async begin(beginning: Beginning, signal: AbortSignal): Promise<DebugSession> {
		await this.#makeRoom();
		const { label, request, adapter, configuration, cwd } = beginning;
		const session = await DebugSession.open({
			id: `d${++this.#made}`,
			label,
			request,
			configuration,
			cwd,
			...adapter,
			env: withoutSecrets(this.#env.env),
			isReadOnly: this.#env.services.provided(planMode)?.isOn === true,
			machine: beginning.machine ?? this.#env.machine,
			onChange: (program) => this.#announce(program),
		});
		this.#sessions.set(session.id, session);
		try {
			session.breakpoints.add(beginning.breakpoints);
			session.breakpoints.exceptions = beginning.exceptions ?? adapter.row.exceptions;
			await session.begin(signal);
			return session;
		} catch (error) {
			const { ending, output } = session;
			this.#sessions.delete(session.id);
			await session[Symbol.asyncDispose]();
			if (!(error instanceof DapError)) throw error;
			const isKnown = ending === undefined || error.message.includes(ending);
			// A build that failed has printed why.
			const printed = output.unseen(limits.reportOutputChars).trimEnd();
			const why = isKnown ? error.message : `${error.message} (${ending})`;
			throw new DapError(printed === "" ? why : `${why}\nOutput:\n${printed}`);
		}
	}

	/** Ends the whole program of a session. */
	async end({ root }: DebugSession): Promise<void> {
		this.#sessions.delete(root.id);
		await root[Symbol.asyncDispose]();
	}

	/** Changes come in bursts, when a program starts or stops: clients see what follows from them. */
	#announce(program: DebugSession): void {
		this.#changed.add(program);
		this.#announcing ??= timer(limits.announceMs, () => {
			this.#announcing = undefined;
			const updates = [...this.#changed].map((each) => debugUpdate(each, this));
			this.#changed.clear();
			for (const update of updates)
				void this.#env.session
					.emit(update)
					.catch((error: unknown) =>
						log.warn("a change of a debugged program was not delivered", { reason: String(error) }),
					);
		});
	}

	/** A path as the model reads it. */
	shown(path: string): string {
		const below = relative(this.#env.cwd, path);
		return below === "" || below.startsWith("..") ? path : below;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.sessions.map((session) => session[Symbol.asyncDispose]()));
		this.#sessions.clear();
		this.#announcing?.[Symbol.dispose]();
	}

	async #makeRoom(): Promise<void> {
		for (const session of this.sessions)
			if (session.state === "ended") {
				this.#sessions.delete(session.id);
				await session[Symbol.asyncDispose]();
			}
		if (this.#sessions.size >= limits.sessions)
			throw new DapError(`${limits.sessions} programs are being debugged already. Terminate one first.`);
	}
}

/** A session has its own; nothing is started before a program is debugged. */
export const debuggers: ServiceKey<Debuggers> = {
	name: "debuggers",
	create: (env) => new Debuggers(env),
};
