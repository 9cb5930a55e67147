/** Reads SYSTEM.md and APPEND_SYSTEM.md, by which a user or a trusted project changes the system prompt. */
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { contextFileLimits as limits } from "@tau/resources/context-files";

export interface PromptFiles {
	/** The text of SYSTEM.md: the user's, then the project's. */
	replace?: string;
	/** The text of APPEND_SYSTEM.md, likewise. */
	append?: string;
	/** Files of the project that were left out because it is not trusted. */
	untrusted: string[];
	notices: string[];
}

/** Tau's own directory comes first, then those of the programs whose sessions it opens. */
const projectDirs = [".tau", ".omp", ".pi"] as const;
const userDirs = [".omp/agent", ".pi/agent"] as const;

export interface PromptFileOptions {
	cwd: string;
	/** Where the walk up ends. */
	root: string;
	agentDir: string;
	home: string;
	/** Whether the user trusts the project: only then its files count. */
	isTrusted: boolean;
}

/** A project adds to the user's prompt, and never replaces it. */
export async function loadPromptFiles(options: PromptFileOptions): Promise<PromptFiles> {
	const out: Pick<PromptFiles, "untrusted" | "notices"> = { untrusted: [], notices: [] };
	const replace = await readBoth("SYSTEM.md", options, out);
	const append = await readBoth("APPEND_SYSTEM.md", options, out);
	return {
		...(replace === undefined ? {} : { replace }),
		...(append === undefined ? {} : { append }),
		...out,
	};
}

async function readBoth(
	name: string,
	options: PromptFileOptions,
	{ untrusted, notices }: Pick<PromptFiles, "untrusted" | "notices">,
): Promise<string | undefined> {
	const ofUser = userCandidates(name, options).find(existsSync);
	const ofProject = projectCandidates(name, options).find(existsSync);
	if (ofProject !== undefined && !options.isTrusted) untrusted.push(ofProject);
	const paths = [ofUser, options.isTrusted ? ofProject : undefined];
	const texts: string[] = [];
	for (const path of paths) {
		const text = path === undefined ? undefined : await read(path, notices);
		if (text !== undefined) texts.push(text);
	}
	return texts.length === 0 ? undefined : texts.join("\n\n");
}

async function read(path: string, notices: string[]): Promise<string | undefined> {
	if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
		return void notices.push(`${path} was not used: it is not a file.`);
	}
	const file = Bun.file(path);
	if (file.size > limits.fileBytes) {
		return void notices.push(
			`${path} was not used: it has ${file.size} bytes; at most ${limits.fileBytes} are allowed.`,
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

/** From the working directory up to the root: the nearest file is used. */
function* projectCandidates(name: string, { cwd, root }: PromptFileOptions): Generator<string> {
	for (let at = resolve(cwd); ; at = dirname(at)) {
		for (const directory of projectDirs) yield join(at, directory, name);
		if (at === root || dirname(at) === at) break;
	}
}

function userCandidates(name: string, { agentDir, home }: PromptFileOptions): string[] {
	return [agentDir, ...userDirs.map((directory) => join(home, directory))].map((directory) =>
		join(directory, name),
	);
}
