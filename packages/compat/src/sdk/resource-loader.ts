/** pi's DefaultResourceLoader: finds what a session is made with, and lets a program change each part of it. */
import { resolve } from "node:path";

import { dirs, log, type Env, withoutDotenv } from "@tau/utils";
import type { Extension, EventBus, ExtensionAPI } from "@tau/extensions/api";
import { loadContextFiles, projectRoot } from "@tau/resources/context-files";
import type { Extensions, Runtime } from "@tau/extensions/host";
import { discoverExtensions, type DiscoverRequest, type Discovery } from "@tau/extensions/load";
import { loadResources, type Resources } from "@tau/extensions/resources";
import { loadPromptFiles } from "@tau/extensions/system-prompt";
import { isTrusted, recheckCode } from "@tau/extensions/trust";

import { inlineExtension, type InlineExtension } from "./inline-extension.ts";
import { loadWithModules } from "./load-with-modules.ts";
import type { PromptText } from "./own-prompts.ts";
import { SettingsManager } from "./settings-manager.ts";
import { asPis, diagnosticOf, type LoadSkillsResult, type ResourceDiagnostic } from "./skills.ts";
import { ownAgentDir } from "../support/directories.ts";

export interface LoadExtensionsResult {
	extensions: readonly Extension[];
	errors: { path: string; error: string }[];
	runtime: Runtime;
}

interface Prompt extends PromptText {
	description?: string;
	filePath?: string;
}

interface PromptsResult {
	prompts: Prompt[];
	diagnostics: ResourceDiagnostic[];
}

interface AgentsFiles {
	agentsFiles: { path: string; content: string }[];
}

/** What a session needs of a loader; a program may pass its own. */
export interface ResourceLoader {
	getExtensions(): LoadExtensionsResult;
	getSkills(): LoadSkillsResult;
	getPrompts(): PromptsResult;
	getThemes(): { themes: unknown[]; diagnostics: ResourceDiagnostic[] };
	getAgentsFiles(): AgentsFiles;
	getSystemPrompt(): string | undefined;
	getAppendSystemPrompt(): string[];
	reload(): Promise<void>;
}

export interface DefaultResourceLoaderOptions {
	cwd?: string;
	agentDir?: string;
	settingsManager?: SettingsManager;
	/** The event bus of the extensions, for a program that uses it too. */
	eventBus?: EventBus;
	additionalExtensionPaths?: string[];
	additionalSkillPaths?: string[];
	additionalPromptTemplatePaths?: string[];
	extensionFactories?: InlineExtension[];
	noExtensions?: boolean;
	noSkills?: boolean;
	noPromptTemplates?: boolean;
	noContextFiles?: boolean;
	systemPrompt?: string;
	appendSystemPrompt?: string[] | string;
	extensionsOverride?(base: LoadExtensionsResult): LoadExtensionsResult;
	skillsOverride?(base: LoadSkillsResult): LoadSkillsResult;
	promptsOverride?(base: PromptsResult): PromptsResult;
	agentsFilesOverride?(base: AgentsFiles): AgentsFiles;
	systemPromptOverride?(base: string | undefined): string | undefined;
	appendSystemPromptOverride?(base: string[]): string[];
}

export class DefaultResourceLoader implements ResourceLoader {
	readonly #options: DefaultResourceLoaderOptions;
	readonly #cwd: string;
	readonly #env: Env;
	readonly #settings: SettingsManager;
	#extensions: Extensions | undefined;
	#isTaken = false;
	#resources: Resources | undefined;
	#agentsFiles: AgentsFiles = { agentsFiles: [] };
	#files: { replace?: string; append?: string } = {};

	constructor(options: DefaultResourceLoaderOptions = {}) {
		this.#options = options;
		this.#cwd = resolve(options.cwd ?? process.cwd());
		const agentDir = ownAgentDir(options.agentDir);
		this.#env = { ...process.env, TAU_CODING_AGENT_DIR: agentDir };
		this.#settings = options.settingsManager ?? SettingsManager.create(this.#cwd, agentDir);
	}

	async reload(): Promise<void> {
		const { agent: agentDir, home } = dirs(this.#env);
		recheckCode();
		const options = this.#options;
		const paths = (name: string, more: readonly string[] = []): string[] => [
			...texts(this.#settings.get(name)),
			...more,
		];
		const [extensions, resources, files, context] = await Promise.all([
			this.#load(),
			loadResources({
				cwd: this.#cwd,
				env: this.#env,
				commandEnv: withoutDotenv(),
				disabled: texts(this.#settings.get("discovery.disabled")),
				skillPaths: paths("skills", options.additionalSkillPaths),
				templatePaths: paths("prompts", options.additionalPromptTemplatePaths),
				withSkills: options.noSkills !== true,
				withTemplates: options.noPromptTemplates !== true,
				hasSkillCommands: true,
				isTrusted: () => isTrusted(this.#cwd, agentDir),
			}),
			loadPromptFiles({
				cwd: this.#cwd,
				root: projectRoot(this.#cwd),
				agentDir,
				home,
				isTrusted: isTrusted(this.#cwd, agentDir),
			}),
			options.noContextFiles ? undefined : loadContextFiles({ cwd: this.#cwd, agentDir, home }),
		]);
		this.#extensions = extensions;
		this.#isTaken = false;
		this.#resources = resources;
		this.#files = files;
		this.#agentsFiles = {
			agentsFiles: (context?.files ?? []).map(({ path, content }) => ({ path, content })),
		};
	}

	getExtensions(): LoadExtensionsResult {
		const { runner, problems } = this.#loaded();
		const shown = runner.extensions.filter(({ path }) => path !== busPath);
		const base = { extensions: shown, errors: [...problems], runtime: runner.runtime };
		return this.#options.extensionsOverride?.(base) ?? base;
	}

	getSkills(): LoadSkillsResult {
		const { skills = [], warnings = [] } = this.#resources ?? {};
		const base = { skills: skills.map(asPis), diagnostics: warnings.map(diagnosticOf) };
		return this.#options.skillsOverride?.(base) ?? base;
	}

	getPrompts(): PromptsResult {
		const templates = this.#resources?.templates ?? [];
		const base = {
			prompts: templates.map(({ name, description, path }) => ({ name, description, filePath: path })),
			diagnostics: [],
		};
		return this.#options.promptsOverride?.(base) ?? base;
	}

	/** Tau has the themes of its screen; a session needs none. */
	getThemes(): { themes: unknown[]; diagnostics: ResourceDiagnostic[] } {
		return { themes: [], diagnostics: [] };
	}

	getAgentsFiles(): AgentsFiles {
		return this.#options.agentsFilesOverride?.(this.#agentsFiles) ?? this.#agentsFiles;
	}

	getSystemPrompt(): string | undefined {
		const base = this.#options.systemPrompt ?? this.#files.replace;
		const { systemPromptOverride } = this.#options;
		return systemPromptOverride ? systemPromptOverride.call(this.#options, base) : base;
	}

	getAppendSystemPrompt(): string[] {
		const { appendSystemPrompt = this.#files.append ?? [], appendSystemPromptOverride } = this.#options;
		const base = typeof appendSystemPrompt === "string" ? [appendSystemPrompt] : appendSystemPrompt;
		return appendSystemPromptOverride ? appendSystemPromptOverride.call(this.#options, base) : base;
	}

	/** Paths that an extension names while the program runs are found at the next reload. */
	extendResources(paths: { skillPaths?: { path: string }[]; promptPaths?: { path: string }[] }): void {
		const { additionalSkillPaths = [], additionalPromptTemplatePaths = [] } = this.#options;
		const named = (more: { path: string }[] = []): string[] => more.map(({ path }) => path);
		this.#options.additionalSkillPaths = [...additionalSkillPaths, ...named(paths.skillPaths)];
		this.#options.additionalPromptTemplatePaths = [
			...additionalPromptTemplatePaths,
			...named(paths.promptPaths),
		];
	}

	/** For one session: extensions belong to the session that they are tied to, so the next one gets others. */
	async takeExtensions(more: readonly InlineExtension[] = []): Promise<Extensions> {
		const loaded = this.#extensions;
		if (loaded && more.length === 0 && !this.#isTaken) {
			this.#isTaken = true;
			return loaded;
		}
		return this.#load(more);
	}

	get resources(): Resources | undefined {
		return this.#resources;
	}

	#withBus(discovery: Discovery): Discovery {
		const { eventBus } = this.#options;
		if (!eventBus) return discovery;
		return { ...discovery, extensions: [inlineExtension(sharedBus(eventBus), 0), ...discovery.extensions] };
	}

	#loaded(): Extensions {
		if (!this.#extensions) throw new Error("Nothing is loaded. Await reload() first.");
		return this.#extensions;
	}

	async #load(more: readonly InlineExtension[] = []): Promise<Extensions> {
		const { agent: agentDir, home } = dirs(this.#env);
		const request: DiscoverRequest = {
			cwd: this.#cwd,
			home,
			agentDir,
			explicit: this.#options.additionalExtensionPaths ?? [],
			configured: texts(this.#settings.get("extensions")),
			disabled: texts(this.#settings.get("disabledExtensions")),
			withDiscovery: this.#options.noExtensions !== true,
			isTrusted: isTrusted(this.#cwd, agentDir),
		};
		return await loadWithModules({
			...request,
			discovery: this.#withBus(
				withInline(await discoverExtensions(request), [...(this.#options.extensionFactories ?? []), ...more]),
			),
			onNotice: (message) => log.warn(message),
		});
	}
}

const busPath = "<inline:event-bus>";

/** No extensions but those that are given. */
export async function onlyInline(cwd: string, factories: readonly InlineExtension[]): Promise<Extensions> {
	const { agent: agentDir, home } = dirs();
	const request = { cwd, home, agentDir, explicit: [], configured: [], disabled: [] };
	const none = { ...request, withDiscovery: false, isTrusted: false };
	const discovery = withInline(await discoverExtensions(none), factories);
	return loadWithModules({ ...none, discovery, onNotice: (message) => log.warn(message) });
}

function withInline(discovery: Discovery, factories: readonly InlineExtension[]): Discovery {
	return { ...discovery, extensions: [...discovery.extensions, ...factories.map(inlineExtension)] };
}

function texts(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

/** Connects the event bus of extensions to one of the program. Must be loaded first: all extensions share the bus. */
function sharedBus(shared: EventBus): InlineExtension & { name: string } {
	return {
		name: "event-bus",
		factory({ events }: ExtensionAPI) {
			const open = new Set<() => void>();
			const own: EventBus & { clear(): void } = {
				emit: (channel, data) => shared.emit(channel, data),
				on(channel, handler) {
					const stop = shared.on(channel, handler);
					open.add(stop);
					return () => {
						open.delete(stop);
						stop();
					};
				},
				// Called when the session ends: only the listeners of its extensions are removed.
				clear() {
					for (const stop of open) stop();
					open.clear();
				},
			};
			Object.assign(events, own);
		},
	};
}
