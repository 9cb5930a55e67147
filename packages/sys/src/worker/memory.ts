/** Measures the memory of another process while it works. `ulimit` cannot bound it: the engine reserves gigabytes. */
import { readFileSync } from "node:fs";

import { processesAreListed } from "../process/table.ts";
import { limits } from "./limits.ts";

/** Undefined where the system has no /proc, and for a process that has ended. */
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

/** Calls `onExceeded` at each look that finds more than `maxBytes`, until it is disposed of. */
export function measureMemory(pid: number, maxBytes: number, onExceeded: () => void): Disposable {
	const check = (bytes: number): void => {
		if (bytes > maxBytes) onExceeded();
	};
	const timer = processesAreListed
		? setInterval(() => check(residentBytes(pid) ?? 0), limits.memoryLookMs)
		: setInterval(() => void bytesByProgram(pid).then(check), limits.memoryProgramMs);
	return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function bytesByProgram(pid: number): Promise<number> {
	try {
		const options = { stdin: "ignore", stdout: "pipe", stderr: "ignore", timeout: 2000 } as const;
		await using child = Bun.spawn(["ps", "-o", "rss=", "-p", String(pid)], options);
		return Number(await child.stdout.text()) * 1024;
	} catch {
		// Without the program the other limits still hold.
		return 0;
	}
}
