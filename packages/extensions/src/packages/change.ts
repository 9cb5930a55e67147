/** Changes what is installed, one run at a time, all of what was asked for or nothing. */
import { log, type Env } from "@tau/utils";

import { newestOf } from "./install/newest.ts";
import { stage, type Staged } from "./install/stage.ts";
import { answered, PackageError, type Outcome } from "./problem.ts";
import { identityOf, isPinned, readSource, type FeatureChoice, type PackageSource } from "./source.ts";
import { readState, stateFile, writeState, type PackageEntry, type PackageState } from "./state.ts";
import type { PackageHome } from "./homes.ts";
import { exclusively, orphansIn, removeFolder, type Waiting } from "./store.ts";

export interface ChangeOptions extends Waiting {
	home: PackageHome;
	env: Env;
}

export interface PackageRequest {
	source: PackageSource;
	features: FeatureChoice;
}

export interface InstallOptions extends ChangeOptions {
	/** Replace another package of the same name. */
	isForced?: boolean;
}

export interface Installed extends Staged {
	/** What was there before. */
	before?: PackageEntry;
}

export function installPackages(
	packageRequests: readonly PackageRequest[],
	options: InstallOptions,
): Promise<Outcome<Installed[]>> {
	return changing(options, async (state) => {
		const installed: Installed[] = [];
		for (const one of packageRequests)
			installed.push(withBefore(await stagePackage(one, options), state, options));
		return { state: withEntries(state, installed), value: installed };
	});
}

export function uninstallPackages(
	names: readonly string[],
	options: ChangeOptions,
): Promise<Outcome<PackageEntry[]>> {
	return changing(options, async (state) => {
		const found = names.map((name) => named(state, name, options.home));
		const gone = new Set(found.map(([name]) => name));
		const kept = <T>(all: ReadonlyMap<string, T>): Map<string, T> =>
			new Map([...all].filter(([name]) => !gone.has(name)));
		const value = found.map(([, entry]) => entry);
		return { state: { plugins: kept(state.plugins), settings: kept(state.settings) }, value };
	});
}

export interface Updated {
	name: string;
	before: string;
	after: string;
	state: "updated" | "current" | "pinned" | "linked";
}

/** Without names, all. A package with a fixed version or ref stays unchanged. */
export function updatePackages(
	names: readonly string[],
	options: ChangeOptions,
): Promise<Outcome<Updated[]>> {
	return changing(options, async (state) => {
		const entries =
			names.length === 0 ? [...state.plugins] : names.map((name) => named(state, name, options.home));
		const value: Updated[] = [];
		const fresh: Staged[] = [];
		for (const [name, entry] of entries) {
			const source = sourceOf(entry, options.home);
			const before = entry.version;
			if (source.kind === "path") value.push({ name, before, after: before, state: "linked" });
			else if (isPinned(source)) value.push({ name, before, after: before, state: "pinned" });
			else {
				const isCurrent = (await newestOf(source, options)) === entry.resolved;
				const staged = isCurrent ? undefined : await stagePackage({ source, features: undefined }, options);
				if (staged) fresh.push({ ...staged, name, entry: { ...staged.entry, ...choicesOf(entry) } });
				value.push({
					name,
					before,
					after: staged?.entry.version ?? before,
					state: isCurrent ? "current" : "updated",
				});
			}
		}
		return { state: withEntries(state, fresh), value };
	});
}

/** Downloads again what the lock file names and what is missing, exactly as it was. */
export function restorePackages(
	names: readonly string[],
	options: ChangeOptions,
): Promise<Outcome<string[]>> {
	return changing(options, async (state) => {
		const fresh: Staged[] = [];
		for (const name of names) {
			const [, entry] = named(state, name, options.home);
			const wanted = { source: sourceOf(entry, options.home), features: undefined };
			const staged = await stagePackage(wanted, options, entry);
			fresh.push({ ...staged, name, entry: { ...staged.entry, ...choicesOf(entry) } });
		}
		return { state: withEntries(state, fresh), value: [...names] };
	});
}

/** Changes the entry of one package, or its settings. */
export function changePackage(
	name: string,
	options: ChangeOptions,
	change: (entry: PackageEntry, state: PackageState) => Partial<PackageState> & { entry?: PackageEntry },
): Promise<Outcome<PackageEntry>> {
	return changing(options, async (state) => {
		const [id, before] = named(state, name, options.home);
		const { entry = before, ...parts } = change(before, state);
		const plugins = new Map(parts.plugins ?? state.plugins).set(id, entry);
		return { state: { plugins, settings: parts.settings ?? state.settings }, value: entry };
	});
}

interface Change<T> {
	state: PackageState;
	value: T;
}

/** The lock file is written last, atomically: until then nothing has changed. */
function changing<T>(
	options: ChangeOptions,
	run: (state: PackageState) => Promise<Change<T>>,
): Promise<Outcome<T>> {
	const { home } = options;
	return answered(() =>
		exclusively(home, options, async () => {
			const read = readState(home.directory);
			if (!read.ok)
				throw new PackageError(
					`${stateFile(home.directory)}: ${read.reason}. Nothing was changed. Run tau plugin doctor --fix to repair it.`,
				);
			let counts = read.state;
			try {
				const { state, value } = await run(read.state);
				writeState(home.directory, state);
				counts = state;
				return value;
			} finally {
				sweep(home, counts);
			}
		}),
	);
}

/** Leftovers only cost space: a failure to remove them must not fail the command. */
export function sweep(home: PackageHome, state: PackageState): void {
	for (const folder of orphansIn(home, state)) {
		try {
			removeFolder(home, folder);
		} catch (error) {
			log.warn("cannot remove leftovers of a package", { folder, reason: String(error) });
		}
	}
}

function stagePackage(
	request: PackageRequest,
	{ home, env, signal, isForced = false }: InstallOptions,
	exactly?: PackageEntry,
): Promise<Staged> {
	return stage({ home, env, signal, ...request, isReplacing: isForced, ...(exactly ? { exactly } : {}) });
}

function withBefore(staged: Staged, { plugins }: PackageState, options: InstallOptions): Installed {
	const before = plugins.get(staged.name);
	if (!before) return staged;
	const { home, isForced = false } = options;
	if (baseOf(before.source, home) !== baseOf(staged.entry.source, home) && !isForced)
		throw new PackageError(
			`Package ${staged.name} from ${before.source} is already installed. Use --force to replace it.`,
		);
	return { ...staged, before };
}

function baseOf(text: string, { directory }: PackageHome): string {
	const read = readSource(text, { cwd: directory, home: directory });
	return read.ok ? identityOf(read.source) : text;
}

function withEntries({ plugins, settings }: PackageState, staged: readonly Staged[]): PackageState {
	return {
		plugins: new Map([...plugins, ...staged.map(({ name, entry }) => [name, entry] as const)]),
		settings,
	};
}

type Choices = Pick<PackageEntry, "source" | "enabled" | "enabledFeatures" | "without">;

function choicesOf({ source, enabled, enabledFeatures, without }: PackageEntry): Choices {
	return { source, enabled, enabledFeatures, ...(without ? { without } : {}) };
}

/** By its name, or by its source as typed. */
function named({ plugins }: PackageState, text: string, home: PackageHome): [string, PackageEntry] {
	const direct = plugins.get(text);
	if (direct) return [text, direct];
	const base = baseOf(text, home);
	const found = [...plugins].find(([, entry]) => baseOf(entry.source, home) === base);
	if (found) return found;
	const names = [...plugins.keys()];
	throw new PackageError(
		`Package ${text} not found. ${names.length === 0 ? "No packages are installed." : `Installed: ${names.join(", ")}.`}`,
	);
}

function sourceOf({ source }: PackageEntry, { directory }: PackageHome): PackageSource {
	const read = readSource(source, { cwd: directory, home: directory });
	if (!read.ok) throw new PackageError(`The lock file names an invalid source: ${read.reason}`);
	return read.source;
}
