/** Reads the table of processes, as far as the system shows it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Identifies a process: its pid alone may be reused later. */
export interface ProcessName {
	readonly pid: number;
	/** The start time in ticks since boot; 0 if the system does not report it. */
	readonly started: number;
}

export interface ProcessEntry extends ProcessName {
	readonly parent: number;
	readonly group: number;
	readonly session: number;
}

const proc = "/proc";

/** False without /proc (macOS): all functions here then return nothing. */
export const processesAreListed = existsSync("/proc/self/stat");

/** The time unit of /proc; Linux shows the same unit to all programs, whatever the kernel uses itself. */
const ticksPerSecond = 100;
/** The fields of a stat line, after the name: a process's processor time (two halves) and its start time. */
const timeField = 11;
const startField = 19;

/** All living processes; with `after`, only those with a higher pid, which are few. */
export function listProcesses(after = 0): ProcessEntry[] {
	if (!processesAreListed) return [];
	return pidsIn(proc).flatMap((pid) => (pid > after ? (readProcess(pid) ?? []) : []));
}

/** The children of a process with one thread; undefined where the system keeps no list of them. */
export function childrenOf(pid: number): number[] | undefined {
	const list = readProc(`${pid}/task/${pid}/children`);
	return list?.split(" ").filter(Boolean).map(Number);
}

/** A process of another namespace. */
export interface InsideProcess {
	/** Its number there. */
	readonly pid: number;
	/** What it was started with. */
	readonly environment: string;
}

/** The living processes of another namespace, by one in it whose `/proc` lists that namespace. Undefined if it cannot be read. */
export function processesIn(namespaceOf: number): InsideProcess[] | undefined {
	const directory = `${proc}/${namespaceOf}/root/proc`;
	try {
		return pidsIn(directory).flatMap((pid) => {
			const environment = readProc(`${pid}/environ`, directory) ?? "";
			// That of a process that has ended is empty.
			return environment !== "" || readProcess(pid, directory) ? [{ pid, environment }] : [];
		});
	} catch {
		// It has ended, or has no such directory.
		return undefined;
	}
}

/** The number that a process has in its own namespace. */
export function numberInside(pid: number): number | undefined {
	const numbers = /^NSpid:(.*)$/m.exec(readProc(`${pid}/status`) ?? "")?.[1];
	return numbers === undefined ? undefined : Number(numbers.trim().split(/\s+/).at(-1));
}

function pidsIn(directory: string): number[] {
	return readdirSync(directory).map(Number).filter(Number.isInteger);
}

/** A living process; a zombie has ended, and only its parent has not noticed yet. */
export function readProcess(pid: number, directory = proc): ProcessEntry | undefined {
	const fields = readStat(pid, directory);
	const [state, parent, group, session] = fields;
	if (state === undefined || state === "Z" || state === "X") return undefined;
	const started = Number(fields[startField]);
	return { pid, started, parent: Number(parent), group: Number(group), session: Number(session) };
}

/** The current activity of a process. */
export interface Activity {
	/** True if it is runnable, and waits for a processor or the disk. */
	isHeldUp: boolean;
	/** The processor time that it has used so far, in ticks. */
	ticks: number;
}

/** Undefined if the system does not report it. */
export function readActivity(pid: number): Activity | undefined {
	const fields = readStat(pid);
	const [state] = fields;
	if (state === undefined) return undefined;
	const ticks = Number(fields[timeField]) + Number(fields[timeField + 1]);
	return { isHeldUp: state === "R" || state === "D", ticks };
}

/** The processor time that it has used so far; 0 if the system does not report it. */
export function processorMs(activity: Activity | undefined): number {
	return ((activity?.ticks ?? 0) * 1000) / ticksPerSecond;
}

/** The fields after the name, which is in parentheses and may contain anything, also parentheses. */
function readStat(pid: number, directory = proc): string[] {
	const stat = readProc(`${pid}/stat`, directory);
	return stat === undefined ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ", startField + 1);
}

/** Identifies a process that is known to run. */
export function nameProcess(pid: number): ProcessName {
	return { pid, started: readProcess(pid)?.started ?? 0 };
}

/** True if this very process still runs, and not another one with a reused pid. */
export function isAlive({ pid, started }: ProcessName): boolean {
	if (processesAreListed) return readProcess(pid)?.started === started;
	try {
		return process.kill(pid, 0);
	} catch {
		// No process has this pid.
		return false;
	}
}

/** The current time, in the unit of `started`. */
export function ticksSinceBoot(): number {
	return Math.floor(Number.parseFloat(readProc("uptime") ?? "0") * ticksPerSecond);
}

/** True if the process was started with `text` somewhere in its environment. */
export function startedWith(pid: number, text: string): boolean {
	return startEnvironment(pid).includes(text);
}

/** The filters of system calls that confine a process; its children have as many, whatever they do. */
export function countFilters(pid: number): number {
	return Number(/^Seccomp_filters:\s*(\d+)/m.exec(readProc(`${pid}/status`) ?? "")?.[1] ?? 0);
}

/** The environment that the process was started with, without later changes. Empty for a process of another user. */
export function startEnvironment(pid: number): string {
	return readProc(`${pid}/environ`) ?? "";
}

function readProc(file: string, directory = proc): string | undefined {
	try {
		return readFileSync(`${directory}/${file}`, "latin1");
	} catch {
		// The process ended meanwhile, or belongs to another user.
		return undefined;
	}
}

/** Undefined on a system without /proc, and for a process that has ended. */
export function residentBytes(pid: number): number | undefined {
	if (!processesAreListed) return undefined;
	try {
		const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
		return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
	} catch {
		// It has ended.
		return undefined;
	}
}
