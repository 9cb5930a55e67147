/** Finds the files by which a person or a project replaces the system prompt or adds to it. */
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { limits } from "./context-files/limits.ts";

export interface PromptFiles {
	/** The text of SYSTEM.md. */
	replace?: string;
	/** The text of APPEND_SYSTEM.md. */
	append?: string;
	notices: string[];
}

/** Tau's own directory comes first, then those of the programs whose sessions it opens. */
const projectDirs = [".tau", ".omp", ".pi"] as const;
const userDirs = [".omp/agent", ".pi/agent"] as const;

interface Places {
	cwd: string;
	/** Where the walk up ends. */
	root: string;
	agentDir: string;
	home: string;
}

/** The nearest one of the project stands for the person's. */
export async function loadPromptFiles(places: Places): Promise<PromptFiles> {
	const notices: string[] = [];
	const replace = await read("SYSTEM.md", places, notices);
	const append = await read("APPEND_SYSTEM.md", places, notices);
	return {
		...(replace === undefined ? {} : { replace }),
		...(append === undefined ? {} : { append }),
		notices,
	};
}

async function read(name: string, places: Places, notices: string[]): Promise<string | undefined> {
	const path = candidates(name, places).find(existsSync);
	if (path === undefined) return undefined;
	if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
		return void notices.push(`${path} was not used: it is not a file.`);
	}
	const file = Bun.file(path);
	if (file.size > limits.fileBytes) {
		return void notices.push(
			`${path} was not used: it has ${file.size} bytes, ${limits.fileBytes} are allowed.`,
		);
	}
	try {
		return (await file.text()).trim();
	} catch (error) {
		return void notices.push(
			`${path} was not used: ${error instanceof Error ? error.message : String(error)}`,
		);
	}
}

function* candidates(name: string, { cwd, root, agentDir, home }: Places): Generator<string> {
	for (let at = resolve(cwd); ; at = dirname(at)) {
		for (const directory of projectDirs) yield join(at, directory, name);
		if (at === root || dirname(at) === at) break;
	}
	yield join(agentDir, name);
	for (const directory of userDirs) yield join(home, directory, name);
}
