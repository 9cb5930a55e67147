/** Long work on many files in short slices, so that keys are answered and Escape stops it. */
import { limits } from "./limits.ts";

/** Ends early, between two items, when the signal is aborted. */
export async function inSlices<T>(
	items: Iterable<T>,
	signal: AbortSignal | undefined,
	work: (item: T) => void,
): Promise<void> {
	let slice = performance.now();
	for (const item of items) {
		if (signal?.aborted) return;
		work(item);
		if (performance.now() - slice < limits.sliceMs) continue;
		await new Promise(setImmediate);
		slice = performance.now();
	}
}
