/** A persistent bash that executes orders, one at a time. */
import { existsSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { abortable, withTimeout } from "@tau/utils";
import { limits } from "../limits.ts";
import { childrenOf, childSocket, listProcesses } from "../process/index.ts";
import { bashOrder, bashProgram, type Frame } from "./bash-program.ts";
import type { ShellLauncher } from "./launcher.ts";
import { ownShell, shellEnded, type OwnedShell } from "./owned.ts";
import { ownRoom, type ShellRoom } from "./pipe-room.ts";
import { ReportReader, type BashReport } from "./report-reader.ts";
import { startFailure } from "./start-failure.ts";
import { readWritten, removeWritten } from "./written-file.ts";

export interface BashStart {
	program: string;
	cwd: string;
	env: Record<string, string>;
	/** The mark in the environment of all processes that it starts. */
	mark: string;
	/** A script in the room that restores variables, functions and aliases. */
	init: string | undefined;
	/** Starts it elsewhere: in a sandbox. */
	launcher: ShellLauncher | undefined;
}

/** How an order ended: with a status, or with the exit of the shell itself. */
export type OrderEnd =
	| { type: "ended"; status: number; cwd: string; home: string }
	/** A command has broken the files between us and the shell: the order was not executed. */
	| { type: "lost" }
	| { type: "gone"; exitCode?: number; killedBy?: string; cwd?: string; home?: string };

interface Keeping {
	path: string;
	done: PromiseWithResolvers<void>;
}

let made = 0;
const mostSpares = 2;

/** Nobody needs the state: its file is free again. */
export const unwanted = (path: string): string => path;

export class BashProcess implements Disposable {
	/** Resolves when the shell has exited. */
	readonly exited: Promise<void>;
	readonly room: ShellRoom;
	readonly #shell: Bun.Subprocess;
	/** Orders go out and reports come in. */
	#line: Bun.Socket | undefined;
	readonly #name: string;
	readonly #orderPath: string;
	/** The process that we have started: the shell, or the program that started the shell in a sandbox. */
	readonly #started: OwnedShell;
	#owned: OwnedShell;
	#executable: string | undefined;
	readonly #reader = new ReportReader();
	readonly #ready = Promise.withResolvers<void>();
	#order: PromiseWithResolvers<OrderEnd> | undefined;
	/** States that are still to be written: that of the running order, and perhaps that of the one before. */
	readonly #keeping: Keeping[] = [];
	/** Files for states so far. */
	#states = 0;
	/** What the launcher has printed. */
	#complaint = "";
	#isReady = false;
	#gone = false;
	#isLost = false;
	/** Files that the next states may be written to. */
	readonly #spares: string[] = [];
	/**
	 * Receives the file with the state after the last order, and returns the one that it replaces: the next state is
	 * written there, because a new file for each command takes file systems longer and longer.
	 */
	onState: (path: string) => string | undefined = unwanted;

	/** Rejects with a readable reason. */
	static async start(start: BashStart, isAgain = false): Promise<BashProcess> {
		const { launcher, cwd } = start;
		const room = launcher?.room ?? ownRoom;
		const name = `bash-${++made}`;
		const order = room.inside(join(room.path, `${name}.order`));
		const init = start.init === undefined ? undefined : room.inside(start.init);
		const limitsItself = launcher?.processLimit !== undefined && !runsFirst(start.env);
		const processes = limitsItself ? launcher.processLimit : undefined;
		const command = [start.program, "-c", bashProgram({ order, init, cwd, processes }), "bash"];
		const launching = launcher?.launch(command, { cwd, limitsItself });
		// The first command needs one, and the shell takes a while to start.
		room.preparePipes();
		using launched = await launching;
		const [file = "", ...args] = launched?.command ?? command;
		let shell: Bun.Subprocess;
		try {
			// Not Node's: its streams take 4 ms to load, and every report of the shell would pass through them.
			shell = Bun.spawn([file, ...args], {
				cwd: launcher ? "/" : cwd,
				// With PWD, bash keeps the path through symbolic links that led to the directory.
				env: { ...start.env, PWD: cwd },
				stdio: launched
					? ["ignore", "ignore", "pipe", "pipe", launched.file]
					: ["ignore", "ignore", "ignore", "pipe"],
				detached: true,
			});
		} catch (error) {
			throw new Error(startFailure(error, { command: "", cwd }), { cause: error });
		}
		const bash = new BashProcess(shell, start.mark, room, name);
		try {
			bash.#line = await childSocket(shell, 3, (chunk) => bash.#onData(chunk));
			// An idle shell must not keep the program alive.
			bash.#line.unref();
			using deadline = withTimeout(undefined, limits.shellStartMs, "The shell did not become ready.");
			await abortable(Promise.all([bash.#ready.promise, launched?.connected]), deadline.signal);
			if (launcher) bash.#own(shellBelow(bash.#started.pid, start.program), start.mark);
			return bash;
		} catch (error) {
			bash[Symbol.dispose]();
			// `kill -9 -1` in a sandbox ends it, perhaps while this shell was entering it.
			if (!isAgain && launched?.hasEnded?.() === true) return BashProcess.start(start, true);
			if (launcher?.help === undefined || !(error instanceof Error)) throw error;
			throw new Error(`${error.message} ${launcher.help}`, { cause: error });
		}
	}

	private constructor(shell: Bun.Subprocess, mark: string, room: ShellRoom, name: string) {
		this.#shell = shell;
		this.room = room;
		this.#name = name;
		this.#orderPath = join(room.path, `${name}.order`);
		this.#started = ownShell(shell.pid, mark);
		this.#owned = this.#started;
		this.#executable = executableOf(shell.pid);
		const exited = Promise.withResolvers<void>();
		this.exited = exited.promise;
		const complained = this.#readComplaint();
		void shell.exited.then(async () => {
			// What it complains about may arrive after its end; a process that it has left behind may hold the pipe open.
			if (!this.#isReady) await Promise.race([complained, Bun.sleep(limits.complaintMs)]);
			this.#end();
			exited.resolve();
		});
		shell.unref();
	}

	/** The process of the shell itself. */
	get owned(): OwnedShell {
		return this.#owned;
	}

	get busy(): boolean {
		return this.#order !== undefined;
	}

	/** True if the shell runs, and the directory of the orders still exists. */
	get usable(): boolean {
		return !this.#gone && !this.#isLost && existsSync(dirname(this.#orderPath));
	}

	/** True if a command has replaced the shell by another program (exec). */
	get replaced(): boolean {
		return this.#executable !== undefined && executableOf(this.owned.pid) !== this.#executable;
	}

	/** Resolves when the state after the last finished order is written, or never will be. */
	async settled(): Promise<void> {
		await this.#keeping.at(this.busy ? -2 : -1)?.done.promise;
	}

	run(text: string, frame: Omit<Frame, "keep">): Promise<OrderEnd> {
		if (this.#order) throw new Error("The shell runs one command at a time.");
		const keep = this.#spares.at(-1) ?? join(this.room.states, `${this.#name}-${++this.#states}.state`);
		const order = bashOrder(text, { ...frame, keep: this.room.inside(keep) });
		try {
			writeFileSync(this.#orderPath, order, { mode: 0o600 });
		} catch {
			// A command has taken the directory or the name.
			this.#isLost = true;
			return Promise.resolve({ type: "lost" });
		}
		this.#spares.pop();
		this.#order = Promise.withResolvers();
		this.#keeping.push({ path: keep, done: Promise.withResolvers() });
		this.#line?.ref();
		this.#line?.write("run\n");
		return this.#order.promise;
	}

	/** Asks the shell to skip the rest of the order. */
	interrupt(): void {
		if (this.#gone) return;
		try {
			process.kill(this.#owned.pid, "SIGURG");
		} catch {
			// It has just exited.
		}
	}

	/** Ends an idle shell before it has written a state that nobody will read; what started it ends with it. */
	kill(): void {
		if (this.#gone) return;
		try {
			process.kill(this.#owned.pid, "SIGKILL");
		} catch {
			// It has just exited.
		}
	}

	/** Closes the pipe of orders; an idle shell then exits by itself. */
	[Symbol.dispose](): void {
		this.#line?.terminate();
		try {
			// A command may have put a directory there.
			rmSync(this.#orderPath, { force: true, recursive: true });
		} catch {
			// It has taken the directory away from us, which is then no longer used.
		}
	}

	#own(pid: number | undefined, mark: string): void {
		if (pid === undefined) return;
		// A launcher may have become the shell.
		if (pid !== this.#started.pid) this.#owned = ownShell(pid, mark);
		this.#executable = executableOf(pid);
	}

	/** To its end, which is that of the launcher. */
	async #readComplaint(): Promise<void> {
		const { stderr } = this.#shell;
		if (!(stderr instanceof ReadableStream)) return;
		const decoder = new TextDecoder();
		for await (const chunk of stderr)
			if (this.#complaint.length < limits.launchMessageChars) this.#complaint += decoder.decode(chunk);
	}

	#onData(chunk: Uint8Array): void {
		try {
			for (const report of this.#reader.push(chunk)) this.#handle(report);
		} catch {
			// A command wrote to the report pipe, so its contents cannot be trusted any more.
			this.#shell.kill("SIGKILL");
		}
	}

	#handle(report: BashReport): void {
		if (report.type === "ready") {
			this.#isReady = true;
			return this.#ready.resolve();
		}
		if (report.type === "ended" || report.type === "lost") {
			this.#isLost ||= report.type === "lost";
			const end: OrderEnd = report.type === "ended" ? report : { type: "lost" };
			this.#order?.resolve(end);
			this.#order = undefined;
			return;
		}
		const state = this.#keeping.shift();
		if (this.#keeping.length === 0) this.#line?.unref();
		if (state) this.#pass(state.path);
		state?.done.resolve();
	}

	#pass(path: string): void {
		const old = this.onState(path);
		if (old === undefined) return;
		const isUsable = this.#spares.length < mostSpares && !this.#gone && dirname(old) === this.room.states;
		if (isUsable) this.#spares.push(old);
		else removeWritten(old);
	}

	#end(): void {
		this.#gone = true;
		shellEnded(this.#started);
		if (this.#owned !== this.#started) shellEnded(this.#owned);
		const reason = this.#complaint.trim();
		this.#ready.reject(new Error(`The shell exited before it was ready${reason && `: ${reason}`}.`));
		// The promise may have no handler.
		this.#ready.promise.catch(() => {});
		const last = this.#keeping.at(-1);
		const places = last && placesAtEnd(`${last.path}.end`);
		for (const { path } of this.#keeping) if (!places || path !== last?.path) removeWritten(path);
		if (places) this.#pass(last.path);
		for (const spare of this.#spares.splice(0)) removeWritten(spare);
		for (const { done } of this.#keeping.splice(0)) done.resolve();
		const { exitCode, signalCode } = this.#shell;
		this.#order?.resolve({
			type: "gone",
			...(exitCode === null ? {} : { exitCode }),
			...(signalCode === null ? {} : { killedBy: String(signalCode) }),
			...places,
		});
		this.#order = undefined;
	}
}

/** Whether bash may run code of the user's environment before its program, or in place of its builtins. */
function runsFirst(env: Readonly<Record<string, string>>): boolean {
	const names = new Set(["BASH_ENV", "SHELLOPTS"]);
	return Object.keys(env).some((name) => names.has(name) || name.startsWith("BASH_FUNC_"));
}

/** The shell that a launcher has started: below the launcher's own programs. */
function shellBelow(pid: number, program: string): number | undefined {
	const executable = realpathSync(program);
	const found = findBelow(pid, executable, (parent) => childrenOf(parent) ?? []);
	if (found !== undefined) return found;
	const processes = listProcesses();
	return findBelow(pid, executable, (parent) =>
		processes.filter((entry) => entry.parent === parent).map((entry) => entry.pid),
	);
}

function findBelow(
	pid: number,
	executable: string,
	children: (parent: number) => readonly number[],
): number | undefined {
	const queue = [pid];
	for (const next of queue) {
		if (executableOf(next) === executable) return next;
		queue.push(...children(next));
	}
	return undefined;
}

/** Undefined if the system does not report it. */
function executableOf(pid: number): string | undefined {
	try {
		return readlinkSync(`/proc/${pid}/exe`);
	} catch {
		return undefined;
	}
}

/** The directories after a command that ended its shell; undefined when the shell could not report them. */
function placesAtEnd(path: string): { cwd: string; home: string } | undefined {
	const [cwd = "", back, end] = readWritten(path)?.toString("utf8").split("\0") ?? [];
	removeWritten(path);
	if (end === undefined) return undefined;
	const printed = cwd.slice(0, -1);
	return { cwd: printed, home: back || printed };
}
