/** Removes a file of our own that is of no more use. */
import { unlinkSync } from "node:fs";

export function discard(path: string | undefined): void {
	if (path === undefined) return;
	try {
		unlinkSync(path);
	} catch {
		// It was never made, or it has become the file itself.
	}
}
