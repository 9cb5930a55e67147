/**
 * Identifies the owner of a lock, to distinguish a living process from a dead one after crashes, reboots and reused
 * pids.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

import { uuidv7 } from "./ids.ts";
import { lockLimits as limits } from "./limits.ts";
import { errorCode, isRecord } from "./values.ts";

export interface LockOwner {
	pid: number;
	/** The start time of the process, as the kernel counts it: a pid alone may be reused. */
	started: string | null;
	host: string;
	/** The pid namespace: each container of a host has its own. */
	space: string | null;
	boot: string | null;
	since: string;
	/** Unique for each acquisition of a lock. */
	token: string;
}

export function thisProcess(): LockOwner {
	return {
		pid: process.pid,
		started: startOf(process.pid),
		host: hostname(),
		space: orNull(() => readlinkSync("/proc/self/ns/pid")),
		boot: bootId(),
		since: new Date().toISOString(),
		token: uuidv7(),
	};
}

export function parseOwner(text: string): LockOwner | undefined {
	const value: unknown = orNull(() => JSON.parse(text));
	if (!isRecord(value)) return undefined;
	const { pid, host, token } = value;
	if (typeof pid !== "number" || typeof host !== "string" || typeof token !== "string") return undefined;
	const string = (key: string) => (typeof value[key] === "string" ? value[key] : null);
	const since = string("since") ?? "";
	return {
		pid,
		host,
		token,
		since,
		started: string("started"),
		space: string("space"),
		boot: string("boot"),
	};
}

/**
 * A living process on this machine keeps its lock even after a long stop (Ctrl+Z). The heartbeat decides where the
 * process cannot be checked.
 */
export function isStale(owner: LockOwner | undefined, beatAgeMs: number): boolean {
	const isSilent = beatAgeMs > limits.staleMs;
	const self = thisProcess();
	if (!owner || owner.host !== self.host) return isSilent;
	if (differ(owner.boot, self.boot)) return true;
	if (owner.space !== self.space) return isSilent;
	if (!isRunning(owner.pid)) return true;
	const started = startOf(owner.pid);
	return owner.started === null || started === null ? isSilent : owner.started !== started;
}

export function isThisProcess(owner: LockOwner | undefined): boolean {
	return owner?.pid === process.pid && owner.host === hostname() && owner.started === startOf(process.pid);
}

function differ(one: string | null, two: string | null): boolean {
	return one !== null && two !== null && one !== two;
}

/**
 * Also true for a process of another user, or for another one with the same pid. A zombie has ended: in a container whose
 * first process collects no others, it stays forever.
 */
export function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return !["Z", "X"].includes(statOf(pid)?.[0] ?? "");
	} catch (error) {
		// A process of another user must not be signaled, but it exists.
		return errorCode(error) === "EPERM";
	}
}

/** Whether the owner is a process of this machine that the user has suspended (Ctrl+Z). Linux only. */
export function isSuspended({ pid, host, space, started }: LockOwner): boolean {
	const self = thisProcess();
	if (host !== self.host || space !== self.space || started !== startOf(pid)) return false;
	return statOf(pid)?.[0] === "T";
}

/** Linux only; other systems rely on the heartbeat. */
function startOf(pid: number): string | null {
	return statOf(pid)?.[19] ?? null;
}

/** The fields after the name, which may contain spaces and brackets: the state is the first, the start the 20th. */
function statOf(pid: number): string[] | null {
	return orNull(() => {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	});
}

function bootId(): string | null {
	return orNull(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim());
}

function orNull<T>(read: () => T): T | null {
	try {
		return read();
	} catch {
		// Null where the system has no such file, or it has an unexpected format.
		return null;
	}
}
