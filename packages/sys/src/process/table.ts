/** Takes one look at the processes of the machine, as far as the system shows them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

export interface ProcessEntry {
	pid: number;
	parent: number;
	group: number;
	session: number;
}

/** False where there is no /proc (macOS): all functions here then find nothing. */
export const processesAreListed = existsSync("/proc/self/stat");

/** All living processes. */
export function listProcesses(): ProcessEntry[] {
	if (!processesAreListed) return [];
	const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
	return pids.flatMap((pid) => readProcess(pid) ?? []);
}

/** A living process; a zombie has ended, and only its parent has not noticed yet. */
export function readProcess(pid: number): ProcessEntry | undefined {
	const stat = readProc(pid, "stat");
	if (stat === undefined) return undefined;
	// The command name is in parentheses and may contain anything, also parentheses.
	const [state, parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 4);
	if (state === "Z" || state === "X") return undefined;
	return { pid, parent: Number(parent), group: Number(group), session: Number(session) };
}

/** Whether the process was started with `text` somewhere in its environment. */
export function startedWith(pid: number, text: string): boolean {
	return readProc(pid, "environ")?.includes(text) === true;
}

function readProc(pid: number, file: "stat" | "environ"): string | undefined {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "latin1");
	} catch {
		// It ended while we looked, or belongs to another user.
		return undefined;
	}
}
