/** Finds and ends a process with everything that it has started. */
import { readdirSync, readFileSync } from "node:fs";

import { limits } from "../limits.ts";

/** All living descendants, children before grandchildren. Empty where the system does not tell. */
export function listDescendants(pid: number): number[] {
	const children = childrenByParent();
	const found: number[] = [];
	const queue = [pid];
	for (let parent = queue.pop(); parent !== undefined; parent = queue.pop()) {
		for (const child of children.get(parent) ?? []) {
			found.push(child);
			queue.push(child);
		}
	}
	return found;
}

/**
 * Asks the group of `pid` and all descendants to end, then kills what is left. Descendants are listed before the
 * first signal: once their parent is gone, nobody knows any more whose children they were.
 */
export async function killTree(pid: number): Promise<void> {
	const members = [...listDescendants(pid), pid];
	signalAll(pid, members, "SIGTERM");
	const deadline = performance.now() + limits.killGraceMs;
	while (performance.now() < deadline) {
		if (!members.some(isAlive)) return;
		await Bun.sleep(5);
	}
	signalAll(pid, [...new Set([...members, ...members.flatMap(listDescendants)])], "SIGKILL");
}

function signalAll(leader: number, members: readonly number[], signal: NodeJS.Signals): void {
	// The group catches children that were started between the listing and the signal.
	send(-leader, signal);
	for (const member of members) send(member, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// Already gone, which is what was wanted.
	}
}

function isAlive(pid: number): boolean {
	const stat = readStat(pid);
	return stat !== undefined && stat.state !== "Z";
}

function childrenByParent(): Map<number, number[]> {
	const children = new Map<number, number[]>();
	for (const pid of allPids()) {
		const parent = readStat(pid)?.parent;
		if (parent === undefined) continue;
		const siblings = children.get(parent);
		if (siblings) siblings.push(pid);
		else children.set(parent, [pid]);
	}
	return children;
}

function allPids(): number[] {
	try {
		return readdirSync("/proc")
			.filter((name) => /^\d+$/.test(name))
			.map(Number);
	} catch {
		// No /proc (macOS): the process group alone has to do.
		return [];
	}
}

function readStat(pid: number): { parent: number; state: string } | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		// The command name is in parentheses and may contain anything, also parentheses.
		const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return { state, parent: Number(parent) };
	} catch {
		// It ended while we looked.
		return undefined;
	}
}
