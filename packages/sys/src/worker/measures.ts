/** Bounds the time of a process, which has less of it on a busy machine than the clock says, and its memory. */
import { processesAreListed, processorMs, residentBytes, type Activity } from "../process/table.ts";
import { limits } from "./limits.ts";

/** Calls `onExceeded` when the process has had its time: of a processor if it waits for one, of the clock otherwise. */
export function measureTime(
	read: () => Activity | undefined,
	ms: number,
	onExceeded: () => void,
): Disposable {
	const before = processorMs(read());
	const end = performance.now() + ms * limits.busyFactor;
	const look = (): void => {
		const now = read();
		const rest = now?.isHeldUp ? ms - (processorMs(now) - before) : 0;
		const wait = Math.min(rest, end - performance.now());
		if (wait <= 0) onExceeded();
		else timer = setTimeout(look, wait);
	};
	let timer = setTimeout(look, ms);
	return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/**
 * Polls the memory of a process, and calls `onExceeded` whenever it exceeds `maxBytes`. `ulimit` cannot bound it, because
 * the engine reserves gigabytes.
 */
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
