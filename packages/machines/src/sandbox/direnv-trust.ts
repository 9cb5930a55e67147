/** Settings of direnv: which directories the user lets it run a `.envrc` of without asking, and scripts that it reads before. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

import { expandHome } from "@tau/utils";

import { realPath } from "./git-directories.ts";
import { smallText } from "./git-settings.ts";
import { entriesOf } from "./hidden-names.ts";

export interface DirenvTrust {
	/** What the path of a `.envrc` begins with. */
	readonly prefixes: readonly string[];
	/** A `.envrc`, or its directory. */
	readonly exact: readonly string[];
	/** Whether a `.env` is loaded like a `.envrc`. */
	readonly hasDotenv: boolean;
}

/** `settings` are paths of variables: of all settings of the user, or of those of direnv. Undefined if it asks everywhere. */
export function direnvTrust(home: string, settings: readonly string[] = []): DirenvTrust | undefined {
	const directories = directoriesOf(home, settings);
	// To read what is not there throws an error each time.
	const files = directories.flatMap((path) => [join(path, "direnv.toml"), join(path, "config.toml")]);
	const texts = files.filter(existsSync).flatMap((path) => smallText(path) ?? []);
	const all = texts.filter((text) => text.includes("whitelist")).map(tablesOf);
	const pathsOf = (name: string): string[] =>
		all
			.flatMap(({ whitelist }) => listOf(whitelist?.[name]))
			.map((path) => expandHome(path, home))
			.flatMap((path) => [path, realPath(path) ?? path]);
	const [prefixes, exact] = [pathsOf("prefix"), pathsOf("exact")];
	if (prefixes.length + exact.length === 0) return undefined;
	return { prefixes, exact, hasDotenv: all.some(({ global }) => global?.["load_dotenv"] === true) };
}

/** What direnv reads of the user before each `.envrc`. */
export function direnvScripts(home: string, settings: readonly string[] = []): string[] {
	return [
		join(home, ".direnvrc"),
		...directoriesOf(home, settings).flatMap((path) => [
			join(path, "direnvrc"),
			...entriesOf(join(path, "lib"))
				.filter(({ name }) => name.endsWith(".sh"))
				.map(({ name }) => join(path, "lib", name)),
		]),
	];
}

function directoriesOf(home: string, settings: readonly string[]): string[] {
	return [join(home, ".config/direnv"), ...settings.flatMap((path) => [path, join(path, "direnv")])];
}

/** Whether direnv runs what is at this path, as soon as it is there. */
export function isTrusted(path: string, trust: DirenvTrust | undefined): boolean {
	if (trust === undefined || (path.endsWith("/.env") && !trust.hasDotenv)) return false;
	const envrc = join(dirname(path), ".envrc");
	return (
		trust.prefixes.some((prefix) => envrc.startsWith(prefix)) ||
		trust.exact.some((each) => join(each) === envrc || join(each, ".envrc") === envrc)
	);
}

type Tables = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

function tablesOf(text: string): Tables {
	try {
		return Bun.TOML.parse(text) as Tables;
	} catch {
		// direnv does not start with settings that it cannot read either.
		return {};
	}
}

function listOf(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
