/** Removes a temporary file of our own. */
import { unlinkSync } from "node:fs";

export function discard(path: string | undefined): void {
	if (path === undefined) return;
	try {
		unlinkSync(path);
	} catch {
		// It was never created, or it was renamed to its final name.
	}
}
