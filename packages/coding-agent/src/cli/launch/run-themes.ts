/** The themes of a run: those of the command line, and all others unless it excludes them. */
import { basename, join, resolve } from "node:path";

import { builtinThemeNames } from "@tau/tui";
import { dirs, expandHome, nearest, UsageError } from "@tau/utils";
import { isTrusted } from "@tau/extensions/trust";
import type { Settings } from "@tau/config/settings";

import { themeFiles } from "@tau/interactive/extensions";
import type { Args } from "../args.ts";

export interface RunThemes {
	/** The initial theme. */
	name: string;
	/** Whether the command line names it: then it has to be there. */
	isAsked: boolean;
	/** The directory of the user's own themes; absent when they are disabled. */
	directory: string | undefined;
	/** Files that take precedence over all others. */
	named: string[];
}

type ThemeRequest = Pick<Args, "flags" | "repeated">;

export function runThemes({ flags, repeated }: ThemeRequest, settings: Pick<Settings, "get">): RunThemes {
	const requested = flags.get("use-theme");
	return {
		name: requested ?? settings.get("theme"),
		isAsked: requested !== undefined,
		directory: flags.has("no-themes") ? undefined : join(dirs().agent, "themes"),
		named: themeFiles((repeated?.get("theme") ?? []).map((path) => resolve(expandHome(path)))),
	};
}

/** Files of the themes of packages; searched only when it is called. */
export async function packagedThemesOf({ flags, repeated }: ThemeRequest): Promise<() => readonly string[]> {
	const cwd = process.cwd();
	const named = (["extension", "hook"] as const).flatMap((flag) => repeated?.get(flag) ?? []);
	// The code that fetches packages is loaded only when a package is named.
	const brought = named.length > 0 && (await import("@tau/extensions/packages/install"));
	const { packagedThemes } = await import("@tau/extensions/packages");
	return () => [
		...(brought ? brought.bundledResources(named, cwd, process.env).themes : []),
		...(flags.has("no-themes") ? [] : packagedThemes(cwd, process.env, isTrusted(cwd, dirs().agent))),
	];
}

/** Where no screen shows that the theme of the command line is missing. */
export async function rejectUnknownTheme(args: ThemeRequest, settings: Pick<Settings, "get">): Promise<void> {
	const themes = runThemes(args, settings);
	if (isAtHand(themes)) return;
	const packaged = (await packagedThemesOf(args))();
	const files = [...themes.named, ...(themes.directory ? themeFiles([themes.directory]) : []), ...packaged];
	const known = new Set<string>([
		"auto",
		...builtinThemeNames,
		...files.map((path) => basename(path, ".json")),
	]);
	const missing = themes.name.split("/").find((name) => !known.has(name));
	if (missing === undefined) return;
	const [near] = nearest(missing, known);
	throw new UsageError(
		`--use-theme: there is no theme "${missing}"${near === undefined ? ". Run /theme to see them." : `; did you mean ${near}?`}`,
	);
}

/** Whether the first frame can be drawn in it without searching packages. */
export function isAtHand({ name, named }: RunThemes): boolean {
	const files = named.map((path) => basename(path, ".json"));
	const known = new Set<string>(["auto", ...builtinThemeNames, ...files]);
	return name.split("/").every((part) => known.has(part));
}
