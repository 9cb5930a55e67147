/** One process at a time writes a session: `<file>.lock` names it, and a lock without a living owner is taken over. */
import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from "node:fs";

import { lockLimits as limits } from "./limits.ts";
import { isStale, isThisProcess, parseOwner, thisProcess, type LockOwner } from "./lock-owner.ts";
import { log } from "./log.ts";
import { errorCode } from "./values.ts";

export interface Locked {
	path: string;
	/** Undefined when the other process is only just taking it. */
	owner: LockOwner | undefined;
	/** The owner is this very process, through another manager. */
	isOwn: boolean;
}

export type LockOutcome = { ok: true; lock: Lock } | { ok: false; locked: Locked };

/** `path` is that of the session file. Throws what the file system says when no lock can be written. */
export function takeLock(path: string): LockOutcome {
	const lockPath = `${path}.lock`;
	const owner = thisProcess();
	for (let attempt = 0; attempt < limits.attempts; attempt++) {
		if (create(lockPath, owner)) return { ok: true, lock: new Lock(lockPath, owner) };
		const found = look(lockPath);
		// It was given back between the two looks.
		if (!found) continue;
		const locked = { path, owner: found.owner, isOwn: isThisProcess(found.owner) };
		if (!isStale(found.owner, found.beatAgeMs)) return { ok: false, locked };
		if (!removeStale(lockPath)) return { ok: false, locked };
	}
	throw new Error(`Cannot read or create ${lockPath}. Remove it.`);
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
	 * Whether the lock is still this one's. While the heart beats nobody takes it, so that the file is looked at
	 * only after a pause in which others may have thought it dead.
	 */
	isHeld(): boolean {
		if (Date.now() - this.#lastBeat < limits.staleMs / 2) return true;
		return this.#show();
	}

	/** Who holds it, as the file says. Throws what the file system says. */
	owner(): LockOwner | undefined {
		return look(this.#path)?.owner;
	}

	[Symbol.dispose](): void {
		clearInterval(this.#beat);
		try {
			if (this.owner()?.token === this.#owner.token) rmSync(this.#path, { force: true });
		} catch (error) {
			// Nobody lives behind it any more, and whoever comes next will see that.
			log.debug("a lock could not be removed", { path: this.#path, reason: String(error) });
		}
	}

	/** Says whether it is still this one's. */
	#show(): boolean {
		const now = new Date();
		try {
			// Somebody may have removed it, with the session or without: then it is made again.
			const found = look(this.#path);
			if (!found && !create(this.#path, this.#owner)) return false;
			if (found && found.owner?.token !== this.#owner.token) return false;
			utimesSync(this.#path, now, now);
		} catch (error) {
			// A disk that cannot be read or written: nobody else can take the lock there either.
			log.debug("a lock could not be renewed", { path: this.#path, reason: String(error) });
		}
		this.#lastBeat = now.getTime();
		return true;
	}
}

/** Who holds a lock file, as long as it counts. One that cannot be read counts, for whoever has to be careful. */
export function livingOwner(lockPath: string): LockOwner | undefined {
	const found = look(lockPath);
	if (!found || isStale(found.owner, found.beatAgeMs)) return undefined;
	return found.owner ?? { ...thisProcess(), since: "" };
}

/** Says whether there was none. */
function create(lockPath: string, owner: LockOwner): boolean {
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
		// A lock without an owner would keep everybody out until it is old.
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
 * Two processes may find the same lock stale. Only the one that holds the guard removes it, and only after a second
 * look: otherwise the slower one would remove the lock that the faster one has just taken.
 */
function removeStale(lockPath: string): boolean {
	const guardPath = `${lockPath}.takeover`;
	const guard = openGuard(guardPath);
	if (guard === undefined) return false;
	try {
		const found = look(lockPath);
		if (found && !isStale(found.owner, found.beatAgeMs)) return false;
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
