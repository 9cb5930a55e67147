/** Which paths are below others; by itself, because a start needs no more of profiles. */
import { dirname } from "node:path";

export function isBelow(path: string, above: string): boolean {
	return path !== above && path.startsWith(above === "/" ? above : `${above}/`);
}

/** The nearest first. */
export function directoriesAbove(path: string): string[] {
	const above = dirname(path);
	return above === path ? [] : [above, ...directoriesAbove(above)];
}

/** Whether it is inside of a protected path, and of no writable one in that. */
export function isCovered(path: string, readOnly: Iterable<string>, writable: readonly string[]): boolean {
	for (const above of readOnly) {
		const isFree = (root: string): boolean => isBelow(root, above) && (root === path || isBelow(path, root));
		if (isBelow(path, above) && !writable.some(isFree)) return true;
	}
	return false;
}
