/** Takes one look at the processes of the machine, as far as the system shows them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A process by name: its number alone may belong to another one tomorrow. */
export interface ProcessName {
	readonly pid: number;
	/** When it was started, in ticks since boot; 0 where the system does not tell. */
	readonly started: number;
}

export interface ProcessEntry extends ProcessName {
	readonly parent: number;
	readonly group: number;
	readonly session: number;
}

/** False where there is no /proc (macOS): all functions here then find nothing. */
export const processesAreListed = existsSync("/proc/self/stat");

/** What /proc counts time in; Linux shows the same unit to all programs, whatever the kernel uses itself. */
const ticksPerSecond = 100;
/** Where a process's own processor time (its two halves) and its start stand in its stat line, after its name. */
const timeField = 11;
const startField = 19;

/** All living processes. */
export function listProcesses(): ProcessEntry[] {
	if (!processesAreListed) return [];
	const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
	return pids.flatMap((pid) => readProcess(pid) ?? []);
}

/** A living process; a zombie has ended, and only its parent has not noticed yet. */
export function readProcess(pid: number): ProcessEntry | undefined {
	const fields = readStat(pid);
	const [state, parent, group, session] = fields;
	if (state === undefined || state === "Z" || state === "X") return undefined;
	const started = Number(fields[startField]);
	return { pid, started, parent: Number(parent), group: Number(group), session: Number(session) };
}

/** What a process does at this moment. */
export interface Activity {
	/** It could go on, and has to wait for a processor or the disk. */
	isHeldUp: boolean;
	/** The processor time that it has had so far, in ticks. */
	ticks: number;
}

/** Undefined where the system does not tell. */
export function readActivity(pid: number): Activity | undefined {
	const fields = readStat(pid);
	const [state] = fields;
	if (state === undefined) return undefined;
	const ticks = Number(fields[timeField]) + Number(fields[timeField + 1]);
	return { isHeldUp: state === "R" || state === "D", ticks };
}

/** The fields after the name: that is in parentheses and may contain anything, also parentheses. */
function readStat(pid: number): string[] {
	const stat = readProc(`${pid}/stat`);
	return stat === undefined ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ", startField + 1);
}

/** The name of a process that is known to live. */
export function nameProcess(pid: number): ProcessName {
	return { pid, started: readProcess(pid)?.started ?? 0 };
}

/** Whether this very process still lives, not another one that was given its number. */
export function isAlive({ pid, started }: ProcessName): boolean {
	if (processesAreListed) return readProcess(pid)?.started === started;
	try {
		return process.kill(pid, 0);
	} catch {
		// Nobody has that number.
		return false;
	}
}

/** Now, in the unit of `started`. */
export function ticksSinceBoot(): number {
	return Math.floor(Number.parseFloat(readProc("uptime") ?? "0") * ticksPerSecond);
}

/** Whether the process was started with `text` somewhere in its environment. */
export function startedWith(pid: number, text: string): boolean {
	return startEnvironment(pid).includes(text);
}

/** What the process was started with; what it has set since then does not show. Empty for a process of others. */
export function startEnvironment(pid: number): string {
	return readProc(`${pid}/environ`) ?? "";
}

function readProc(file: string): string | undefined {
	try {
		return readFileSync(`/proc/${file}`, "latin1");
	} catch {
		// It ended while we looked, or belongs to another user.
		return undefined;
	}
}
