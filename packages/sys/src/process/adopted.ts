/** Ends processes that have come to this one because their parents have ended: also those that flee, which fork and exit all the time. */
import { childrenOf, listProcesses, readProcess } from "./table.ts";

export interface Adopted {
	/** Whether a child, which may have ended, is one of them. */
	isOrphan(pid: number): boolean;
	/** Forgets one that has ended. */
	reap(pid: number): void;
}

/**
 * Returns false if none is left. One that flees is a child of ours at every moment, or its parent is: none is there when two looks
 * have found none. A process that gets a signal does not fork any more, so each look either stops it or comes too late, and the next
 * one is 0.1 ms later. Nothing else runs in this thread meanwhile, so what is new is no program that we have started.
 */
export function killAdopted({ isOrphan, reap }: Adopted, ms: number): boolean {
	const spared = new Set<number>();
	const deadline = performance.now() + ms;
	let isFirst = true;
	for (let empty = 0; performance.now() < deadline; isFirst = false) {
		const pids = children().filter((pid) => !spared.has(pid));
		empty = pids.length === 0 ? empty + 1 : 0;
		if (empty === 2) return false;
		for (const pid of pids) {
			if (!isFirst) signal(pid, "SIGSTOP");
			if (isOrphan(pid)) {
				if (readProcess(pid) === undefined) reap(pid);
				else signal(pid, "SIGKILL");
			} else {
				spared.add(pid);
				if (!isFirst) signal(pid, "SIGCONT");
			}
		}
	}
	return true;
}

function children(): number[] {
	const ofProcess = (): number[] =>
		listProcesses()
			.filter(({ parent }) => parent === process.pid)
			.map(({ pid }) => pid);
	return childrenOf(process.pid) ?? ofProcess();
}

function signal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch {
		// It has ended.
	}
}
