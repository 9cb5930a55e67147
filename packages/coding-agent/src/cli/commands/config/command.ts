/** `tau config`: shows settings and where they come from, explains them, and changes them. */
import { join } from "node:path";

import {
	describeProblem,
	findSetting,
	settingHelp,
	settingsPage,
	unknownSetting,
	visibleValue,
	type Named,
	parseValue,
} from "@tau/config/settings";
import { dirs, UsageError } from "@tau/utils";

import { processOutput } from "../../../modes/output.ts";
import type { Args } from "../../args.ts";
import { printError } from "../../print-error.ts";
import { fileRows, scopeOf, settingRows } from "./rows.ts";
import { fileTable, jsonLines, plainValue, settingTable, shownOrigin } from "./text.ts";
import { exitCodes } from "../../exit-codes.ts";
import { loadSettings } from "../../launch/load-settings.ts";

const actions: Readonly<Record<string, (args: Args) => Promise<number>>> = {
	list: listSettings,
	get: getSetting,
	set: changeSetting,
	unset: changeSetting,
	path: listFiles,
	doc: explainSetting,
};

export async function runConfig(args: Args): Promise<number> {
	const [action = "list"] = args.operands;
	const isScoped = args.flags.has("global") || args.flags.has("project");
	if (isScoped && !["set", "unset", "path"].includes(action)) {
		throw new UsageError("--global and --project only apply to tau config set, unset and path.");
	}
	const run = actions[action];
	if (!run) throw new UsageError(`Unknown command: tau config ${action}. See tau config --help.`);
	return run(args);
}

/** This command reports every problem of the files: the start of a run omits minor ones. */
async function listSettings(args: Args): Promise<number> {
	const [, search = ""] = args.operands;
	const settings = await loadSettings(args);
	for (const problem of settings.problems) printError(describeProblem(problem));
	const rows = (await settingRows(settings, search)).map((row) => ({
		...row,
		value: visibleValue(row.key, row.value),
	}));
	if (rows.length === 0) throw new UsageError(unknownSetting(search));
	return print(args, rows, settingTable);
}

async function getSetting(args: Args): Promise<number> {
	const { key } = namedIn(args);
	const settings = await loadSettings(args);
	const [row] = await settingRows(settings, "", [key]);
	return print(args, row ? [row] : [], () => `${plainValue(row?.value)}\n`);
}

async function listFiles(args: Args): Promise<number> {
	const rows = fileRows(args);
	if (scopeOf(args) === undefined) return print(args, rows, fileTable);
	return print(args, rows, (files) => files.map(({ file }) => `${file}\n`).join(""));
}

async function explainSetting(args: Args): Promise<number> {
	if (args.operands[1] === undefined) return print(args, [], settingsPage, "text");
	const { named } = namedIn(args);
	const { path, setting } = named;
	const { type: _, ...about } = setting;
	return print(args, [{ key: path, ...about }], () => settingHelp(named));
}

function namedIn({ operands: [action = "", key] }: Args): { key: string; named: Named } {
	if (key === undefined) throw new UsageError(`Usage: tau config ${action} <setting>`);
	const named = findSetting(key);
	if (!named) throw new UsageError(unknownSetting(key));
	return { key, named };
}

async function print<R>(
	{ flags }: Args,
	rows: readonly R[],
	text: (rows: readonly R[]) => string,
	mode = flags.get("mode"),
): Promise<number> {
	const out = processOutput(process.stdout, () => {});
	await out.write(mode === "json" ? jsonLines(rows) : text(rows));
	const problem = await out.settled();
	if (!problem) return exitCodes.answered;
	printError(`cannot write the settings: ${problem.message}`);
	return exitCodes.failed;
}

/** `tau config set` and `tau config unset`: one change in one file. */
/** What is in no list of values: a theme may be a file, or come with a package. */
async function checkTheme(name: string): Promise<void> {
	const { ThemeStore } = await import("@tau/interactive/theme-store");
	const { packagedThemesOf } = await import("../../launch/run-themes.ts");
	const store = new ThemeStore({
		mode: "none",
		directory: join(dirs().agent, "themes"),
		packaged: await packagedThemesOf({ flags: new Map(), repeated: new Map() }),
		name: "auto",
		appearance: "dark",
	});
	const outcome = store.set(name);
	if (!outcome.ok) throw new UsageError(outcome.message);
}

async function changeSetting(args: Args): Promise<number> {
	const { operands, flags } = args;
	const [action, key, word] = operands;
	const isSet = action === "set";
	if (key === undefined || (isSet && word === undefined)) {
		throw new UsageError(`Usage: tau config ${action} <setting>${isSet ? " <value>" : ""}`);
	}
	const named = findSetting(key);
	if (!named) throw new UsageError(unknownSetting(key));
	const scope = scopeOf(args) ?? "global";
	const settings = await loadSettings(args);
	const value = word === undefined ? null : parseValue(named, word);
	if (isSet && key === "theme") await checkTheme(String(value));
	const outcome = isSet ? await settings.setUnchecked(key, value, scope) : await settings.unset(key, scope);
	if (!outcome.ok) {
		if (outcome.fault === "request") throw new UsageError(outcome.reason);
		printError(outcome.reason);
		return exitCodes.failed;
	}
	const { file = "", hiddenBy } = outcome;
	const shown = visibleValue(key, value);
	const text = isSet ? `${key} is ${plainValue(shown)}` : `${key} is not set`;
	process.stdout.write(
		flags.get("mode") === "json"
			? jsonLines([{ key, value: shown, file, ...(hiddenBy ? { hiddenBy } : {}) }])
			: `${text} in ${shownOrigin({ layer: scope, file })}\n`,
	);
	if (hiddenBy) printError(`${key} is also set in ${shownOrigin(hiddenBy)}, which takes precedence here`);
	return exitCodes.answered;
}
