/** Writes files for tests. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Creates the missing directories too, and returns the path. */
export function writeTestFile(path: string, content: string | Uint8Array): string {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, content);
	return path;
}

/** `files` are contents by path relative to `root`, which is returned. */
export function writeTree(root: string, files: Readonly<Record<string, string | Uint8Array>>): string {
	mkdirSync(root, { recursive: true });
	for (const [path, content] of Object.entries(files)) writeTestFile(join(root, path), content);
	return root;
}
