/** Bounds the time of a process, which has less of it on a busy machine than the clock says. */
import { processorMs, type Activity } from "../process/table.ts";
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
