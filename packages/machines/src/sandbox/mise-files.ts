/** Settings of mise in a project, and the files that they name: it runs or reads those at the prompt of a shell, and trusts them. */
import { basename, dirname, join, resolve } from "node:path";

import { smallText } from "./git-settings.ts";
import { entriesOf } from "./hidden-names.ts";
import { here } from "./shell-words.ts";

/** Besides these there are those in directories that are called so. Environments of mise have any name. */
const settingsName = /^\.?mise(?:\.[\w-]+)*\.toml$/i;
const nameInDirectory = /^(?:config|mise)(?:\.[\w-]+)*\.toml$/i;
const directoryName = /^\.?mise$/i;

export function isMiseSettings(path: string): boolean {
	const [name, above] = [basename(path), dirname(path)];
	if (settingsName.test(name) || /^\.?miserc\.toml$/i.test(name)) return true;
	if (directoryName.test(basename(above))) return nameInDirectory.test(name);
	const isPart = basename(above).toLowerCase() === "conf.d" && directoryName.test(basename(dirname(above)));
	return isPart && /\.toml$/i.test(name);
}

/** A link in its place would lead to others. */
export function isMiseDirectory(path: string): boolean {
	const name = basename(path).toLowerCase();
	return directoryName.test(name) || (name === "conf.d" && directoryName.test(basename(dirname(path))));
}

/** The directory that paths in such settings are relative to. */
export function miseRoot(file: string): string {
	return dirname(file).replace(/(?:\/\.config)?(?:\/\.?mise(?:\/conf\.d)?)?$/i, "") || "/";
}

/** Files of settings that are no project's. They may not exist. `settings` are paths of variables, of directories or files. */
export function userMiseSettings(home: string, settings: readonly string[] = []): string[] {
	const named = settings.filter((path) => path.startsWith("/"));
	const directories = [
		join(home, ".config/mise"),
		"/etc/mise",
		...named.flatMap((path) => [path, join(path, "mise")]),
	];
	const below = directories.flatMap((path) => [path, join(path, "conf.d")]).flatMap(entriesBelow);
	const all = [join(home, ".config/mise/config.toml"), ...named, ...below];
	return [...new Set(all.filter((path) => path.endsWith(".toml")))];
}

/**
 * What such settings, or those of a project, make mise look for in each directory from the shell's own up: it sets the variables in
 * it at the prompt, and `PROMPT_COMMAND` is one of them.
 */
export function miseEnvFiles(files: readonly string[]): string[] {
	const names = files.flatMap((file) => {
		const text = smallText(file) ?? "";
		if (!text.includes("env_file")) return [];
		const settings = parsed(text);
		if (settings !== undefined) return stringsOf(valuesOf(settings["settings"])["env_file"]);
		return [...text.matchAll(/env_file"?\s*=\s*["']([^"'\n]+)/g)].flatMap(([, name]) => name ?? []);
	});
	return [...new Set(names)].slice(0, mostEnvFiles);
}

/** Most users have none, and mise one. */
const mostEnvFiles = 10;

/** What settings run or read at the prompt in this directory: it may not exist yet. */
export function namedByMise(
	root: string,
	wordsOf: (text: string) => string[],
	files: readonly string[],
): string[] {
	return files.flatMap((file) => {
		const text = smallText(file) ?? "";
		// Most name tools alone.
		if (!/\b(?:env|env_file|hooks|watch_files)\b|\{[{%]/.test(text)) return [];
		const settings = parsed(text);
		// What we cannot read may name any of its words.
		return settings === undefined ? wordsOf(text) : namedIn(settings, root, wordsOf);
	});
}

/** Those that there are in a directory, and in the directories there that mise knows. */
export function miseSettings(root: string): string[] {
	const top = entriesBelow(root);
	const directories = top.filter((path) => /^(?:\.?mise|\.config)$/.test(basename(path)));
	const inner = directories.flatMap(entriesBelow);
	const parts = inner.filter((path) => /^(?:mise|conf\.d)$/.test(basename(path))).flatMap(entriesBelow);
	const deepest = parts.filter((path) => basename(path) === "conf.d").flatMap(entriesBelow);
	return [...top, ...inner, ...parts, ...deepest].filter(isMiseSettings);
}

function entriesBelow(directory: string): string[] {
	return entriesOf(directory).map(({ name }) => join(directory, name));
}

type Values = Readonly<Record<string, unknown>>;

function parsed(text: string): Values | undefined {
	try {
		return valuesOf(Bun.TOML.parse(text));
	} catch {
		// mise may read it nevertheless.
		return undefined;
	}
}

function namedIn(settings: Values, root: string, wordsOf: (text: string) => string[]): string[] {
	const env = listOf(settings["env"]).map(valuesOf);
	const special = env.flatMap((each) => [valuesOf(each["_"]), valuesOf(each["mise"])]);
	const read = [...special.flatMap(({ source, file }) => [source, file]), settings["env_file"]];
	const paths = read.flatMap(pathsOf).map((path) => withRoot(path, root));
	const commands = [settings["hooks"], settings["watch_files"]].flatMap(stringsOf);
	const { tasks: _, ...others } = settings;
	// A template may run a program.
	const templates = stringsOf(others).filter((text) => /\{[{%]/.test(text));
	return [
		...paths.map((path) => resolve(root, path)),
		...[...commands, ...templates].flatMap((text) => wordsOf(withRoot(text, here))),
	];
}

function withRoot(text: string, root: string): string {
	return text.replaceAll(/\{\{\s*(?:config_root|cwd)\s*\}\}/g, () => root);
}

/** A path, several, or one with options. */
function pathsOf(value: unknown): string[] {
	return listOf(value).flatMap((each) => stringsOf(typeof each === "string" ? each : valuesOf(each)["path"]));
}

function stringsOf(value: unknown): string[] {
	if (typeof value === "string") return [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function valuesOf(value: unknown): Values {
	return typeof value === "object" && value !== null ? { ...value } : {};
}
