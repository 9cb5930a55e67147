/** Finds and ends processes with all of their descendants. */
import { limits } from "../limits.ts";
import {
	isAlive,
	listProcesses,
	nameProcess,
	processesAreListed,
	startedWith,
	type ProcessEntry,
	type ProcessName,
} from "./table.ts";

/** A process that represents its group, its session and its descendants. */
export interface Leader extends ProcessName {
	/** When its end was noticed, in ticks since boot. */
	ended?: number;
}

/** The processes to end. */
export interface Family {
	leaders: readonly Leader[];
	/**
	 * Children that left their group and session and whose parents are gone have no other link to us; they are found
	 * by this mark, a text that no other process has in its initial environment.
	 */
	mark?: string;
	/** Processes that started before this tick are spared with their children, unless they bear the mark. */
	since?: number;
	/** Spares a process with its children, whenever it was started. */
	spare?(pid: number): boolean;
	/** True if the leaders themselves keep running. */
	keepLeaders?: boolean;
}

/** The last round is for processes that a member started between the check and the signal of the previous round. */
const rounds = [
	{ signal: "SIGTERM", waitMs: limits.killGraceMs },
	{ signal: "SIGKILL", waitMs: limits.killWaitMs },
	{ signal: "SIGKILL", waitMs: limits.killWaitMs },
] as const;

/** All living descendants, parents before their children. Empty if the system does not list processes. */
export function listDescendants(pid: number, processes: readonly ProcessEntry[] = listProcesses()): number[] {
	return withDescendants([pid], processes).filter((member) => member !== pid);
}

/**
 * Sends SIGTERM to the group and session of `pid` and all descendants, then kills the rest. Returns the number of
 * processes that are gone afterwards, if the system lists them.
 */
export async function killTree(pid: number, mark?: string): Promise<number> {
	// As group ids, 0 and 1 mean our own group and every process.
	if (pid <= 1) return 0;
	return killFamily({ leaders: [nameProcess(pid)], ...(mark === undefined ? {} : { mark }) });
}

export async function killFamily(family: Family): Promise<number> {
	if (!processesAreListed) return killGroups(family);
	const members = new Map<string, ProcessName>();
	for (const { signal, waitMs } of rounds) {
		const processes = listProcesses();
		const living = findMembers(family, processes, members);
		for (const member of living) members.set(nameKey(member), member);
		if (living.length === 0) break;
		for (const target of targets(family, living, processes)) send(target, signal);
		await untilGone(living, waitMs);
	}
	return [...members.values()].filter((member) => !isAlive(member)).length;
}

/** At the very end of a program nothing can wait: the processes are killed at once, and not checked. */
export function killFamilyNow(family: Family): void {
	if (!processesAreListed) for (const { pid } of family.leaders) send(-pid, "SIGKILL");
	const processes = listProcesses();
	for (const target of targets(family, findMembers(family, processes, new Map()), processes))
		send(target, "SIGKILL");
}

/** Without a list of processes, the groups represent their members. */
async function killGroups({ leaders, keepLeaders }: Family): Promise<number> {
	if (keepLeaders) return 0;
	const groups = leaders.map(({ pid }) => ({ pid: -pid, started: 0 }));
	for (const { signal, waitMs } of rounds) {
		for (const { pid } of groups) send(pid, signal);
		await untilGone(groups, waitMs);
	}
	return 0;
}

function findMembers(
	family: Family,
	processes: readonly ProcessEntry[],
	known: ReadonlyMap<string, ProcessName>,
): ProcessEntry[] {
	const { leaders, mark } = family;
	const living = new Map(processes.map((entry) => [entry.pid, entry]));
	const ours = new Set(leaders.filter((leader) => isOurs(leader, living, processes)).map(({ pid }) => pid));
	const marked = new Set(mark === undefined ? [] : findMarked(mark, processes));
	const seeds = processes.filter(
		(entry) =>
			ours.has(entry.pid) || ours.has(entry.session) || ours.has(entry.group) || marked.has(entry.pid),
	);
	const alive = [...known.values()].filter(({ pid, started }) => living.get(pid)?.started === started);
	const candidates = withDescendants(
		[...seeds, ...alive].map(({ pid }) => pid),
		processes,
	);
	const isEarlier = (entry: ProcessEntry): boolean => {
		if (ours.has(entry.pid) || marked.has(entry.pid)) return false;
		if (entry.started < (family.since ?? 0) || family.spare?.(entry.pid) === true) return true;
		const parent = living.get(entry.parent);
		return parent !== undefined && candidates.includes(parent.pid) && isEarlier(parent);
	};
	return candidates.flatMap((pid) => {
		const entry = living.get(pid);
		if (!entry || (family.keepLeaders && ours.has(pid)) || isEarlier(entry)) return [];
		return [entry];
	});
}

/** A process that started before us cannot bear our mark, so most environments need not be read. */
function findMarked(mark: string, processes: readonly ProcessEntry[]): number[] {
	const { started } = nameProcess(process.pid);
	return processes
		.filter((entry) => entry.started >= started && startedWith(entry.pid, mark))
		.map(({ pid }) => pid);
}

/**
 * A pid is reused only when no process, group or session has it. So the process that has it now is ours, or the
 * leader itself is another one, or, after the leader's end, none of the earlier processes is left.
 */
function isOurs(
	leader: Leader,
	living: ReadonlyMap<number, ProcessEntry>,
	all: readonly ProcessEntry[],
): boolean {
	const now = living.get(leader.pid);
	if (now) return now.started === leader.started;
	const { pid, ended } = leader;
	if (ended === undefined) return true;
	return all.some((entry) => (entry.session === pid || entry.group === pid) && entry.started <= ended);
}

/**
 * The groups of which every member is to end, which also reaches children that were started after the check, and the
 * members that are in none of these groups, children first. No process gets two requests: many programs exit without
 * cleaning up on the second.
 */
function targets(
	{ leaders }: Family,
	members: readonly ProcessEntry[],
	all: readonly ProcessEntry[],
): number[] {
	const ending = new Set(members.map(({ pid }) => pid));
	const whole = leaders
		.map(({ pid }) => pid)
		.filter((group) => {
			const inside = all.filter((entry) => entry.group === group);
			return inside.length > 0 && inside.every(({ pid }) => ending.has(pid));
		});
	const alone = members.filter(({ group }) => !whole.includes(group)).toReversed();
	return [...whole.map((group) => -group), ...alone.map(({ pid }) => pid)];
}

function withDescendants(roots: readonly number[], processes: readonly ProcessEntry[]): number[] {
	const children = Map.groupBy(processes, (entry) => entry.parent);
	// A set keeps the order in which members were added, and its iteration reaches those that it adds.
	const members = new Set(roots);
	for (const member of members) for (const child of children.get(member) ?? []) members.add(child.pid);
	return [...members];
}

/**
 * Polls, because only the parent of a process is notified of its end, and we are the parent of one of them at most.
 */
async function untilGone(members: readonly ProcessName[], waitMs: number): Promise<void> {
	const deadline = performance.now() + waitMs;
	while (performance.now() < deadline && members.some(isAlive)) await Bun.sleep(limits.killPollMs);
}

function nameKey({ pid, started }: ProcessName): string {
	return `${pid}@${started}`;
}

function send(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// The process is already gone, as intended, or belongs to another user.
	}
}
