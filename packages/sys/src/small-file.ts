/** Reads files that may be untrusted: pipes, devices and oversized files are skipped. */
import { readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";

/** Undefined when the file is missing, unreadable, not a regular file, or larger than `maxBytes`. */
export async function readSmallFile(path: string, maxBytes: number): Promise<string | undefined> {
	try {
		// A named pipe would block `readFile` until a process writes to it.
		const info = await stat(path);
		if (!info.isFile() || info.size > maxBytes) return undefined;
		return await readFile(path, "utf8");
	} catch {
		// Missing and unreadable files count as absent, as in git and ripgrep.
		return undefined;
	}
}

/** The same for code that must not wait, with the bytes as they are. */
export function readSmallFileSync(path: string, maxBytes: number): Buffer | undefined {
	try {
		const info = statSync(path);
		return info.isFile() && info.size <= maxBytes ? readFileSync(path) : undefined;
	} catch {
		return undefined;
	}
}
