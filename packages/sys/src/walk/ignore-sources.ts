/** Reads the exclude lists outside of a tree: the repository's own and the user's. */
import { join, resolve } from "node:path";

import { expandHome, type Env } from "@tau/utils";

import { gitDirectoryAt } from "../git/repository.ts";
import { readSmallFile } from "../small-file.ts";
import { IgnoreFile } from "./ignore-file.ts";
import { limits } from "./limits.ts";

/** Undefined when the file is missing, unreadable, too long or has no rule. */
export async function readIgnoreFile(path: string): Promise<IgnoreFile | undefined> {
	const text = await readSmall(path);
	if (text === undefined) return undefined;
	const file = new IgnoreFile(text);
	return file.isEmpty ? undefined : file;
}

/** `info/exclude` of the repository whose work tree has this `.git`, which may be a file that points elsewhere. */
export async function readRepositoryExclude(dotGit: string): Promise<IgnoreFile | undefined> {
	const directory = await gitDirectoryAt(dotGit);
	if (directory === undefined) return undefined;
	const common = (await readSmall(join(directory, "commondir")))?.trim();
	return readIgnoreFile(join(resolve(directory, common ?? ""), "info/exclude"));
}

/** `core.excludesFile` of the user's git, or git's default location. */
export async function readUserExclude(env: Env = process.env): Promise<IgnoreFile | undefined> {
	const home = env.HOME;
	const config = env.XDG_CONFIG_HOME || (home ? join(home, ".config") : undefined);
	if (!config) return undefined;
	for (const path of [...(home ? [join(home, ".gitconfig")] : []), join(config, "git/config")]) {
		const named = excludesFile((await readSmall(path)) ?? "");
		if (named !== undefined) return readIgnoreFile(expandHome(named, home ?? ""));
	}
	return readIgnoreFile(join(config, "git/ignore"));
}

function excludesFile(config: string): string | undefined {
	let section = "";
	let file: string | undefined;
	for (const line of config.split("\n")) {
		section = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim().toLowerCase() ?? section;
		const value = /^\s*excludesfile\s*=\s*"?([^"]*)"?\s*$/i.exec(line)?.[1];
		if (section === "core" && value) file = value.trim();
	}
	return file;
}

function readSmall(path: string): Promise<string | undefined> {
	return readSmallFile(path, limits.ignoreFileBytes);
}
