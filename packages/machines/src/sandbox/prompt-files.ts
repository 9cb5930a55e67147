/**
 * Files of the project that direnv and mise run or read at the prompt of a shell, because a `.envrc` or settings of mise name them.
 * direnv asks again when the `.envrc` itself has changed, and neither does when these have.
 */
import { statSync } from "node:fs";
import { basename, join, resolve } from "node:path";

import { isBelow } from "./below.ts";
import { smallText } from "./git-settings.ts";
import { limits } from "./limits.ts";
import { miseSettings, namedByMise } from "./mise-files.ts";

/** They may not exist yet: a command must not make them either. `userSettings`: files of mise's that are no project's. */
export function promptFiles(root: string, userSettings: readonly string[] = []): string[] {
	const files = [join(root, ".envrc")];
	for (const file of files) {
		// Words of other files are not those of direnv: in a script that it runs they may mean anything.
		if (!/\/\.envrc[^/]*$/.test(file)) continue;
		const named = namedIn(smallText(file) ?? "", root).filter((path) => !files.includes(path));
		files.push(...named.slice(0, Math.max(0, limits.promptFiles - files.length)));
	}
	const settings = [...miseSettings(root), ...userSettings];
	const ofMise = namedByMise(root, (text) => pathsIn(text, root).filter(isFile), settings);
	return [...new Set([...files.slice(1), ...ofMise.slice(0, limits.promptFiles)])];
}

function namedIn(text: string, root: string): string[] {
	const lines = text.split("\n").filter((line) => !/^\s*#/.test(line) && !onlyNames.test(line));
	const words = lines.flatMap((line) => {
		const isNew = (path: string): boolean => reads.test(line) && !exists(path) && isName(path);
		return pathsIn(line, root).filter((path) => isFile(path) || isNew(path));
	});
	return [...new Set([...words, ...usual(lines.join("\n")).map((name) => join(root, name))])];
}

/** Words that may be paths below the directory. */
function pathsIn(text: string, root: string): string[] {
	const path = (word: string): string => resolve(root, word.replace(/^(?:\$PWD|\$\{PWD\})\//, ""));
	return (text.match(/[\w.@%+$~{}/-]+/g) ?? []).map(path).filter((each) => isBelow(each, root));
}

/** Functions that run and read nothing of what they name, and variables: a build writes such files. */
const onlyNames =
	/^\s*(?:(?:watch_file|watch_dir|PATH_add|path_add|MANPATH_add|PATH_rm|path_rm|layout|log_\w+)\b|(?:export\s+)?\w+=[^$`]*$)/;
const reads = /(?:^|[\s;&|({])(?:source|source_env|source_env_if_exists|dotenv|dotenv_if_exists|\.)\s/;

/** The functions themselves are words as well. */
function isName(path: string): boolean {
	const name = basename(path);
	return !/[$~{}]/.test(path) && /\.|env/.test(name) && !/^(?:source_env|dotenv)(?:_if_exists)?$/.test(name);
}

/** Of nix-direnv, which reads a script of its own in `.direnv` as long as these have not changed. */
const nixFiles = ["flake.nix", "flake.lock", "shell.nix", "default.nix", ".direnv"];

/** What these read without saying so. */
function usual(text: string): string[] {
	return [
		...(/\b(?:dotenv|source_env)/.test(text) ? [".envrc.local", ".env", ".env.local"] : []),
		...(/\buse[ _](?:flake|nix|devenv)\b/.test(text) ? nixFiles : []),
		...(/\bdevenv\b/.test(text) ? ["devenv.nix", "devenv.yaml", "devenv.lock"] : []),
		...(/\bdevbox\b/.test(text) ? ["devbox.json", "devbox.lock"] : []),
	];
}

function isFile(path: string): boolean {
	return statOf(path)?.isFile() === true;
}

function exists(path: string): boolean {
	return statOf(path) !== undefined;
}

function statOf(path: string): ReturnType<typeof statSync> {
	try {
		return statSync(path, { throwIfNoEntry: false });
	} catch {
		// A part of its path is a file, or closed.
		return undefined;
	}
}
