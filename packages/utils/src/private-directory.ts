/** Creates a directory that only its owner can access. */
import { chmodSync, mkdirSync, statSync } from "node:fs";

import { log } from "./log.ts";

/** An existing directory that is open to others is closed to them. Returns the path; a failure is logged. */
export function privateDirectory(path: string): string {
	try {
		mkdirSync(path, { recursive: true, mode: 0o700 });
		if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
	} catch (error) {
		// The code that writes into the directory fails with an error of its own.
		log.warn("a directory cannot be made private", { path, reason: String(error) });
	}
	return path;
}
