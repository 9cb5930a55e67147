/** The settings of a run: the effective values, their sources, and how to change them. */
import { log, onDispose, isRecord } from "@tau/utils";

import { refusal } from "./judge.ts";
import { oldNamesOf } from "./old-names.ts";
import { isSwitchedOff } from "./other-programs.ts";
import type { SettingProblem } from "./problem.ts";
import { readLayer, type Layer, type ReadLayer } from "./read-layer.ts";
import {
	findSetting,
	nearSettings,
	pathOf,
	settingPaths,
	type Named,
	type SettingKey,
	type SettingPath,
	type SettingValue,
	schema,
} from "./schema.ts";
import type { Scope } from "./setting.ts";
import { sourcesOf, writtenFile, type Source, type SourceOptions } from "./sources.ts";

/** Where a value comes from. */
export interface Origin {
	layer: Layer["name"] | "default";
	file?: string;
	line?: number;
}

export interface Explanation {
	value: unknown;
	default: unknown;
	/** The highest layer that sets it. */
	from: Origin;
	/** The values of all layers, lowest first. */
	sources: (Origin & { value: unknown })[];
}

export type SetOutcome =
	| {
			ok: true;
			/** The file that was written; absent for the session. */
			file?: string;
			/** A higher layer sets another value, so that the change has no effect here. */
			hiddenBy?: Origin;
	  }
	| {
			ok: false;
			reason: string;
			/** Whether the requested change is invalid, or the file could not be written. */
			fault: "request" | "file";
	  };

export type SettingListener = (path: SettingPath, value: unknown) => void;

export class Settings {
	readonly #options: SourceOptions;
	readonly #session = new Map<SettingPath, unknown>();
	readonly #listeners = new Set<SettingListener>();
	#files: Layer[] = [];
	#problems: SettingProblem[] = [];
	#values: Values = new Map();
	/** The values without the project's files, computed at the first use. */
	#withoutProject: Values | undefined;
	/** The queue of this process's writes; those of other processes wait for the lock of the file. */
	#writing: Promise<unknown> = Promise.resolve();

	private constructor(options: SourceOptions) {
		this.#options = options;
	}

	static async load(options: SourceOptions): Promise<Settings> {
		const settings = new Settings(options);
		await settings.reload();
		return settings;
	}

	/** The problems in the files. Everything else in them is still used. */
	get problems(): readonly SettingProblem[] {
		return this.#problems;
	}

	/** The files that settings may come from, lowest first. */
	get sources(): Source[] {
		return sourcesOf(this.#options);
	}

	get<P extends SettingPath>(path: P): SettingValue<P> {
		// Every value in the map has passed the schema of its setting, or is its default.
		return this.#values.get(path) as SettingValue<P>;
	}

	/** The value without the project's files, which may be hostile. */
	getWithoutProject<P extends SettingPath>(path: P): SettingValue<P> {
		this.#withoutProject ??= mergeLayers(this.#layers().filter(({ name }) => name !== "project"));
		return this.#withoutProject.get(path) as SettingValue<P>;
	}

	/** The values of all layers that set it, lowest first: for settings of which no layer may undo another. */
	valuesOf<P extends SettingPath>(path: P): (Origin & { value: SettingValue<P> })[] {
		return this.#layers().flatMap(({ name, file, values }) => {
			const value = values.get(path);
			if (value === undefined) return [];
			return [{ layer: name, ...(file === undefined ? {} : { file }), value: value as SettingValue<P> }];
		});
	}

	/** Reloads the files and notifies listeners of changes. */
	async reload(): Promise<void> {
		const read: (ReadLayer & { source: Source })[] = [];
		for (const source of this.sources) {
			const layer = await readLayer(source);
			if (layer) read.push({ source, ...layer });
		}
		// Tau's own files say whether those of other programs count.
		const own = read.filter(({ source }) => source.layer !== "project" && !source.program);
		const disabled = mergeLayers(own.map(({ layer }) => layer)).get("discovery.disabled");
		const off = Array.isArray(disabled) ? disabled.map(String) : [];
		const used = read.filter(
			({ source: { program } }) => !program || !isSwitchedOff(program, "settings", off),
		);
		this.#files = used.map(({ layer }) => layer);
		this.#problems = used.flatMap(({ problems }) => problems);
		this.#settle();
	}

	/** Checks the value and writes it: to the user's file, the project's file, or for this session alone. */
	async set<K extends SettingKey>(
		key: K,
		value: K extends SettingPath ? NonNullable<SettingValue<K>> : string,
		scope: Scope,
	): Promise<SetOutcome> {
		return this.setUnchecked(key, value, scope);
	}

	/** The variant of `set` for an untyped name and value from a user or another program. */
	async setUnchecked(key: string, value: unknown, scope: Scope): Promise<SetOutcome> {
		const named = findSetting(key);
		if (!named) return requestFault(unknownSetting(key));
		const wrong = refusal(named, value);
		if (wrong !== undefined) return requestFault(`${key} ${wrong}.`);
		const outOfScope = scopeRefusal(key, named, scope);
		if (outOfScope !== undefined) return requestFault(outOfScope);
		if (scope !== "session") return this.#write(key, named, value, scope);
		const given = named.entry === undefined ? value : { [named.entry]: value };
		const below = named.entry === undefined ? undefined : this.#session.get(named.path);
		this.#session.set(
			named.path,
			laidOver(
				below,
				named.setting.type(given, () => {}),
			),
		);
		this.#settle();
		return { ok: true };
	}

	/** Removes a setting from a layer, so that lower layers apply. */
	async unset(key: string, scope: Scope): Promise<SetOutcome> {
		const named = findSetting(key);
		if (!named) return requestFault(unknownSetting(key));
		if (scope !== "session") return this.#write(key, named, undefined, scope);
		const before = this.#session.get(named.path);
		this.#session.delete(named.path);
		if (named.entry !== undefined && isRecord(before)) {
			const { [named.entry]: _, ...others } = before;
			this.#session.set(named.path, others);
		}
		this.#settle();
		return { ok: true };
	}

	/** The effective value and its sources, with the lines of the files. */
	async explain(key: SettingKey): Promise<Explanation>;
	async explain(key: string): Promise<Explanation | undefined>;
	async explain(key: string): Promise<Explanation | undefined> {
		const named = findSetting(key);
		if (!named) return undefined;
		const sources: Explanation["sources"] = [];
		for (const layer of this.#layers()) {
			const value = valueOf(layer.values, named);
			if (value !== undefined) sources.push({ ...(await originOf(layer, named)), value });
		}
		const [highest] = sources.slice(-1);
		const { value: _, ...from } = highest ?? { layer: "default" as const, value: undefined };
		const standard = named.entry === undefined ? named.setting.default : undefined;
		return { value: valueOf(this.#values, named), default: standard, from, sources };
	}

	/** Called with every setting whose value has changed. */
	onChange(listener: SettingListener): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	#layers(): Layer[] {
		const session: Layer = { name: "session", values: this.#session, lineOf: async () => undefined };
		return [...this.#files, session];
	}

	#settle(): void {
		const before = this.#values;
		this.#withoutProject = undefined;
		this.#values = mergeLayers(this.#layers());
		if (before.size === 0) return;
		for (const path of settingPaths) {
			const value = this.#values.get(path);
			if (Bun.deepEquals(before.get(path), value)) continue;
			for (const listener of this.#listeners) call(listener, path, value);
		}
	}

	#write(key: string, named: Named, value: unknown, scope: "global" | "project"): Promise<SetOutcome> {
		const write = () => this.#writeNow(key, named, value, scope);
		const writing = this.#writing.then(write, write);
		this.#writing = writing;
		return writing;
	}

	async #writeNow(
		key: string,
		named: Named,
		value: unknown,
		scope: "global" | "project",
	): Promise<SetOutcome> {
		const file = writtenFile(scope, this.#options);
		const old = oldNamesOf(key).map((name) => ({ path: name.split("."), value: undefined }));
		// The old names first: some are inside of what is written now.
		const changes = [...old, { path: pathOf(named), value }];
		const [{ changeFile }, { editYaml }] = await Promise.all([
			import("./write-file.ts"),
			import("./edit-yaml.ts"),
		]);
		const within = scope === "project" ? { within: this.#options.cwd } : {};
		const written = await changeFile(file, (text) => editYaml(text, changes), within);
		await this.reload();
		if (!written.ok) {
			const location = written.line === undefined ? file : `${file}:${written.line}`;
			return { ok: false, reason: `${location} ${written.reason}`, fault: "file" };
		}
		const left = (await this.explain(key))?.from;
		const isHidden = left !== undefined && left.layer !== "default" && left.file !== file;
		return { ok: true, file, ...(isHidden ? { hiddenBy: left } : {}) };
	}
}

/** A failing listener is reported and affects neither the other listeners nor the change. */
function call(listener: SettingListener, path: SettingPath, value: unknown): void {
	try {
		listener(path, value);
	} catch (error) {
		log.error("a listener of settings failed", { path, reason: String(error) });
	}
}

async function originOf(layer: Layer, named: Named): Promise<Origin> {
	const line = await layer.lineOf(pathOf(named));
	return {
		layer: layer.name,
		...(layer.file === undefined ? {} : { file: layer.file }),
		...(line === undefined ? {} : { line }),
	};
}

function requestFault(reason: string): SetOutcome {
	return { ok: false, reason, fault: "request" };
}

export function unknownSetting(key: string): string {
	const near = nearSettings(key);
	const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "See tau config list.";
	return `Unknown setting ${key}. ${hint}`;
}

function scopeRefusal(key: string, { setting }: Named, scope: Scope): string | undefined {
	if (setting.scopes.includes(scope)) return undefined;
	if (scope === "session")
		return `${key} takes effect when a session starts. It cannot be changed in a running session.`;
	return `A project may not set ${key}, because ${setting.notForProjects}.`;
}

type Values = ReadonlyMap<SettingPath, unknown>;

/** Tables are merged by name, everything else is replaced. `layers` are lowest first. */
function mergeLayers(layers: readonly Layer[]): Values {
	const values = new Map<SettingPath, unknown>();
	for (const path of settingPaths) values.set(path, schema[path].default);
	for (const layer of layers) {
		for (const [path, value] of layer.values) values.set(path, laidOver(values.get(path), value));
	}
	return values;
}

function laidOver(below: unknown, above: unknown): unknown {
	return isRecord(below) && isRecord(above)
		? Object.fromEntries([...Object.entries(below), ...Object.entries(above)])
		: above;
}

/** The value of a setting, or of one entry of a table. */
function valueOf(values: Values, { path, entry }: Pick<Named, "path" | "entry">): unknown {
	const value = values.get(path);
	if (entry === undefined) return value;
	return isRecord(value) && Object.hasOwn(value, entry) ? value[entry] : undefined;
}
