/** Checks that everything in the lock file exists and is valid, and repairs what it can. */
import { renameSync, statSync } from "node:fs";

import type { Env } from "@tau/utils";

import { changePackage, restorePackages, sweep, type ChangeOptions } from "./change.ts";
import { contentsOf } from "./contents.ts";
import { readManifest } from "./manifest.ts";
import { readOverrides } from "./overrides.ts";
import { answered } from "./problem.ts";
import { settingRows, strangeSettings } from "./settings.ts";
import {
	emptyState,
	readState,
	stateFile,
	writeState,
	type PackageEntry,
	type PackageState,
} from "./state.ts";
import { rootOf } from "./homes.ts";
import { exclusively, orphansIn, recordsIn } from "./store.ts";

export interface Check {
	/** What it is about: a package, or the lock file. */
	name: string;
	status: "ok" | "warning" | "error";
	message: string;
	/** It was repaired. */
	fixed?: boolean;
}

export interface DoctorOptions extends ChangeOptions {
	cwd: string;
	isFixing: boolean;
	env: Env;
}

export async function examinePackages(options: DoctorOptions): Promise<Check[]> {
	const { home } = options;
	const checks: Check[] = [];
	let read = readState(home.directory);
	if (!read.ok) {
		checks.push(await repairLockFile(options, read.reason));
		read = readState(home.directory);
		if (!read.ok) return checks;
	}
	const { state } = read;
	checks.push(...(await checkOrphans(options, state)));
	for (const [name, entry] of state.plugins)
		checks.push(...(await checkPackage(name, entry, state, options)));
	return checks;
}

/** Rebuilds the lock file from the records beside each package in the store; the old file is renamed. */
async function repairLockFile(options: DoctorOptions, reason: string): Promise<Check> {
	const { home, isFixing } = options;
	const file = stateFile(home.directory);
	const check: Check = { name: file, status: "error", message: reason };
	if (!isFixing) return check;
	const done = await answered(() =>
		exclusively(home, options, async () => {
			const plugins = new Map(recordsIn(home).map(({ name, entry }) => [name, entry]));
			renameSync(file, `${file}.broken-${statSync(file).mtimeMs.toFixed(0)}`);
			writeState(home.directory, { ...emptyState, plugins });
			return plugins.size;
		}),
	);
	if (!done.ok) return { ...check, message: `${reason}. ${done.reason}` };
	const message = `${reason}. It was rebuilt from the store: ${done.value} packages. Set linked packages and settings again`;
	return { ...check, fixed: true, message };
}

async function checkOrphans(options: DoctorOptions, state: PackageState): Promise<Check[]> {
	const { home, isFixing } = options;
	const orphans = orphansIn(home, state);
	if (orphans.length === 0) return [];
	const check: Check = {
		name: "store",
		status: "warning",
		message: `${orphans.length} folders of unfinished installs`,
	};
	if (!isFixing) return [check];
	const done = await answered(() =>
		exclusively(home, options, async () => {
			const read = readState(home.directory);
			if (read.ok) sweep(home, read.state);
		}),
	);
	return [{ ...check, fixed: done.ok }];
}

async function checkPackage(
	name: string,
	entry: PackageEntry,
	state: PackageState,
	options: DoctorOptions,
): Promise<Check[]> {
	const { home, isFixing } = options;
	const root = rootOf(home, entry);
	if (!statSync(root, { throwIfNoEntry: false })) return [await checkMissing(name, entry, options)];
	if (statSync(root).isFile()) return [{ name, status: "ok", message: `${entry.version}, a single file` }];
	const read = readManifest(root);
	if (!read.ok) return [{ name, status: "error", message: read.reason }];
	const { manifest } = read;
	const { problems } = contentsOf(root, manifest, { features: [...manifest.features.keys()] });
	const checks = problems.map(({ kind, message }): Check => ({
		name,
		status: "error",
		message: `${kind}: ${message}`,
	}));
	const strange = (entry.enabledFeatures ?? []).filter((feature) => !manifest.features.has(feature));
	if (strange.length > 0) {
		const check: Check = { name, status: "warning", message: `it has no feature ${strange.join(", ")}` };
		const kept = (entry.enabledFeatures ?? []).filter((feature) => manifest.features.has(feature));
		const done = isFixing
			? await changePackage(name, options, (before) => ({ entry: { ...before, enabledFeatures: kept } }))
			: undefined;
		checks.push({ ...check, ...(done?.ok ? { fixed: true } : {}) });
	}
	const places = { name, manifest, state, overrides: readOverrides(options.cwd), env: options.env };
	for (const { key, problem } of settingRows(places))
		if (problem !== undefined) checks.push({ name, status: "error", message: `${key} ${problem}` });
	for (const key of strangeSettings(places))
		checks.push({ name, status: "warning", message: `${key} is set, but no such setting exists` });
	return checks.length > 0
		? checks
		: [{ name, status: "ok", message: `${entry.version}, ${manifest.format}` }];
}

async function checkMissing(name: string, entry: PackageEntry, options: DoctorOptions): Promise<Check> {
	const check: Check = { name, status: "error", message: `its files are missing (${entry.source})` };
	if (!options.isFixing || entry.folder === undefined) return check;
	const done = await restorePackages([name], options);
	return done.ok ? { ...check, fixed: true } : { ...check, message: `${check.message}. ${done.reason}` };
}
