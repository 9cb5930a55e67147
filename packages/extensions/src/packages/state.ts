/** The lock file of packages: which are installed, from where, whether they are on, and their settings. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { shortId, isRecord } from "@tau/utils";

import { limits } from "./limits.ts";
import { readJson, tableIn, textIn, textsIn } from "./record.ts";
import { isValue, type SettingValue } from "./setting-schema.ts";
import { nameProblem } from "./source.ts";

export interface PackageEntry {
	/** The requested source, which can be requested again. */
	source: string;
	version: string;
	/** The folder in the store; absent for one that is used in place. */
	folder?: string;
	/** Its directory, for a linked one. */
	path?: string;
	/** The address of the archive, or the commit. */
	resolved?: string;
	/** The checksum of the archive, as the registry reports it. */
	integrity?: string;
	enabled: boolean;
	/** `null`: those that are on by default. */
	enabledFeatures: readonly string[] | null;
	/** Files of it that are switched off, one by one. */
	without?: readonly string[];
}

export interface PackageState {
	plugins: ReadonlyMap<string, PackageEntry>;
	settings: ReadonlyMap<string, Readonly<Record<string, SettingValue>>>;
}

export type ReadState = { ok: true; state: PackageState } | { ok: false; reason: string };

export const emptyState: PackageState = { plugins: new Map(), settings: new Map() };

export function stateFile(home: string): string {
	return join(home, "tau-plugins.lock.json");
}

export function readState(home: string): ReadState {
	const file = readJson(stateFile(home));
	if (!file.ok) return file.isMissing ? { ok: true, state: emptyState } : { ok: false, reason: file.reason };
	const plugins = new Map<string, PackageEntry>();
	for (const [name, value] of Object.entries(tableIn(file.value, "plugins")).slice(0, limits.packages)) {
		const entry = isRecord(value) && nameProblem(name) === undefined ? readEntry(value) : undefined;
		if (!entry) return { ok: false, reason: `its entry for "${name}" is invalid` };
		plugins.set(name, entry);
	}
	return { ok: true, state: { plugins, settings: readSettings(tableIn(file.value, "settings")) } };
}

/** Undefined if the entry is inconsistent. */
export function readEntry(value: Record<string, unknown>): PackageEntry | undefined {
	const source = textIn(value, "source");
	const [folder, path] = [textIn(value, "folder"), textIn(value, "path")];
	if (source === undefined || (folder === undefined) === (path === undefined)) return undefined;
	// The folder is joined to the store's path, so it must be a plain name.
	if (folder !== undefined && !isFolderName(folder)) return undefined;
	const features: unknown = value.enabledFeatures;
	const without = textsIn(value, "without") ?? [];
	const [resolved, integrity] = [textIn(value, "resolved"), textIn(value, "integrity")];
	return {
		source,
		version: textIn(value, "version") ?? "0.0.0",
		...(folder === undefined ? {} : { folder }),
		...(path === undefined ? {} : { path }),
		...(resolved === undefined ? {} : { resolved }),
		...(integrity === undefined ? {} : { integrity }),
		enabled: value.enabled !== false,
		enabledFeatures: Array.isArray(features) ? features.filter((name) => typeof name === "string") : null,
		...(without.length === 0 ? {} : { without }),
	};
}

export function isFolderName(name: string): boolean {
	return /^[\w~-][\w.~@+-]*$/.test(name);
}

function readSettings(table: Record<string, unknown>): Map<string, Record<string, SettingValue>> {
	const settings = new Map<string, Record<string, SettingValue>>();
	for (const [name, values] of Object.entries(table)) {
		if (!isRecord(values)) continue;
		settings.set(
			name,
			Object.fromEntries(
				Object.entries(values).filter((entry): entry is [string, SettingValue] => isValue(entry[1])),
			),
		);
	}
	return settings;
}

/** Atomic: this is the moment at which a change takes effect. */
export function writeState(home: string, { plugins, settings }: PackageState): void {
	const text = JSON.stringify(
		{ version: 1, plugins: Object.fromEntries(plugins), settings: Object.fromEntries(settings) },
		null,
		"\t",
	);
	writeWhole(stateFile(home), `${text}\n`);
}

/** Settings may be secret: the file is readable by its owner only. */
export function writeWhole(path: string, text: string): void {
	mkdirSync(dirname(path), { recursive: true });
	const draft = `${path}.${shortId()}.tmp`;
	try {
		const file = openSync(draft, "wx", 0o600);
		try {
			writeFileSync(file, text);
			fsyncSync(file);
		} finally {
			closeSync(file);
		}
		renameSync(draft, path);
	} finally {
		rmSync(draft, { force: true });
	}
}
