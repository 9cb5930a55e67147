/** `tau plugin config`: shows and changes the settings that a package declares. */
import { dirs, nearest, UsageError } from "@tau/utils";
import { columns, cut } from "@tau/utils/text-table";
import {
	readManifest,
	noOverrides,
	readOverrides,
	readValue,
	type SettingValue,
	settingRows,
	shownValue,
	strangeSettings,
	type SettingsFiles,
	type SettingRow,
	rootOf,
} from "@tau/extensions/packages";
import { changePackage } from "@tau/extensions/packages/install";
import { isTrusted } from "@tau/extensions/trust";

import { printError } from "../../print-error.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { PluginRequest } from "./command.ts";
import { failed, hintAtScope, optionsOf, packageNamed } from "./named.ts";
import { jsonLine, lineWidth, printed } from "../sessions/output.ts";

interface Configured extends PluginRequest {
	files: SettingsFiles;
	/** The setting and the value that follow. */
	rest: readonly string[];
}

const actions: Readonly<
	Record<string, { usage: string; count: number; run(configured: Configured): Promise<number> }>
> = {
	list: { usage: "", count: 0, run: listSettings },
	get: { usage: " <setting>", count: 1, run: getSetting },
	set: { usage: " <setting> <value>", count: 2, run: setSetting },
	delete: { usage: " <setting>", count: 1, run: deleteSetting },
	validate: { usage: "", count: 0, run: validate },
};

export async function pluginConfig(request: PluginRequest): Promise<number> {
	const [action = "", name, ...rest] = request.operands;
	const known = actions[action];
	if (!known) {
		const [near] = nearest(action, Object.keys(actions), 1);
		const hint = near === undefined || action === "" ? "" : ` Did you mean ${near}?`;
		throw new UsageError(`Usage: tau plugin config ${Object.keys(actions).join("|")} <name>.${hint}`);
	}
	if (name === undefined || rest.length !== known.count)
		throw new UsageError(`Usage: tau plugin config ${action} <name>${known.usage}`);
	const { home } = request;
	const one = packageNamed(home, name);
	if (!one.ok) return failed(hintAtScope(one.reason, [name], request));
	const read = readManifest(rootOf(home, one.entry));
	if (!read.ok) return failed(read.reason);
	const cwd = process.cwd();
	const overrides = isTrusted(cwd, dirs().agent) ? readOverrides(cwd) : noOverrides;
	const files = { name, manifest: read.manifest, state: one.state, overrides, env: process.env };
	return known.run({ ...request, files, rest });
}

async function listSettings({ files, isJson }: Configured): Promise<number> {
	const rows = settingRows(files);
	if (isJson) return printed(rows.map((row) => jsonLine(shownRow(row))).join(""));
	if (rows.length === 0) return printed(`${files.name} has no settings.\n`);
	const cells = rows.map((row) => [row.key, shownValue(row), row.from, row.schema.description ?? ""]);
	const table = columns([["SETTING", "VALUE", "FROM", ""], ...cells]);
	return printed(table.map((line) => `${cut(line, lineWidth())}\n`).join(""));
}

async function getSetting(configured: Configured): Promise<number> {
	const row = rowNamed(configured);
	return printed(configured.isJson ? jsonLine(shownRow(row)) : `${shownValue(row)}\n`);
}

/** Secret values are never printed, not even for a program. */
function shownRow(row: SettingRow): Record<string, unknown> {
	const { key, schema, from, problem, value } = row;
	const shown = schema.isSecret && value !== undefined ? shownValue(row) : (value ?? null);
	return { key, value: shown, from, type: schema.type, ...(problem === undefined ? {} : { problem }) };
}

async function setSetting(configured: Configured): Promise<number> {
	const { rest, files, home, isJson } = configured;
	const { key, schema } = rowNamed(configured);
	const read = readValue(rest[1] ?? "", schema);
	if (!read.ok) throw new UsageError(`${key} ${read.reason}.`);
	if (schema.isSecret && home.scope === "project") {
		const way = schema.env === undefined ? "" : ` Set ${schema.env} instead.`;
		return failed(`${key} is a secret, and the project's lock file is shared with others.${way}`);
	}
	const failure = await change(configured, (values) => ({ ...values, [key]: read.value }));
	if (failure !== undefined) return failed(failure);
	const shown = shownValue({ key, schema, value: read.value, from: "set" });
	return printed(isJson ? jsonLine({ name: files.name, key, value: shown }) : `Set ${key} to ${shown}.\n`);
}

async function deleteSetting(configured: Configured): Promise<number> {
	const { files, rest, isJson } = configured;
	const [key = ""] = rest;
	const failure = await change(configured, ({ [key]: _, ...values }) => values);
	if (failure !== undefined) return failed(failure);
	return printed(isJson ? jsonLine({ name: files.name, key, value: null }) : `Removed ${key}.\n`);
}

type Values = Readonly<Record<string, SettingValue>>;

/** Gives why it could not be done. */
async function change(configured: Configured, edit: (values: Values) => Values): Promise<string | undefined> {
	const { name } = configured.files;
	const done = await changePackage(name, optionsOf(configured), (_, { settings }) => ({
		settings: new Map(settings).set(name, edit(settings.get(name) ?? {})),
	}));
	return done.ok ? undefined : done.reason;
}

async function validate({ files, isJson }: Configured): Promise<number> {
	const wrong = settingRows(files).flatMap(({ key, problem }) =>
		problem === undefined ? [] : [`${key} ${problem}`],
	);
	const strange = strangeSettings(files).map((key) => `${key} is set, but no such setting exists`);
	const problems = [...wrong, ...strange];
	if (isJson) await printed(jsonLine({ name: files.name, problems }));
	else if (problems.length === 0) await printed(`The settings of ${files.name} are valid.\n`);
	else for (const problem of problems) printError(problem);
	return problems.length === 0 ? exitCodes.answered : exitCodes.failed;
}

function rowNamed({ files, rest: [key = ""] }: Configured): SettingRow {
	const rows = settingRows(files);
	const row = rows.find((one) => one.key === key);
	if (row) return row;
	const keys = rows.map((one) => one.key);
	const [near] = nearest(key, keys, 1);
	const hint =
		keys.length === 0
			? "It has no settings."
			: near === undefined
				? `Available: ${keys.join(", ")}.`
				: `Did you mean ${near}?`;
	throw new UsageError(`${files.name} has no setting ${key}. ${hint}`);
}
