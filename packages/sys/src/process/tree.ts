/** Finds and ends a process with everything that it has started. */
import { limits } from "../limits.ts";
import { listProcesses, processesAreListed, readProcess, startedWith, type ProcessEntry } from "./table.ts";

/** All living descendants, parents before their children. Empty where the system does not tell. */
export function listDescendants(pid: number): number[] {
	return withDescendants([pid], listProcesses()).filter((member) => member !== pid);
}

/** The last one is for what a member started between the look and the signal of the round before. */
const rounds = [
	{ signal: "SIGTERM", waitMs: limits.killGraceMs },
	{ signal: "SIGKILL", waitMs: limits.killWaitMs },
	{ signal: "SIGKILL", waitMs: limits.killWaitMs },
] as const;

/**
 * Asks the group and session of `pid` and all descendants to end, then kills what is left. Children that left both
 * and whose parents are gone belong to nobody any more; they are found by `mark`, a text that no other process has
 * in the environment it was started with.
 */
export async function killTree(pid: number, mark?: string): Promise<void> {
	// As groups, 0 and 1 stand for our own and for everybody.
	if (pid <= 1) return;
	// Who was a member stays one: the children of a member that ended meanwhile are still to be found.
	const members = new Set<number>();
	for (const { signal, waitMs } of rounds) {
		for (const member of findMembers(pid, members, mark)) members.add(member);
		const alive = [...members].filter(isAlive);
		if (alive.length === 0) return;
		for (const target of targets(pid, alive)) send(target, signal);
		await untilGone(alive, waitMs);
	}
}

function findMembers(pid: number, known: ReadonlySet<number>, mark: string | undefined): number[] {
	// Without a list of processes the group has to stand for its members.
	if (!processesAreListed) return [-pid];
	const processes = listProcesses();
	const seeds = processes.filter(
		(entry) =>
			entry.session === pid || entry.group === pid || (mark !== undefined && startedWith(entry.pid, mark)),
	);
	return withDescendants([pid, ...known, ...seeds.map((seed) => seed.pid)], processes);
}

/**
 * The group, which also reaches children that were started after the look, and those that are not in it. Nobody is
 * asked twice: to many programs a second request means to leave without cleaning up.
 */
function targets(pid: number, alive: readonly number[]): number[] {
	return [-pid, ...alive.filter((member) => member !== -pid && readProcess(member)?.group !== pid)];
}

function withDescendants(roots: readonly number[], processes: readonly ProcessEntry[]): number[] {
	const children = Map.groupBy(processes, (entry) => entry.parent);
	// A set keeps the order in which members were found, and its iteration reaches those that it adds.
	const found = new Set(roots);
	for (const member of found) for (const child of children.get(member) ?? []) found.add(child.pid);
	return [...found];
}

/** Polls, because only the parent of a process is told of its end, and we are the parent of one of them at most. */
async function untilGone(members: readonly number[], waitMs: number): Promise<void> {
	const deadline = performance.now() + waitMs;
	while (performance.now() < deadline && members.some(isAlive)) await Bun.sleep(limits.killPollMs);
}

function isAlive(pid: number): boolean {
	return processesAreListed ? readProcess(pid) !== undefined : send(pid, 0);
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(pid, signal);
	} catch {
		// Already gone, which is what was wanted.
		return false;
	}
}
