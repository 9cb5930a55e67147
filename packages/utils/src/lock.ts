/**
 * Lets one process at a time write a session: `<file>.lock` names the owner, and a lock without a living owner is
 * taken over.
 */
import {
	closeSync,
	linkSync,
	openSync,
	readFileSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
	writeSync,
} from "node:fs";

import { delay } from "./abort.ts";
import { lockLimits as limits } from "./limits.ts";
import { isStale, isThisProcess, parseOwner, thisProcess, type LockOwner } from "./lock-owner.ts";
import { log } from "./log.ts";
import { errorCode } from "./values.ts";

export interface Locked {
	path: string;
	/** Undefined where the file system has no hard links and the other process is still writing the lock, or it is torn. */
	owner: LockOwner | undefined;
	/** True if the owner is this process, through another manager. */
	isOwn: boolean;
}

export type LockOutcome = { ok: true; lock: Lock } | { ok: false; locked: Locked };

/** `path` is that of the session file. Throws the file system's error when no lock can be written. */
export function takeLock(path: string): LockOutcome {
	const lockPath = `${path}.lock`;
	const owner = thisProcess();
	for (let attempt = 0; attempt < limits.attempts; attempt++) {
		const current = look(lockPath);
		if (!current) {
			if (create(lockPath, owner)) return { ok: true, lock: new Lock(lockPath, owner) };
			// Another process took it between the two.
			continue;
		}
		const locked = { path, owner: current.owner, isOwn: isThisProcess(current.owner) };
		if (!isStale(current.owner, current.beatAgeMs)) return { ok: false, locked };
		if (!removeStale(lockPath)) return { ok: false, locked };
	}
	throw new Error(`Cannot read or create ${lockPath}. Remove it.`);
}

/**
 * Waits for the lock of a small file that is only changed for a moment: writing takes a millisecond, so this blocks rather
 * than make every change asynchronous. Throws when another process does not give it back.
 */
export function waitForLock(path: string): Lock {
	const deadline = performance.now() + limits.waitMs;
	for (;;) {
		const taken = takeLock(path);
		if (taken.ok) return taken.lock;
		if (performance.now() > deadline) throw new Error(`${path} is being written by another process.`);
		Bun.sleepSync(limits.pollMs);
	}
}

export interface LockWait {
	waitMs: number;
	/** How often to look; work that takes minutes is looked for less often than a change of a small file. */
	pollMs?: number;
	signal?: AbortSignal | undefined;
	/** Called once, if the lock is not free at once. */
	onWait?(locked: Locked): void;
}

/** Waits for a lock without blocking. When the time is over, the outcome is who holds it. */
export async function lockWithin(
	path: string,
	{ waitMs, pollMs = limits.pollMs, signal, onWait }: LockWait,
): Promise<LockOutcome> {
	const deadline = performance.now() + waitMs;
	for (let isFirst = true; ; isFirst = false) {
		const taken = takeLock(path);
		if (taken.ok || performance.now() > deadline) return taken;
		if (isFirst) onWait?.(taken.locked);
		await delay(pollMs, signal);
	}
}

export class Lock implements Disposable {
	readonly #path: string;
	readonly #owner: LockOwner;
	readonly #beat: NodeJS.Timeout;
	#lastBeat = Date.now();

	constructor(path: string, owner: LockOwner) {
		this.#path = path;
		this.#owner = owner;
		this.#beat = setInterval(() => this.#show(), limits.beatMs);
		this.#beat.unref();
	}

	/**
	 * True while this instance holds the lock. The heartbeat keeps the lock, so the file is checked again only after
	 * a pause in which others may have considered it stale.
	 */
	isHeld(): boolean {
		if (Date.now() - this.#lastBeat < limits.staleMs / 2) return true;
		return this.#show();
	}

	/** The owner according to the file. Throws the file system's error. */
	owner(): LockOwner | undefined {
		return look(this.#path)?.owner;
	}

	[Symbol.dispose](): void {
		clearInterval(this.#beat);
		try {
			if (this.owner()?.token === this.#owner.token) rmSync(this.#path, { force: true });
		} catch (error) {
			// The lock has no living owner any more; the next process detects that and takes it over.
			log.debug("cannot remove a lock", { path: this.#path, reason: String(error) });
		}
	}

	/** Renews the lock; false when it belongs to another owner. */
	#show(): boolean {
		const now = new Date();
		try {
			// If the lock file was removed, with the session or without, it is created again.
			const current = look(this.#path);
			if (!current && !create(this.#path, this.#owner)) return false;
			if (current && current.owner?.token !== this.#owner.token) return false;
			utimesSync(this.#path, now, now);
		} catch (error) {
			// The disk cannot be read or written, so no other process can take the lock either.
			log.debug("cannot renew a lock", { path: this.#path, reason: String(error) });
		}
		this.#lastBeat = now.getTime();
		return true;
	}
}

/** The owner of a lock file, as long as the lock is valid. An unreadable lock counts as valid, to be careful. */
export function livingOwner(lockPath: string): LockOwner | undefined {
	const current = look(lockPath);
	if (!current || isStale(current.owner, current.beatAgeMs)) return undefined;
	return current.owner ?? { ...thisProcess(), since: "" };
}

/**
 * Returns false if the lock file already exists. It appears with its owner in it: a process that is killed in between
 * leaves no lock of nobody, which would have to be respected until it is stale.
 */
function create(lockPath: string, owner: LockOwner): boolean {
	const written = `${lockPath}.${owner.token}`;
	try {
		writeFileSync(written, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
		linkSync(written, lockPath);
		return true;
	} catch (error) {
		if (errorCode(error) === "EEXIST") return false;
		if (!cannotLink.has(errorCode(error) ?? "")) throw error;
		return createUnlinked(lockPath, owner);
	} finally {
		rmSync(written, { force: true });
	}
}

/** What file systems without hard links answer. */
const cannotLink: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

function createUnlinked(lockPath: string, owner: LockOwner): boolean {
	let file: number;
	try {
		file = openSync(lockPath, "wx", 0o600);
	} catch (error) {
		if (errorCode(error) === "EEXIST") return false;
		throw error;
	}
	try {
		writeSync(file, JSON.stringify(owner));
		return true;
	} catch (error) {
		// A lock without an owner would block every process until it is stale.
		rmSync(lockPath, { force: true });
		throw error;
	} finally {
		closeSync(file);
	}
}

function look(lockPath: string): { owner: LockOwner | undefined; beatAgeMs: number } | undefined {
	try {
		const beatAgeMs = Date.now() - statSync(lockPath).mtimeMs;
		return { owner: parseOwner(readFileSync(lockPath, "utf8")), beatAgeMs };
	} catch (error) {
		if (errorCode(error) === "ENOENT") return undefined;
		throw error;
	}
}

/**
 * Two processes may see the same stale lock. Only the one that holds the guard removes it, and only after a second
 * check: otherwise the slower one would remove the lock that the faster one has just taken.
 */
function removeStale(lockPath: string): boolean {
	const guardPath = `${lockPath}.takeover`;
	const guard = openGuard(guardPath);
	if (guard === undefined) return false;
	try {
		const current = look(lockPath);
		if (current && !isStale(current.owner, current.beatAgeMs)) return false;
		rmSync(lockPath, { force: true });
		return true;
	} finally {
		closeSync(guard);
		rmSync(guardPath, { force: true });
	}
}

function openGuard(guardPath: string): number | undefined {
	try {
		const age = Date.now() - (statSync(guardPath, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
		if (age > limits.takeoverStaleMs) rmSync(guardPath, { force: true });
		return openSync(guardPath, "wx", 0o600);
	} catch (error) {
		if (errorCode(error) === "EEXIST") return undefined;
		throw error;
	}
}
