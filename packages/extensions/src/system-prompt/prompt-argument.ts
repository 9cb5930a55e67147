/** Reads a system prompt flag: its own text, or that of the file that it names, as pi's flags do. */
import { statSync } from "node:fs";
import { resolve } from "node:path";

import { expandHome } from "@tau/utils";

import { contextFileLimits as limits } from "@tau/resources/context-files";

/** Programs that start Tau for a part of their work give it long roles in files. */
export async function promptArgument(
	value: string,
	{ cwd, onNotice }: { cwd: string; onNotice(message: string): void },
): Promise<string> {
	const path = resolve(cwd, expandHome(value));
	if (value.trim() === "" || value.includes("\n") || !isFile(path)) return value;
	const file = Bun.file(path);
	if (file.size <= limits.fileBytes) return (await file.text()).trim();
	onNotice(`${path} was not used: it has ${file.size} bytes; at most ${limits.fileBytes} are allowed.`);
	return "";
}

function isFile(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
	} catch {
		// Too long for a path, or below something that is not a directory: it is text.
		return false;
	}
}
