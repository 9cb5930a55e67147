/** The daemon: starts sessions that outlive their terminals, each in a process of its own, and ends when none is left. */
import { join } from "node:path";

import {
	delay,
	dirs,
	envNumber,
	isRunning,
	log,
	takeLock,
	timer,
	UsageError,
	version,
	openRuntimeDirectory,
	shortHash,
} from "@tau/utils";

import { ask } from "../local/connect.ts";
import { limits } from "../local/limits.ts";
import { listenLocally, type Peer } from "./listener.ts";
import {
	readOpenRequest,
	readWebRequest,
	type OpenedSession,
	type OpenOutcome,
	type OpenRequest,
	type WebOutcome,
	type WebRequest,
	type WorkOutcome,
} from "../local/protocol.ts";
import { ScheduleRunner } from "../schedules/runner.ts";
import type { WebControl } from "../web/control.ts";
import { WorkerProcess } from "./worker-process.ts";
import { spawnSession, untilJoinable } from "./session-process.ts";
import { ownFacts, register, registrations, type Registration } from "../local/registrations.ts";

/** What `tau daemon status` shows. */
export interface DaemonStatus {
	readonly pid: number;
	readonly version: string;
	readonly startedAt: number;
	readonly sessions: number;
}

/** There is one daemon for each version and each directory of settings. */
export function daemonKey(): string {
	return shortHash([version, dirs().agent].join("\0"));
}

/** Sessions that run without a terminal. */
export function detachedSessions(): Registration[] {
	return registrations().filter(({ kind }) => kind === "detached");
}

/** Resolves when it was stopped, or has nothing left to do. */
export async function runDaemon(signal: AbortSignal, onListening: () => void): Promise<void> {
	await using daemon = new Daemon();
	onListening();
	await daemon.untilOver(signal);
}

class Daemon implements AsyncDisposable {
	readonly #owned = new DisposableStack();
	readonly #sessions = new Map<number, Bun.Subprocess>();
	readonly #over = Promise.withResolvers<void>();
	readonly #facts = ownFacts();
	readonly #idleMs = envNumber("TAU_DAEMON_IDLE_MS") ?? limits.daemonIdleMs;
	readonly #schedules: ScheduleRunner;
	#opening = 0;
	/** The worker of the fleet, while tasks of this machine are to be done. */
	#worker: WorkerProcess | undefined;
	/** Loaded when the user asks for the page. */
	#web: WebControl | undefined;
	#idle: Disposable | undefined;

	constructor() {
		const directory = openRuntimeDirectory();
		const name = `daemon-${daemonKey()}`;
		const lock = takeLock(join(directory, name));
		if (!lock.ok)
			throw new UsageError(
				`The daemon is running already, as process ${lock.locked.owner?.pid ?? "unknown"}.`,
			);
		this.#owned.use(lock.lock);
		const socket = join(directory, `${name}.sock`);
		this.#owned.use(
			listenLocally({ path: socket, token: this.#facts.token, onPeer: (peer) => this.#meet(peer) }),
		);
		const registration = { kind: "daemon", ...this.#facts, socket, sessionId: "", cwd: "" } as const;
		this.#owned.use(register(directory, name, { ...registration, serves: daemonKey() }));
		this.#schedules = new ScheduleRunner({ open: (request) => this.#started(request) });
		this.#rest();
	}

	async untilOver(signal: AbortSignal): Promise<void> {
		const stop = (): void => this.#over.resolve();
		signal.addEventListener("abort", stop);
		await this.#over.promise;
		signal.removeEventListener("abort", stop);
	}

	/** Its sessions end with it, unless they have to be left: a daemon that was killed leaves them running. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#idle?.[Symbol.dispose]();
		this.#web?.[Symbol.dispose]();
		this.#schedules[Symbol.dispose]();
		await this.#worker?.[Symbol.asyncDispose]();
		await endSessions();
		this.#owned.dispose();
	}

	#meet(peer: Peer): void {
		const { purpose } = peer.hello;
		if (purpose === "open") {
			peer.onLine = (line) => void this.#open(readOpenRequest(line), peer);
			return peer.welcome();
		}
		if (purpose === "work") {
			peer.onLine = (line) => this.#work(readOpenRequest(line), peer);
			return peer.welcome();
		}
		if (purpose === "web") {
			peer.onLine = (line) => void this.#serveWeb(readWebRequest(line), peer);
			return peer.welcome();
		}
		if (purpose === "status") {
			const { pid, startedAt } = this.#facts;
			const status: DaemonStatus = { pid, version, startedAt, sessions: detachedSessions().length };
			peer.welcome(status);
			// Whoever has changed the schedules asks whether it runs.
			this.#schedules.look();
			return peer.close();
		}
		if (purpose !== "end") return peer.refuse("This is the daemon, and not a session.");
		peer.welcome();
		peer.close();
		this.#over.resolve();
	}

	#work(request: OpenRequest | undefined, peer: Peer): void {
		const answer = (outcome: WorkOutcome): void => void peer.sendLines([JSON.stringify(outcome)]);
		if (request) {
			answer({ type: "working", pid: this.#startWorker(request) });
		} else answer({ type: "failed", reason: "This is not a request for a worker." });
		peer.close();
		this.#rest();
	}

	/** Gives its process. */
	#startWorker(request: OpenRequest): number {
		if (!this.#worker?.isRunning) this.#worker = new WorkerProcess(request, () => this.#rest());
		return this.#worker.pid;
	}

	async #serveWeb(request: WebRequest | undefined, peer: Peer): Promise<void> {
		const answer = (outcome: WebOutcome): void => void peer.sendLines([JSON.stringify(outcome)]);
		try {
			if (!request) throw new Error("This is not a request of tau web.");
			const { WebControl: Control } = await import("../web/control.ts");
			this.#web ??= new Control({
				open: (session) => this.#started(session),
				startWorker: async (worker) => void this.#startWorker(worker),
			});
			answer(this.#web.handle(request));
		} catch (error) {
			answer({ type: "failed", reason: error instanceof Error ? error.message : String(error) });
		} finally {
			peer.close();
			this.#rest();
		}
	}

	async #open(request: OpenRequest | undefined, peer: Peer): Promise<void> {
		const answer = (outcome: OpenOutcome): void => void peer.sendLines([JSON.stringify(outcome)]);
		try {
			if (!request) throw new Error("This is not a session to open.");
			answer({ type: "opened", session: await this.#started(request) });
		} catch (error) {
			answer({ type: "failed", reason: error instanceof Error ? error.message : String(error) });
		} finally {
			peer.close();
		}
	}

	/** The daemon does not end meanwhile. */
	async #started(request: OpenRequest): Promise<OpenedSession> {
		this.#opening++;
		try {
			return await this.#start(request);
		} finally {
			this.#opening--;
			this.#rest();
		}
	}

	/** Resolves when it can be joined. */
	async #start(request: OpenRequest): Promise<OpenedSession> {
		const child = spawnSession(request, "1");
		this.#sessions.set(child.pid, child);
		void child.exited.then((code) => this.#ended(child.pid, code));
		log.info("a session was started", { pid: child.pid, cwd: request.cwd });
		return await untilJoinable(child);
	}

	#ended(pid: number, code: number): void {
		log.info("a session has ended", { pid, code });
		this.#sessions.delete(pid);
		// Its outcome is known, and another one may have its turn.
		this.#schedules.look();
		this.#rest();
	}

	/** Waits for the next session, if there is none. */
	#rest(): void {
		this.#idle?.[Symbol.dispose]();
		this.#idle = timer(this.#idleMs, () => {
			// Those of a daemon that was killed count too.
			if (
				this.#web?.isRunning ||
				this.#worker?.isRunning ||
				this.#opening > 0 ||
				this.#sessions.size > 0 ||
				this.#schedules.hasSchedules ||
				detachedSessions().length > 0
			)
				this.#rest();
			else this.#over.resolve();
		});
	}
}

/** Asks all sessions without a terminal to end; those that do not are killed. */
export async function endSessions(sessions: readonly Registration[] = detachedSessions()): Promise<void> {
	await Promise.all(
		sessions.map(async (session) => {
			try {
				await ask(session, { purpose: "end" }, { timeoutMs: limits.statusMs });
			} catch (error) {
				log.warn("a session did not answer and is ended by a signal", { reason: String(error) });
				kill(session.pid, "SIGTERM");
			}
			if (await untilEnded(session.pid)) return;
			log.warn("a session did not end and was killed", { pid: session.pid });
			kill(session.pid, "SIGKILL");
		}),
	);
}

/** Whether it has ended in time. A process of another daemon cannot be waited for otherwise. */
export async function untilEnded(pid: number): Promise<boolean> {
	const deadline = performance.now() + limits.endMs;
	while (isRunning(pid)) {
		if (performance.now() > deadline) return false;
		await delay(limits.endPollMs);
	}
	return true;
}

function kill(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// It has ended by itself meanwhile.
	}
}
