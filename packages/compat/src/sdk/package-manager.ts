/** pi's DefaultPackageManager over the packages of Tau: what is installed, and ways to change it. */
import { resolve } from "node:path";

import { dirs } from "@tau/utils";
import { findPackages, openPackage, type InstalledPackage } from "@tau/extensions/packages";
import { isTrusted } from "@tau/extensions/trust";
import { ownAgentDir } from "../support/directories.ts";

interface PackageManagerOptions {
	/** For the project instead of the user. */
	local?: boolean;
}

interface ProgressEvent {
	type: "start" | "complete" | "error";
	action: "install" | "remove" | "update";
	source: string;
	message?: string;
}

interface ResolvedResource {
	path: string;
	enabled: boolean;
	metadata: { source: string; scope: "user" | "project"; origin: "package"; baseDir: string };
}

type Kind = "extensions" | "skills" | "prompts" | "themes";

export class DefaultPackageManager {
	readonly #cwd: string;
	readonly #agentDir: string;
	#onProgress: ((event: ProgressEvent) => void) | undefined;

	constructor({ cwd = process.cwd(), agentDir }: { cwd?: string; agentDir?: string } = {}) {
		this.#cwd = resolve(cwd);
		this.#agentDir = ownAgentDir(agentDir);
	}

	setProgressCallback(callback: ((event: ProgressEvent) => void) | undefined): void {
		this.#onProgress = callback;
	}

	listConfiguredPackages(): {
		source: string;
		scope: "user" | "project";
		filtered: boolean;
		installedPath: string;
	}[] {
		return this.#packages().map(({ source, scope, root, filters }) => ({
			source,
			scope,
			filtered: filters.length > 0,
			installedPath: root,
		}));
	}

	getInstalledPath(source: string, scope: "user" | "project"): string | undefined {
		return this.#packages().find((each) => each.scope === scope && isSame(each, source))?.root;
	}

	/** The contents of all packages. */
	async resolve(
		isWanted: (each: InstalledPackage) => boolean = () => true,
	): Promise<Record<Kind, ResolvedResource[]>> {
		const found = { extensions: [], skills: [], prompts: [], themes: [] } as Record<Kind, ResolvedResource[]>;
		for (const each of this.#packages().filter((one) => isWanted(one))) {
			const { resources } = openPackage(each).contents;
			const { source, scope, root: baseDir, off } = each;
			const take = (kind: Kind, paths: readonly { path: string }[]): void => {
				const metadata = { source, scope, origin: "package" as const, baseDir };
				found[kind].push(...paths.map(({ path }) => ({ path, enabled: off === undefined, metadata })));
			};
			take("extensions", resources.extensions);
			take("skills", resources.skills);
			take("prompts", resources.prompts);
			take("themes", resources.themes);
		}
		return found;
	}

	/** Rejects with why it was not installed; then nothing has changed. */
	async install(source: string, options: PackageManagerOptions = {}): Promise<void> {
		await this.#withProgress("install", source, async () => {
			const [{ installPackages }, { readSource }] = await Promise.all([
				import("@tau/extensions/packages/install"),
				import("@tau/extensions/packages"),
			]);
			const read = readSource(source, { cwd: this.#cwd, home: dirs().home });
			if (!read.ok) throw new Error(read.reason);
			const outcome = await installPackages([read], await this.#options(options));
			if (!outcome.ok) throw new Error(outcome.reason);
		});
	}

	/** In Tau the two are one: what is installed is remembered. */
	installAndPersist(source: string, options?: PackageManagerOptions): Promise<void> {
		return this.install(source, options);
	}

	async remove(source: string, options: PackageManagerOptions = {}): Promise<void> {
		if (!(await this.removeAndPersist(source, options))) throw new Error(`${source} is not installed.`);
	}

	/** Says whether it was there. */
	async removeAndPersist(source: string, options: PackageManagerOptions = {}): Promise<boolean> {
		const scope = options.local ? "project" : "user";
		const there = this.#packages().find((each) => each.scope === scope && isSame(each, source));
		if (!there) return false;
		await this.#withProgress("remove", source, async () => {
			const { uninstallPackages } = await import("@tau/extensions/packages/install");
			const outcome = await uninstallPackages([there.name], await this.#options(options));
			if (!outcome.ok) throw new Error(outcome.reason);
		});
		return true;
	}

	/** All, or one. */
	async update(source?: string): Promise<void> {
		const named = source === undefined ? [] : this.#packages().filter((each) => isSame(each, source));
		await this.#withProgress("update", source ?? "all", async () => {
			const { updatePackages } = await import("@tau/extensions/packages/install");
			const names = named.map(({ name }) => name);
			const outcome = await updatePackages(names, await this.#options({}));
			if (!outcome.ok) throw new Error(outcome.reason);
		});
	}

	/** The contents of these, if they are installed; nothing is installed for it. */
	async resolveExtensionSources(sources: readonly string[]): Promise<Record<Kind, ResolvedResource[]>> {
		return this.resolve((each) => sources.some((source) => isSame(each, source)));
	}

	/** Tau stores what is installed, and has no separate list: nothing was changed. */
	addSourceToSettings(_source: string, _options?: PackageManagerOptions): boolean {
		return false;
	}

	removeSourceFromSettings(_source: string, _options?: PackageManagerOptions): boolean {
		return false;
	}

	/** There are no questions; `update` installs what is newer. */
	async checkForAvailableUpdates(): Promise<[]> {
		return [];
	}

	#packages(): InstalledPackage[] {
		const isOwn = isTrusted(this.#cwd, this.#agentDir);
		const { home } = dirs();
		return findPackages({ cwd: this.#cwd, home, agentDir: this.#agentDir, isTrusted: isOwn }).packages;
	}

	async #options({ local = false }: PackageManagerOptions) {
		const { projectHome, userHome } = await import("@tau/extensions/packages");
		const home = local ? projectHome(this.#cwd) : userHome(this.#agentDir);
		return { home, env: process.env, signal: new AbortController().signal };
	}

	async #withProgress(
		action: ProgressEvent["action"],
		source: string,
		work: () => Promise<void>,
	): Promise<void> {
		this.#onProgress?.({ type: "start", action, source });
		try {
			await work();
			this.#onProgress?.({ type: "complete", action, source });
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			this.#onProgress?.({ type: "error", action, source, message });
			throw error;
		}
	}
}

function isSame({ source, name }: InstalledPackage, requested: string): boolean {
	return source === requested || name === requested;
}
