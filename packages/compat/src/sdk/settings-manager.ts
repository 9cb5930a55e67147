/** pi's SettingsManager: the settings by getters and setters, read at once, over Tau's settings. */
import { onDispose } from "@tau/utils";
import { modelRoles } from "@tau/config/models";
import { findSetting, isSettingPath, schema, settingPaths, type SourceOptions } from "@tau/config/settings";

import { settingRows, type SettingRow } from "./settings-rows.ts";
import {
	homeIn,
	homeInFiles,
	InMemorySettingsStorage,
	over,
	placed,
	valueAt,
	type SettingsHome,
	type SettingsScope,
	type SettingsStorage,
	type SettingsTable,
} from "./settings-storage.ts";
import { ownAgentDir } from "../support/directories.ts";

interface SettingsError {
	scope: SettingsScope;
	error: Error;
}

/** Besides the methods below it has a getter and a setter for each row of the table of settings. */
export class SettingsManager {
	readonly #home: SettingsHome;
	/** The directory of the files, if the settings are shared with the rest of Tau. */
	readonly places: SourceOptions | undefined;
	readonly #errors: SettingsError[] = [];
	#global: SettingsTable = {};
	#project: SettingsTable = {};
	#overrides: SettingsTable = {};
	#writing: Promise<void> = Promise.resolve();
	readonly #listeners = new Set<() => void>();

	private constructor(home: SettingsHome, places?: SourceOptions) {
		this.#home = home;
		this.places = places;
		this.#read();
	}

	static create(cwd: string = process.cwd(), agentDir?: string): SettingsManager {
		const places = { cwd, agentDir: ownAgentDir(agentDir) };
		return new SettingsManager(homeInFiles(places), places);
	}

	static fromStorage(storage: SettingsStorage): SettingsManager {
		return new SettingsManager(homeIn(storage));
	}

	static inMemory(settings: SettingsTable = {}): SettingsManager {
		const storage = new InMemorySettingsStorage();
		storage.withLock("global", () => JSON.stringify(settings));
		return SettingsManager.fromStorage(storage);
	}

	getGlobalSettings(): SettingsTable {
		return structuredClone(this.#global);
	}

	getProjectSettings(): SettingsTable {
		return structuredClone(this.#project);
	}

	/** All effective settings, groups merged. */
	getSettings(): SettingsTable {
		return structuredClone(over(over(this.#global, this.#project), this.#overrides));
	}

	async reload(): Promise<void> {
		await this.flush();
		this.#read();
		this.#changed();
	}

	/** Override the files, for this program only. */
	applyOverrides(overrides: SettingsTable): void {
		this.#overrides = over(this.#overrides, overrides);
		this.#changed();
	}

	/** Called after each change, for sessions that were opened with it. */
	onChange(listener: () => void): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	#changed(): void {
		for (const listener of this.#listeners) listener();
	}

	/** Resolves when everything is written, or told in `drainErrors` why it is not. */
	async flush(): Promise<void> {
		await this.#writing;
	}

	drainErrors(): SettingsError[] {
		return this.#errors.splice(0);
	}

	/** Tau keeps both in one: the model of the role `default`. */
	getDefaultProvider(): string | undefined {
		return this.#defaultModel()[0];
	}

	getDefaultModel(): string | undefined {
		return this.#defaultModel()[1];
	}

	setDefaultProvider(provider: string): void {
		this.setDefaultModelAndProvider(provider, this.getDefaultModel() ?? "");
	}

	setDefaultModel(modelId: string): void {
		this.setDefaultModelAndProvider(this.getDefaultProvider() ?? "", modelId);
	}

	setDefaultModelAndProvider(provider: string, modelId: string): void {
		this.#set("global", { name: "", path: "modelRoles.default" }, `${provider}/${modelId}`);
	}

	/** omp's: the model for a kind of work, by `provider/id`. */
	setModelRole(role: string, selector: string): void {
		if (!modelRoles.some((known) => known === role))
			throw new Error(`There is no role "${role}". Known: ${modelRoles.join(", ")}.`);
		this.#set("global", { name: "", path: `modelRoles.${role}` }, selector);
	}

	getCompactionSettings(): { enabled: boolean; reserveTokens: number; keepRecentTokens: number } {
		return {
			enabled: this.#is("compaction.enabled", true),
			reserveTokens: this.#number("compaction.reserveTokens", 16_384),
			keepRecentTokens: this.#number("compaction.keepRecentTokens", 20_000),
		};
	}

	getBranchSummarySettings(): { reserveTokens: number; skipPrompt: boolean } {
		return {
			reserveTokens: this.#number("branchSummary.reserveTokens", 16_384),
			skipPrompt: this.#is("branchSummary.skipPrompt", false),
		};
	}

	getRetrySettings(): { enabled: boolean; maxRetries: number; baseDelayMs: number } {
		return {
			enabled: this.#is("retry.enabled", true),
			maxRetries: this.#number("retry.maxRetries", 3),
			baseDelayMs: this.#number("retry.baseDelayMs", 2000),
		};
	}

	getProviderRetrySettings(): { maxRetryDelayMs: number } {
		return { maxRetryDelayMs: this.#number("retry.provider.maxRetryDelayMs", 60_000) };
	}

	/** The effective value of a setting, by pi's path. */
	get(path: string): unknown {
		return this.value({ name: "", path });
	}

	/** The effective value: overrides, the project's, the user's, then Tau's default. */
	value({ path, own = path, standard }: SettingRow): unknown {
		const setting = findSetting(own)?.setting;
		// A project may not decide everything for the user.
		const project = setting?.notForProjects === undefined ? this.#project : {};
		for (const table of [this.#overrides, project, this.#global]) {
			const value = valueAt(table, path) ?? valueAt(table, own);
			if (value !== undefined) return structuredClone(value);
		}
		return standard ?? (isSettingPath(own) ? schema[own].default : undefined);
	}

	/** What is set here but not in Tau's files, for a session that is created with it. */
	ownValues(): [string, unknown][] {
		const table = this.places ? this.#overrides : over(over(this.#global, this.#project), this.#overrides);
		return settingPaths.flatMap((path): [string, unknown][] => {
			const value = valueAt(table, path);
			return value === undefined ? [] : [[path, value]];
		});
	}

	/** Takes effect at once; it is written in order, and `flush` waits for that. */
	change(row: SettingRow, value: unknown, scope: SettingsScope): void {
		this.#set(scope, row, value);
	}

	#defaultModel(): [string | undefined, string | undefined] {
		const role = this.get("modelRoles.default");
		const [provider, model] = [this.get("defaultProvider"), this.get("defaultModel")].map(textOf);
		if (typeof role !== "string") return [provider, model];
		const slash = role.indexOf("/");
		return slash < 0 ? [provider, role] : [role.slice(0, slash), role.slice(slash + 1)];
	}

	#set(scope: SettingsScope, { path, own = path }: SettingRow, value: unknown): void {
		const keys = path.split(".");
		if (scope === "global") this.#global = placed(this.#global, keys, value);
		else this.#project = placed(this.#project, keys, value);
		this.#overrides = placed(this.#overrides, keys, undefined);
		this.#writing = this.#writing.then(async () => {
			try {
				await this.#home.write(scope, path, value, own);
			} catch (error) {
				this.#note(scope, error);
			}
		});
		this.#changed();
	}

	#read(): void {
		this.#global = this.#table("global");
		this.#project = this.#table("project");
	}

	#table(scope: SettingsScope): SettingsTable {
		try {
			return this.#home.read(scope);
		} catch (error) {
			this.#note(scope, error);
			return {};
		}
	}

	#note(scope: SettingsScope, error: unknown): void {
		this.#errors.push({ scope, error: error instanceof Error ? error : new Error(String(error)) });
	}

	#is(path: string, standard: boolean): boolean {
		const value = this.value({ name: "", path, standard });
		return typeof value === "boolean" ? value : standard;
	}

	#number(path: string, standard: number): number {
		const value = this.value({ name: "", path, standard });
		return typeof value === "number" ? value : standard;
	}
}

function textOf(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}

for (const row of settingRows) {
	const define = (name: string, value: (this: SettingsManager, given: unknown) => unknown): void =>
		void Object.defineProperty(SettingsManager.prototype, name, {
			value,
			configurable: true,
			writable: true,
		});
	define(`get${row.name}`, function get() {
		return this.value(row);
	});
	define(`set${row.name}`, function set(value) {
		this.change(row, value, "global");
	});
	if (row.byProject)
		define(`setProject${row.name}`, function set(value) {
			this.change(row, value, "project");
		});
}
