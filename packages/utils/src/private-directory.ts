/** Makes a directory that only its owner can look into. */
import { chmodSync, mkdirSync, statSync } from "node:fs";

import { log } from "./log.ts";

/** A directory that is there already, open to others, is closed to them. Returns the path; a failure is in the log. */
export function privateDirectory(path: string): string {
	try {
		mkdirSync(path, { recursive: true, mode: 0o700 });
		if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
	} catch (error) {
		// Whoever writes into it fails with a reason of its own.
		log.warn("a directory cannot be made private", { path, reason: String(error) });
	}
	return path;
}
