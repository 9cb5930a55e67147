/** pi's createAgentSession: a session for a program or an extension, from its own parts and Tau's defaults. */
import { join, resolve } from "node:path";
import type { Model, ThinkingLevel } from "@tau/ai";
import { dirs, expandHome, log, type Env, withoutDotenv } from "@tau/utils";
import { loadSdkHooks, openSession, type SessionParts } from "@tau/extensions/assembly";
import type { Extensions } from "@tau/extensions/host";
import { discoverRules, type Resources } from "@tau/extensions/resources";
import { instructionLevels } from "@tau/extensions/system-prompt";
import { isTrusted } from "@tau/extensions/trust";
import { defaultSessionDir, SessionManager } from "@tau/log";
import { makeReady, openCredentialStore, type Choice } from "@tau/config/models";
import { sessionModel } from "@tau/session/run";
import { Settings } from "@tau/config/settings";
import { PiSession } from "./pi-session.ts";
import type { InlineExtension } from "./inline-extension.ts";
import {
	DefaultResourceLoader,
	onlyInline,
	type LoadExtensionsResult,
	type ResourceLoader,
} from "./resource-loader.ts";
import {
	createAgentSessionServices,
	type AgentSessionServices,
	type CreateAgentSessionServicesOptions,
} from "./session-services.ts";
import { chosenTools, type ChosenTools, type ToolOptions } from "./session-tools.ts";
import type { SettingsManager } from "./settings-manager.ts";
import { asOurs } from "./skills.ts";

interface SessionOptions extends ToolOptions {
	model?: Model | string;
	thinkingLevel?: ThinkingLevel;
	/** Those that `cycleModel` goes through. */
	scopedModels?: readonly { model: Model; thinkingLevel?: ThinkingLevel }[];
	/** Stays the program's to dispose of; by default a new one on disk. */
	sessionManager?: SessionManager;
	/** Instead of what the loader says. */
	systemPrompt?: string | ((standard: string) => string);
}

export type CreateAgentSessionOptions = SessionOptions & CreateAgentSessionServicesOptions;

export interface CreateAgentSessionResult {
	session: PiSession;
	extensionsResult: LoadExtensionsResult;
	/** What there is to know about how the model was chosen. */
	modelFallbackMessage?: string;
}

/** Rejects when the session could not answer as asked: no such model, no key, a session that is in use. */
export async function createAgentSession(
	options: CreateAgentSessionOptions = {},
): Promise<CreateAgentSessionResult> {
	const cwd = options.cwd ?? options.sessionManager?.getCwd();
	const services = await createAgentSessionServices({ ...options, ...(cwd === undefined ? {} : { cwd }) });
	const { authStorage, modelRegistry, modelRuntime } = options;
	// What the program passes stays the program's.
	const isGiven = [authStorage, modelRegistry?.authStorage, modelRuntime?.registry.authStorage].includes(
		services.authStorage,
	);
	return createAgentSessionFromServices({
		...options,
		services,
		...(isGiven ? {} : { owns: services.authStorage }),
	});
}

export async function createAgentSessionFromServices(
	options: SessionOptions & { services: AgentSessionServices; owns?: Disposable },
): Promise<CreateAgentSessionResult> {
	await using owned = new AsyncDisposableStack();
	const { services, owns } = options;
	if (owns) owned.use(owns);
	const { cwd, agentDir, settingsManager, modelRegistry, resourceLoader, authStorage } = services;
	const env = { ...process.env, TAU_CODING_AGENT_DIR: agentDir };
	const commandEnv = withoutDotenv();
	const settings = await settingsFor(services);
	const onNotice = (message: string): void => log.warn(message);
	const tools = chosenTools(options, settings, onNotice);
	const extensions = owned.use(await extensionsFor(services, tools));
	const { registry } = modelRegistry;
	extensions.provide(registry);
	const store = owned.use(
		await openCredentialStore({ env, settings, onNotice, path: join(agentDir, "agent.db") }),
	);
	const sessionLog = options.sessionManager ?? owned.use(newLog(cwd, env, settings));
	const ready = async (model: Model): Promise<void> => {
		await makeReady(model, await authStorage.ownKey(model.provider), registry);
	};
	const choice = await choose(options, { registry, settings, env, sessionLog });
	await ready(choice.model);
	const host = openSession({
		cwd,
		env: commandEnv,
		settings,
		store,
		registry,
		model: choice.model,
		thinking: choice.thinking,
		log: sessionLog,
		hasOwnKey: (await authStorage.ownKey(choice.model.provider)) !== undefined,
		policy: { env },
		prompt: { ...promptOf(resourceLoader, options), ...(await rulesOf(services, settings, env)) },
		resources: resourcesOf(resourceLoader, cwd, registry.withoutKeys(commandEnv)),
		extensions,
		hooks: await loadSdkHooks(settingsManager.places !== undefined, { cwd, env, settings, onNotice }),
		tools: tools.builtin,
		toolSelection: tools.selection,
		staysOpen: true,
		onNotice,
	});
	let settingsApplied: Promise<void> = Promise.resolve();
	owned.use(
		settingsManager.onChange(() => {
			settingsApplied = settingsApplied.then(() => follow(settings, settingsManager));
		}),
	);
	const kept = owned.move();
	const session = new PiSession({
		host,
		extensions,
		settingsManager,
		modelRegistry,
		resourceLoader,
		scopedModels: options.scopedModels ?? [],
		ready,
		settingsApplied: () => settingsApplied,
		async [Symbol.asyncDispose]() {
			await host[Symbol.asyncDispose]();
			await kept.disposeAsync();
		},
	});
	const { runner, problems } = extensions;
	const extensionsResult = { extensions: runner.extensions, errors: problems, runtime: runner.runtime };
	const modelFallbackMessage = choice.notices.join("\n");
	return { session, extensionsResult, ...(modelFallbackMessage ? { modelFallbackMessage } : {}) };
}

/** The program's settings apply to this session only; if it stores them itself, no file is read. */
async function settingsFor({ settingsManager }: AgentSessionServices): Promise<Settings> {
	const nowhere = "/dev/null/tau";
	const settings = await Settings.load(settingsManager.places ?? { cwd: nowhere, agentDir: nowhere });
	await applyOwnValues(settings, settingsManager);
	return settings;
}

/** A change of the program's settings takes effect in the running session. */
async function follow(settings: Settings, manager: SettingsManager): Promise<void> {
	await manager.flush();
	if (manager.places) await settings.reload();
	await applyOwnValues(settings, manager);
}

async function applyOwnValues(settings: Settings, manager: SettingsManager): Promise<void> {
	for (const [path, value] of manager.ownValues()) {
		const outcome = await settings.setUnchecked(path, value, "session");
		if (!outcome.ok) log.warn("an SDK setting was ignored", { path, reason: outcome.reason });
	}
}

/** Of a loader that is not ours, only the program's tools are used: its extensions are its own. */
async function extensionsFor(
	{ cwd, resourceLoader }: AgentSessionServices,
	{ own }: ChosenTools,
): Promise<Extensions> {
	const register: InlineExtension[] =
		own.length === 0
			? []
			: [{ name: "custom-tools", factory: (pi) => own.forEach((tool) => pi.registerTool(tool)) }];
	if (resourceLoader instanceof DefaultResourceLoader) return resourceLoader.takeExtensions(register);
	return onlyInline(cwd, register);
}

function newLog(cwd: string, env: Env, settings: Settings): SessionManager {
	const named = settings.get("sessionDir");
	const directory =
		named === undefined ? defaultSessionDir(cwd, dirs(env).sessions) : resolve(cwd, expandHome(named));
	return SessionManager.create(cwd, directory);
}

interface ChoiceParts extends Pick<Parameters<typeof sessionModel>[0], "registry" | "settings" | "env"> {
	sessionLog: SessionManager;
}

async function choose({ model, thinkingLevel }: SessionOptions, parts: ChoiceParts): Promise<Choice> {
	const { registry, settings, env, sessionLog } = parts;
	if (typeof model === "object") {
		const thinking = thinkingLevel ?? settings.get("defaultThinkingLevel");
		return { model, notices: [], ...(thinking ? { thinking } : {}) };
	}
	const request = model === undefined ? {} : { model };
	return sessionModel({ request, thinking: thinkingLevel, registry, settings, log: sessionLog, env });
}

function promptOf(loader: ResourceLoader, { systemPrompt }: SessionOptions): SessionParts["prompt"] {
	const standard = loader.getSystemPrompt();
	const replace =
		typeof systemPrompt === "function" ? systemPrompt(standard ?? "") : (systemPrompt ?? standard);
	const append = loader.getAppendSystemPrompt().join("\n\n");
	const { agentsFiles } = loader.getAgentsFiles();
	return {
		...(replace === undefined ? {} : { replace }),
		...(append === "" ? {} : { append }),
		contextFiles: agentsFiles.map(({ path, content }) => ({ path, content, level: "project" as const })),
	};
}

/** The user's rules, and those of a trusted project; none where the program keeps its settings itself. */
async function rulesOf(
	{ cwd, agentDir, settingsManager }: AgentSessionServices,
	settings: Settings,
	env: Env,
): Promise<Pick<SessionParts["prompt"], "foundRules">> {
	const trust = isTrusted(cwd, agentDir);
	const levels = settingsManager.places ? instructionLevels(settings, trust) : "none";
	if (levels === "none") return {};
	const disabled = settings.get("discovery.disabled");
	const { rules } = await discoverRules({ cwd, env, disabled, levels, isTrusted: trust });
	return rules.length > 0 ? { foundRules: rules } : {};
}

function resourcesOf(loader: ResourceLoader, cwd: string, env: Env): Resources {
	const resources = loader instanceof DefaultResourceLoader ? loader.resources : undefined;
	const { skills } = loader.getSkills();
	return {
		cwd,
		root: cwd,
		home: dirs().home,
		templates: [],
		agents: [],
		warnings: [],
		isTrusted: () => false,
		...resources,
		env,
		hasSkillCommands: true,
		skills: skills.map(asOurs),
	};
}
