/** Runs a script instead of Tau, for extensions that start `process.execPath` as a runtime, as in pi. */
import { statSync } from "node:fs";
import { extname, isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";

const endings: ReadonlySet<string> = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"]);

/** Only absolute paths match: a user would not write one as a prompt. */
export function isScript(first: string | undefined): first is string {
	if (first === undefined || !isAbsolute(first) || !endings.has(extname(first))) return false;
	return statSync(first, { throwIfNoEntry: false })?.isFile() === true;
}

/** The script sees the arguments that a runtime would pass to it. */
export async function runScript(path: string): Promise<void> {
	process.argv.splice(1, 2, path);
	await import(pathToFileURL(path).href);
}
