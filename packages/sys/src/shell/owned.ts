/** Tracks every shell that this program has started, so that none of their processes outlives its owner. */
import { readlinkSync } from "node:fs";

import { uuidv7, type Env } from "@tau/utils";

import { limits } from "../limits.ts";
import {
	countFilters,
	killAdopted,
	isAlive,
	killFamily,
	killFamilyNow,
	listDescendants,
	listProcesses,
	nameProcess,
	numberInside,
	processesAreListed,
	readProcess,
	startEnvironment,
	ticksSinceBoot,
	type InsideProcess,
	type Leader,
	type ProcessEntry,
} from "../process/index.ts";
import { startWatcher, watchGroup } from "./watcher.ts";

/**
 * Every process of a command inherits this variable, so that one that left its parents, group and session can be
 * found.
 */
export const markName = "TAU_SHELL_RUN";

/** A shell and the mark of all processes that it starts. */
export interface OwnedShell extends Leader {
	readonly mark: string;
}

let shells: OwnedShell[] = [];
let everything: string | undefined;
let scopes = 0;

/** A mark for all processes of one owner. Marks of its commands start with it, and no others do. */
export function newScope(): string {
	return `${programMark()}${++scopes}.`;
}

/** A Tau inside a Tau appends its mark to the outer one, which still has to find all processes. */
export function markValue(env: Record<string, string>, mark: string): string {
	return `${env[markName] ?? ""} ${mark}`.trim();
}

/** For the environment of a process that is about to start: from then on it does not outlive Tau. */
export function withMark(env: Record<string, string>, mark: string): Record<string, string> {
	startWatcher(programMark());
	// Here a group is signaled by its number alone, so an empty one is forgotten before another process may get it.
	if (!processesAreListed) dropEmptyShells();
	return withMarkAlone(env, mark);
}

/** For a program that ends with Tau by itself: the watcher may be started while it works. */
export function withMarkAlone(env: Record<string, string>, mark: string): Record<string, string> {
	return { ...env, [markName]: markValue(env, mark) };
}

/** A command may have stopped or ended it. */
export function reviveWatcher(): void {
	startWatcher(programMark());
}

/** For a program that Tau starts for itself: an environment with a mark, so that the program does not outlive Tau. */
export function ownedEnvironment(env: Env): { env: Record<string, string>; mark: string } {
	const mark = newScope();
	const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
	return { env: withMark(Object.fromEntries(set), mark), mark };
}

/** Must be called as soon as the shell runs. */
export function ownShell(pid: number, mark: string): OwnedShell {
	if (shells.length >= limits.ownedShells) dropEmptyShells();
	const shell = { ...nameProcess(pid), mark };
	shells.push(shell);
	watchGroup(pid);
	return shell;
}

/** Its background processes are still owned. */
export function shellEnded(shell: OwnedShell): void {
	shell.ended ??= ticksSinceBoot();
	if (isGroupEmpty(shell.pid)) watchGroup(shell.pid, true);
}

/**
 * Whether a process lives that a command has started. Shells and what holds them bear the mark without a number; a process
 * that has emptied its environment is found below a shell, or in the namespace of one.
 */
export function hasRuns(scope: string): boolean {
	const { started } = nameProcess(process.pid);
	const processes = listProcesses().filter((entry) => entry.started >= started);
	const leaders = shells.filter(({ mark, ended }) => ended === undefined && mark.startsWith(scope));
	const below = new Set(leaders.flatMap(({ pid }) => listDescendants(pid, processes)));
	const own = namespaceOf(process.pid);
	// A shell that nothing holds has no processes of its own: a subshell of it has the shell's mark, and is a command's.
	const direct = new Set(
		leaders.flatMap(({ pid }) => (namespaceOf(pid) === own ? listDescendants(pid, processes) : [])),
	);
	const spaces = new Set(leaders.map(({ pid }) => namespaceOf(pid)).filter((space) => space !== own));
	const isUnmarked = (pid: number): boolean => !startEnvironment(pid).includes(programMark());
	if (orphansOf(scope, processes).length > 0) return true;
	return processes.some(
		({ pid }) =>
			direct.has(pid) ||
			isOfRun(pid, scope) ||
			((below.has(pid) || spaces.has(namespaceOf(pid))) && isUnmarked(pid)),
	);
}

/** Of process ids; undefined where that is not known. */
function namespaceOf(pid: number): string | undefined {
	try {
		return readlinkSync(`/proc/${pid}/ns/pid`);
	} catch {
		return undefined;
	}
}

/**
 * The same for a scope whose processes are all in one namespace. A subshell was started with what its shell was started
 * with: it is neither one of the shells, nor what has started one.
 */
export function hasRunsAmong(processes: readonly InsideProcess[], scope: string): boolean {
	const isOfShell = new Set(
		shells
			.filter(({ mark, ended }) => ended === undefined && mark.startsWith(scope))
			.flatMap((shell) => numbersInside(shell)),
	);
	return processes.some(
		({ pid, environment }) =>
			isEnvironmentOfRun(environment, scope) ||
			!environment.includes(programMark()) ||
			(environment.includes(scope) && !isOfShell.has(pid)),
	);
}

/** Of a shell, and of what has started it, which ends with it. Each command asks, and they stay the same. */
function numbersInside(shell: OwnedShell): readonly number[] {
	const known = insideNumbers.get(shell);
	if (known) return known;
	const pids = [shell.pid, readProcess(shell.pid)?.parent ?? 0];
	const numbers = pids.flatMap((pid) => numberInside(pid) ?? []);
	if (numbers.length === pids.length) insideNumbers.set(shell, numbers);
	return numbers;
}

const insideNumbers = new WeakMap<OwnedShell, readonly number[]>();

/** Whether a process was started by a command, and not by its shell alone. */
export function isOfRun(pid: number, scope: string): boolean {
	return isEnvironmentOfRun(startEnvironment(pid), scope);
}

function isEnvironmentOfRun(environment: string, scope: string): boolean {
	const [, ...rests] = environment.split(scope);
	return rests.some((rest) => /^\d+\./.test(rest));
}

/** Forgets the shells of a scope, which have all ended. Returns false if one of them still runs. */
export function forgetScope(scope: string): boolean {
	const isOfScope = ({ mark }: OwnedShell): boolean => mark.startsWith(scope);
	if (shells.some((shell) => isOfScope(shell) && isAlive(shell))) return false;
	shells = shells.filter((shell) => !isOfScope(shell));
	return true;
}

/** Ends all processes that were started under a mark. */
export async function endScope(scope: string): Promise<void> {
	const leaders = shells.filter(({ mark }) => mark.startsWith(scope));
	await killFamily({ leaders, mark: scope });
	// Those that came to us when their shell was ended. Each round holds up everything else, and so is short.
	for (let round = 0; round < limits.orphanRounds && killOrphans(scope); round++) await Bun.sleep(1);
	shells = shells.filter((shell) => !leaders.includes(shell));
}

interface Adopter {
	/** The number of filters of this process. */
	readonly filters: number;
	reap(pid: number): void;
}

/** Set once this process adopts what commands in Landlock leave behind. */
let adopter: Adopter | undefined;

/** This process is a parent of orphans from now on. `reap` forgets one that has ended. */
export function adoptsOrphans(reap: (pid: number) => void): void {
	adopter ??= { filters: countFilters(process.pid), reap };
}

function orphansOf(scope: string, processes: readonly ProcessEntry[]): ProcessEntry[] {
	if (adopter === undefined) return [];
	const isOrphan = orphanCheck(scope, adopter);
	return processes.filter(({ pid, parent }) => parent === process.pid && isOrphan(pid));
}

/** Returns whether some may be left. */
function killOrphans(scope: string): boolean {
	if (adopter === undefined) return false;
	return killAdopted({ isOrphan: orphanCheck(scope, adopter), reap: adopter.reap }, limits.orphanRoundMs);
}

/**
 * Whether a child of ours was left behind by a command in Landlock: its shell was the parent, and the command has ended that and may
 * have emptied the environment. What has no mark of another scope is taken for one of this scope.
 */
function orphanCheck(scope: string, { filters }: Adopter): (pid: number) => boolean {
	const own = new Set(shells.filter(({ ended }) => ended === undefined).map(({ pid }) => pid));
	const others = shells.map(({ mark }) => mark).filter((mark) => !mark.startsWith(scope));
	return (pid) => {
		if (own.has(pid) || countFilters(pid) <= filters) return false;
		const environment = startEnvironment(pid);
		return !others.some((mark) => environment.includes(mark));
	};
}

/** Ends all processes that any shell of this program has started, also in the background. */
export async function endAll(): Promise<void> {
	if (everything !== undefined) await endScope(everything);
}

function programMark(): string {
	if (everything !== undefined) return everything;
	const mark = `${uuidv7()}.`;
	everything = mark;
	// For a program that exits without ending its shells.
	process.once("exit", () => {
		if (shells.length === 0) return;
		killFamilyNow({ leaders: shells, mark });
		killOrphans(mark);
	});
	return mark;
}

/** Drops shells that have exited and whose group and session are empty: their pids may be reused now. */
function dropEmptyShells(): void {
	const living = new Set(listProcesses().flatMap(({ pid, group, session }) => [pid, group, session]));
	const isEmpty = (pid: number): boolean => (processesAreListed ? !living.has(pid) : isGroupEmpty(pid));
	const empty = shells.filter(({ pid, ended }) => ended !== undefined && isEmpty(pid));
	for (const { pid } of empty) watchGroup(pid, true);
	shells = shells.filter((shell) => !empty.includes(shell));
}

function isGroupEmpty(pid: number): boolean {
	try {
		process.kill(-pid, 0);
		return false;
	} catch {
		// No process is left in it, or another user has the number now.
		return true;
	}
}
