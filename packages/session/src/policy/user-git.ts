/**
 * What the user's own settings of git leave to a project: hooks, programs and files that they name there (`core.hooksPath =
 * .githooks`, `blame.ignoreRevsFile = .git-blame-ignore-revs`), which then are the project's and not the user's.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { programsIn } from "@tau/sys";
import { expandHome, shortenHome } from "@tau/utils";

import { settingsOfFile } from "./git-settings-file.ts";
import { isHarmless } from "./harmless-settings.ts";
import { limits } from "./limits.ts";
import { climbs, isWithin, realPath } from "./real-path.ts";

export interface UserGit {
	/** A sentence, if they run something of the project, or show what a link in it leads to. */
	readonly reason?: string;
	/** Where they say that hooks are, as given. */
	readonly hooks?: string;
	/** Files that they are in, or that they name in the project. */
	readonly files: readonly string[];
	/** Files of the project that they include. */
	readonly ofProject: readonly string[];
	/** A diff shows what has changed in repositories that only the history names. */
	readonly showsSubmodules: boolean;
}

/** Of keys with such a name the value is a program. */
const programName =
	/(?:command|cmd|program|difffilter|textconv|external|clean|smudge|process|driver|fsmonitor|hook|pager|path)$/;

/** `root`: the working tree, without links. */
export function userGit(root: string, home: string): UserGit {
	const queue = settingsFiles(home);
	const ofProject: string[] = [];
	const files = new Set(queue);
	let reason: string | undefined;
	let hooks: string | undefined;
	let showsSubmodules = false;
	// In a repository of the whole home directory, they are in it although they are the user's.
	const isAround = isWithin(home, root);
	const inProject = (path: string): boolean =>
		!isAround && (isWithin(path, root) || isWithin(realPath(path), root));
	for (const file of queue) {
		const settings = settingsOfFile(file);
		if (!settings || files.size > limits.settingsFiles)
			reason ??= `git may understand ${shortenHome(file)} in another way than Tau does`;
		for (const [name, value] of settings ?? []) {
			const path = resolve(root, expandHome(value, home));
			const isPath =
				/^(?:core\.hookspath|include(?:if\..*)?\.path)$/s.test(name) || isHarmless(name, value) === "file";
			if (isPath && climbs(value))
				reason ??= `git may read another file than ${value}, which ${shortenHome(file)} names`;
			if (name === "core.hookspath") hooks = value;
			else if (/^include(?:if\..*)?\.path$/s.test(name)) {
				const included = resolve(dirname(file), expandHome(value, home));
				if (files.has(included)) continue;
				files.add(included);
				(inProject(included) ? ofProject : queue).push(included);
			} else if (name === "diff.submodule") showsSubmodules = value === "diff";
			else if (isHarmless(name, value) === "file" && isWithin(path, root)) {
				files.add(path);
				if (!isWithin(realPath(path), root))
					reason ??= `git reads ${shortenHome(path)}, a link out of the project`;
			} else if (isHarmless(name, value) === false) {
				const named = namedBy(name, value, home, root);
				const first = named.files.find(inProject);
				if (named.isOpen && !isAround) reason ??= `your setting ${name} may let git run files of the project`;
				if (first !== undefined)
					reason ??= `your setting ${name} lets git use ${shortenHome(first)} of the project`;
			}
		}
	}
	return {
		...(reason === undefined ? {} : { reason }),
		...(hooks === undefined ? {} : { hooks }),
		files: [...files],
		ofProject,
		showsSubmodules,
	};
}

function settingsFiles(home: string): string[] {
	const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, XDG_CONFIG_HOME } = process.env;
	const whole = (path: string | undefined): path is string => path?.startsWith("/") === true;
	const config = whole(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(home, ".config");
	const own =
		GIT_CONFIG_GLOBAL === undefined
			? [join(config, "git/config"), join(home, ".gitconfig")]
			: [GIT_CONFIG_GLOBAL];
	return [GIT_CONFIG_SYSTEM ?? "/etc/gitconfig", ...own].filter(whole);
}

interface Named {
	/** Files that the words of a value may be; of a program also those that are not there yet. */
	readonly files: readonly string[];
	/** It runs what it finds in the directory where git starts it, or what only a shell can know. */
	readonly isOpen: boolean;
}

function namedBy(name: string, given: string, home: string, root: string): Named {
	const isProgram = programName.test(name);
	const value = given.replaceAll(/\$(?:HOME\b|\{HOME\})/g, home).replaceAll(/\$[\d@*#]/g, "");
	const words = value.split(/[\s;|&<>()=`"']+/).filter((word) => word !== "");
	const files = words.flatMap((word, index) => {
		const path = resolve(root, expandHome(word, home));
		// Without a slash, the first one is looked for on PATH.
		const isPath = word.includes("/");
		return (isProgram && isPath) || ((isPath || index > 0) && existsSync(path)) ? [path] : [];
	});
	const isOpen = isProgram && (/[$`]/.test(value) || programsIn(`${name}\n${value}`, root, home).length > 0);
	return { files, isOpen };
}
