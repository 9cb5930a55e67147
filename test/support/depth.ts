/** How many samples a property takes: all of them with TAU_TEST_DEPTH=full, about a tenth otherwise. */

/** `npm run soak` and a release test with full depth. */
export const isFullDepth = process.env.TAU_TEST_DEPTH === "full";

/** Fewer samples than these show nothing. */
const fewest = 5;

/** The number of samples, kills, files or runs: `full`, or `quick` (a tenth). */
export function samples(
	full: number,
	quick = Math.max(Math.min(full, fewest), Math.ceil(full / 10)),
): number {
	return isFullDepth ? full : quick;
}

/** About a tenth of the values, spread evenly, always with the first and the last one; all of them with full depth. */
export function some<T>(values: readonly T[], quick = Math.max(fewest, Math.ceil(values.length / 10))): T[] {
	if (isFullDepth || values.length <= quick) return [...values];
	const step = (values.length - 1) / (quick - 1);
	return Array.from({ length: quick }, (_, index) => values[Math.round(index * step)] as T);
}
