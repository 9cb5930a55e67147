/** Whether processes run that a test did not start itself, and waiting for their end. */
import { readFileSync } from "node:fs";

/** A zombie has ended: whoever adopted it may take its time to collect it. */
export function isRunning(pid: number): boolean {
	try {
		return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
	} catch {
		return false;
	}
}

/** Rejects if one of them lives on. */
export async function untilEnded(...pids: number[]): Promise<void> {
	const deadline = performance.now() + 60_000;
	for (let left = pids; left.length > 0; left = left.filter(isRunning)) {
		if (left.some((pid) => !(pid > 1))) throw new Error(`${left.join(", ")}: not the ids of processes`);
		if (performance.now() > deadline) throw new Error(`still running: ${left.join(", ")}`);
		await Bun.sleep(10);
	}
}
