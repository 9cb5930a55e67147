/** Finds and ends processes with everything that they have started. */
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

/** A process that stands for its group, its session and its descendants. */
export interface Leader extends ProcessName {
	/** When it was seen to have ended, in ticks since boot. */
	ended?: number;
}

/** Who is to be ended. */
export interface Family {
	leaders: readonly Leader[];
	/**
	 * Children that left their group and session and whose parents are gone belong to nobody any more; they are found by
	 * this, a text that no other process has in the environment it was started with.
	 */
	mark?: string;
	/** Who was started before this tick is left alone with its own children, unless it bears the mark. */
	since?: number;
	/** Who is left alone with its own children, whenever it was started. */
	spare?(pid: number): boolean;
	/** The leaders themselves go on. */
	keepLeaders?: boolean;
}

/** The last one is for what a member started between the look and the signal of the round before. */
const rounds = [
	{ signal: "SIGTERM", waitMs: limits.killGraceMs },
	{ signal: "SIGKILL", waitMs: limits.killWaitMs },
	{ signal: "SIGKILL", waitMs: limits.killWaitMs },
] as const;

/** All living descendants, parents before their children. Empty where the system does not tell. */
export function listDescendants(pid: number): number[] {
	return withDescendants([pid], listProcesses()).filter((member) => member !== pid);
}

/**
 * Asks the group and session of `pid` and all descendants to end, then kills what is left. The number of processes
 * that are gone afterwards, where the system lists them.
 */
export async function killTree(pid: number, mark?: string): Promise<number> {
	// As groups, 0 and 1 stand for our own and for everybody.
	if (pid <= 1) return 0;
	return killFamily({ leaders: [nameProcess(pid)], ...(mark === undefined ? {} : { mark }) });
}

export async function killFamily(family: Family): Promise<number> {
	if (!processesAreListed) return killGroups(family);
	const members = new Map<string, ProcessName>();
	for (const { signal, waitMs } of rounds) {
		const processes = listProcesses();
		const found = findMembers(family, processes, members);
		for (const member of found) members.set(nameKey(member), member);
		if (found.length === 0) break;
		for (const target of targets(family, found, processes)) send(target, signal);
		await untilGone(found, waitMs);
	}
	return [...members.values()].filter((member) => !isAlive(member)).length;
}

/** At the very end of a program nobody can wait: they are not asked, and not looked after. */
export function killFamilyNow(family: Family): void {
	if (!processesAreListed) for (const { pid } of family.leaders) send(-pid, "SIGKILL");
	const processes = listProcesses();
	for (const target of targets(family, findMembers(family, processes, new Map()), processes))
		send(target, "SIGKILL");
}

/** Without a list of processes the groups have to stand for their members. */
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

/** Nobody who was there before us can bear a mark of ours: most environments need not be read. */
function findMarked(mark: string, processes: readonly ProcessEntry[]): number[] {
	const { started } = nameProcess(process.pid);
	return processes
		.filter((entry) => entry.started >= started && startedWith(entry.pid, mark))
		.map(({ pid }) => pid);
}

/**
 * A number is given away again only when nobody has it as process, group or session. So who bears it now is ours, or
 * the leader himself is another one, or, after his end, nobody is left who was there before.
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
 * The groups of which everybody is to end, which also reaches children that were started after the look, and those
 * that are in none of them, children first. Nobody is asked twice: to many programs a second request means to leave
 * without cleaning up.
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
	// A set keeps the order in which members were found, and its iteration reaches those that it adds.
	const found = new Set(roots);
	for (const member of found) for (const child of children.get(member) ?? []) found.add(child.pid);
	return [...found];
}

/** Polls, because only the parent of a process is told of its end, and we are the parent of one of them at most. */
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
		// Already gone, which is what was wanted, or not ours to end.
	}
}
