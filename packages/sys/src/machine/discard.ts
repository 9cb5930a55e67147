/** Removes a temporary file of our own. */
import { unlinkSync } from "node:fs";

import type { Directories } from "./directories.ts";

export function discard(path: string | undefined, directories: Directories): void {
	if (path === undefined) return;
	try {
		unlinkSync(directories.at(path));
	} catch {
		// It was never created, or it was renamed to its final name.
	}
}
