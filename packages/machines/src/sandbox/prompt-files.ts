/**
 * Files of the project that direnv and mise run or read at the prompt of a shell, because a `.envrc` or settings of mise name them.
 * direnv asks again when the `.envrc` itself has changed, and neither does when these have.
 */
import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { expandHome } from "@tau/utils";

import { directoriesAbove, isBelow } from "./below.ts";
import { smallText } from "./git-settings.ts";
import { limits } from "./limits.ts";
import { miseSettings, namedByMise } from "./mise-files.ts";
import { here, isPattern, matching, wordsOf, type ReadWord, type ScriptWords } from "./shell-words.ts";

export interface PromptScope {
	readonly home: string;
	/** Where commands can write: what a script names there is protected. */
	readonly writable: readonly string[];
	/** What direnv reads of the user before each `.envrc`. */
	readonly direnvScripts: readonly string[];
	/** Files of mise's that are no project's. */
	readonly miseSettings?: readonly string[];
	/** Called with each pattern that a script has for names in a directory. */
	onPattern?(pattern: string, directory: string): void;
}

export function allPromptFiles(directories: readonly string[], scope: PromptScope): string[] {
	return [...new Set(directories.flatMap((path) => promptFiles(path, scope)))];
}

/** They may not exist yet: a command must not make them either. */
export function promptFiles(root: string, scope: PromptScope): string[] {
	const envrc = join(root, ".envrc");
	const found = new Set<string>();
	const scripts: { readonly path: string; readonly bases: readonly string[] }[] = [];
	const add = (paths: readonly string[], bases: readonly string[]): void => {
		for (const path of paths) {
			if (path === envrc || found.size >= limits.promptFiles || !isIn(path, scope) || found.has(path))
				continue;
			found.add(path);
			scripts.push({ path, bases: [...new Set([dirname(path), ...bases])] });
		}
	};
	if (isFile(envrc))
		scripts.push(...[envrc, ...scope.direnvScripts].map((path) => ({ path, bases: [root] })));
	const named = (text: string): string[] => {
		const words = wordsOf(text);
		return namedBy(words, placesOf(words, [root], scope));
	};
	add(namedByMise(root, named, [...miseSettings(root), ...(scope.miseSettings ?? [])]), [root]);
	// What these read is added at the end.
	for (const { path, bases } of scripts) {
		const text = smallText(path);
		if (text === undefined) continue;
		const words = wordsOf(text);
		const places = placesOf(words, bases, scope);
		// Other words of other scripts may mean anything.
		add(readBy(words.read, places), bases);
		if (!basename(path).startsWith(".envrc")) continue;
		add([...namedBy(words, places), ...readBy(words.run, places), ...usual(words, places)], bases);
	}
	return [...found];
}

/** What the words of a script are relative to. */
interface Places {
	readonly bases: readonly string[];
	/** It may go into each directory that it names. */
	readonly directories: readonly string[];
	readonly scope: PromptScope;
}

function placesOf({ all }: ScriptWords, bases: readonly string[], scope: PromptScope): Places {
	const isRoot = (path: string): boolean => scope.writable.includes(path);
	const named = all
		.filter((word) => !isPattern(word))
		.flatMap((word) => pathsOf(word, bases, scope))
		.filter((path) => (isIn(path, scope) || isRoot(path)) && isDirectory(path));
	const directories = [...new Set([...bases, ...named])].slice(0, limits.promptDirectories);
	return { bases, directories, scope };
}

function namedBy({ used }: ScriptWords, { directories, scope }: Places): string[] {
	return used.flatMap((word) => pathsOf(word, directories, scope)).filter(isFile);
}

/** What is read as a part of a script. A directory means the `.envrc` or `.env` in it, and so does what may become one. */
function readBy(read: readonly ReadWord[], { bases, directories, scope }: Places): string[] {
	return read.flatMap(({ by, word }) => {
		const from = by.startsWith("source_up") ? bases.flatMap(directoriesAbove) : bases;
		const inside = by.startsWith("dotenv") ? ".env" : ".envrc";
		const paths = pathsOf(word, from, scope, true).filter((path) => isIn(path, scope));
		const absent = isPattern(word) ? [] : paths.filter((path) => !exists(path));
		return [
			...paths.filter(exists).map((path) => (isDirectory(path) ? join(path, inside) : path)),
			...absent.flatMap((path) => [path, join(path, inside)]),
			...pathsOf(word, directories, scope, true).filter(isFile),
		];
	});
}

function pathsOf(word: string, bases: readonly string[], scope: PromptScope, isRead = false): string[] {
	const path = expandHome(word, scope.home).replace(/^[\u0001\u0002](?=\/|$)/, ".");
	if (path.includes(here)) return [];
	if (!isPattern(path)) return bases.map((base) => resolve(base, path));
	const parts = path.split("/");
	const first = parts.findIndex(isPattern);
	const [above, pattern] = [parts.slice(0, first).join("/"), parts.slice(first).join("/")];
	// Another one may be a text, or match whatever a build makes.
	if (!hasName(above) && !(isRead && hasName(pattern))) return [];
	return bases.map((base) => resolve(base, above)).flatMap((start) => matchesOf(pattern, start, scope));
}

function matchesOf(pattern: string, directory: string, { writable, onPattern }: PromptScope): string[] {
	if (!writable.some((root) => directory === root || isBelow(directory, root))) return [];
	onPattern?.(pattern, directory);
	return matching(pattern, directory);
}

function hasName(path: string): boolean {
	return /[\p{L}\p{N}]/u.test(path);
}

/** Of nix-direnv, which reads a script of its own in `.direnv` as long as these have not changed. */
const nixFiles = ["flake.nix", "flake.lock", "shell.nix", "default.nix", ".direnv"];

/** What these read without saying so; in directories that are named, as `use flake ./nix`, what there is. */
function usual({ text }: ScriptWords, { bases, directories }: Places): string[] {
	const names = [
		...(/\b(?:dotenv|source_env)/.test(text) ? [".envrc.local", ".env", ".env.local"] : []),
		...(/\buse[ _](?:flake|nix|devenv)\b/.test(text) ? nixFiles : []),
		...(/\bdevenv\b/.test(text) ? ["devenv.nix", "devenv.yaml", "devenv.lock"] : []),
		...(/\bdevbox\b/.test(text) ? ["devbox.json", "devbox.lock"] : []),
	];
	const isBase = (directory: string): boolean => bases.includes(directory);
	return directories.flatMap((directory) =>
		names.map((name) => join(directory, name)).filter((path) => isBase(directory) || exists(path)),
	);
}

function isIn(path: string, { writable }: PromptScope): boolean {
	return writable.some((above) => isBelow(path, above));
}

function isFile(path: string): boolean {
	return statOf(path)?.isFile() === true;
}

function isDirectory(path: string): boolean {
	return statOf(path)?.isDirectory() === true;
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
