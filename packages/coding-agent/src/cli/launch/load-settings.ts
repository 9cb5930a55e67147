/** Loads the settings that the command line and the directories ask for. */
import { statSync } from "node:fs";
import { resolve } from "node:path";

import { dirs, expandHome, passVariables, type Env, UsageError } from "@tau/utils";
import { describeProblem, Settings, startupLines, type SourceOptions } from "@tau/config/settings";

import type { Args } from "../args.ts";
import { printError } from "../print-error.ts";

/** Loads the settings of a run and prints their warnings. */
export async function openSettings(
	args: Args,
	env: Env = process.env,
	cwd: string = process.cwd(),
): Promise<Settings> {
	const settings = await loadSettings(args, env, cwd);
	for (const line of startupLines(settings.problems)) printError(line);
	return settings;
}

/** A file that was named on the command line has to be read: without it the run would be another one. */
export async function loadSettings(
	args: Args,
	env: Env = process.env,
	cwd: string = process.cwd(),
): Promise<Settings> {
	const files = settingFiles(args, env, cwd);
	const settings = await Settings.load(files);
	const broken = settings.problems.find(({ layer, kind }) => layer === "overlay" && kind === "unreadable");
	if (broken) throw new UsageError(`--config ${describeProblem(broken)}`);
	// Until the process ends: also for programs that are started before a session is open, or without one.
	passVariables(() => settings.getWithoutProject("environment.pass"));
	await addDirectories(settings, args.repeated?.get("add-dir") ?? []);
	return settings;
}

async function addDirectories(settings: Settings, named: readonly string[]): Promise<void> {
	if (named.length === 0) return;
	const directories = named.map((path) => {
		const directory = resolve(expandHome(path));
		if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory;
		throw new UsageError(`--add-dir ${path}: not a directory.`);
	});
	const all = [...settings.get("additionalDirectories"), ...directories];
	await settings.set("additionalDirectories", [...new Set(all)], "session");
}

export function settingFiles(
	{ repeated }: Args,
	env: Env = process.env,
	cwd: string = process.cwd(),
): SourceOptions {
	const { agent: agentDir, profile, home } = dirs(env);
	return { cwd, agentDir, profile, home, overlays: repeated?.get("config") ?? [] };
}
