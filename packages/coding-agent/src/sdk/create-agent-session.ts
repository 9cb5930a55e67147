/** Embeds Tau in a program: one call creates a session with everything that the command line provides. */
import { resolve } from "node:path";
import { stream, type CredentialStore, type Model, type StreamFunction, type ThinkingLevel } from "@tau/ai";
import { dirs, expandHome, log, type Env } from "@tau/utils";
import type { ExtensionMode, ExtensionFactory } from "@tau/extensions/api";
import {
	openSession,
	loadSdkHooks,
	McpSource,
	type SdkHooks,
	type SessionParts,
} from "@tau/extensions/assembly";
import type { Extensions } from "@tau/extensions/host";
import { loadResources, type Resources } from "@tau/extensions/resources";
import {
	loadPrompt,
	instructionLevels,
	type InstructionLevels,
	type PromptRequest,
} from "@tau/extensions/system-prompt";
import { defaultSessionDir, SessionManager } from "@tau/log";
import type { Budget } from "@tau/session";
import {
	makeReady,
	type Choice,
	type ModelRegistry,
	openCredentialStore,
	openRegistry,
	storedLogins,
} from "@tau/config/models";
import { sessionModel, titleOf } from "@tau/session/run";
import type { UserRequests } from "@tau/session/host";
import type { ApprovalMode } from "@tau/session/policy";
import { Settings, startupLines } from "@tau/config/settings";
import { builtinTools, reportUnknownTools, unknownTool } from "@tau/integrations/builtin";
import type { BuiltinTool } from "@tau/tools/tool";
import { loadDemo } from "@tau/bundled";
import { SdkSession } from "./sdk-session.ts";
import { loadSdkExtensions, startSdkExtensions } from "./sdk-extensions.ts";
import { trustOf } from "@tau/extensions/trust";
import { selectionBySettings } from "@tau/tools/registry";

export interface CreateAgentSessionOptions {
	/** Where the tools work, and whose settings count; by default that of the session, else of the process. */
	cwd?: string;
	/** The directory of settings, models, credentials and sessions; `~/.tau/agent` by default. */
	agentDir?: string;
	/** A model, or its name as in `--model`. The default is that of the session, then that of the settings. */
	model?: Model | string;
	/** A key for the provider of `model`, for this session only. */
	apiKey?: string;
	thinkingLevel?: ThinkingLevel;
	/** The names of the tools to have, own ones included; all by default. */
	tools?: readonly string[];
	/** `all` for none, `builtin` for your own alone. */
	noTools?: "all" | "builtin";
	/** Custom tools, made with `defineTool`; one with the name of a built-in tool replaces it. */
	customTools?: readonly BuiltinTool[];
	/** The log to continue or to start; the caller disposes of it. By default a new one on disk. */
	sessionManager?: SessionManager;
	/** The default comes from the files in `agentDir` and `cwd`. */
	settingsManager?: Settings;
	/** Replaces the built-in prompt. */
	systemPrompt?: string;
	appendSystemPrompt?: string;
	/** Whether AGENTS.md and similar files are read; the default comes from the settings. */
	contextFiles?: boolean;
	/** Whether skills are looked for; so by default. */
	skills?: boolean;
	/** Extensions: files, or functions that are given `pi` as the default export of a file is. None by default. */
	extensions?: readonly (string | ExtensionFactory)[];
	/** Hook commands: true for those of the user's files, otherwise an object in the form of such a file. */
	hooks?: SdkHooks;
	/** Whether MCP servers of the user's files start, and those of a project that is trusted; not so by default. */
	mcp?: boolean;
	/** The UI of extensions: dialogs, and what they show. By default there is no user. */
	extensionMode?: Partial<ExtensionMode>;
	/** Whether a new session is named by a small model, which costs a request; `sessionTitle` of the settings applies too. */
	sessionTitle?: boolean;
	/** When a tool call needs an approval; the default comes from the settings. Approvals are requests: see `onRequest`. */
	approvalMode?: ApprovalMode;
	/** Takes precedence over `budget` of the settings. */
	budget?: Budget;
	/** Questions to the user, where the program can be asked before there is a session. */
	requests?: UserRequests;
	/** Put around every request to a model, those of agents, titles and summaries included. */
	wrapStream?(next: StreamFunction): StreamFunction;
	/** Receives notices for the user, such as a mistake in a file. By default they go to Tau's log. */
	onNotice?(message: string): void;
}

export interface CreateAgentSessionResult extends Disposable, AsyncDisposable {
	session: SdkSession;
	sessionManager: SessionManager;
	/** The models that `session.setModel` can be given. */
	modelRegistry: ModelRegistry;
	/** What there is to know about how the model was chosen. */
	modelNotices: readonly string[];
	/** Those that were loaded. */
	extensions: Extensions | undefined;
	/** Ends the session and releases the lock and the files, like `using`. `await using` waits for extensions. */
	dispose(): void;
}

/** Rejects when the session cannot start as requested: no such model or tool, no key, a session in use. */
export async function createAgentSession(
	options: CreateAgentSessionOptions = {},
): Promise<CreateAgentSessionResult> {
	using owned = new DisposableStack();
	const { agentDir, onNotice = (message: string) => log.warn(message) } = options;
	const cwd = resolve(options.cwd ?? options.sessionManager?.getCwd() ?? ".");
	const env = agentDir === undefined ? process.env : { ...process.env, TAU_CODING_AGENT_DIR: agentDir };
	const settings = options.settingsManager ?? (await loadSettings(cwd, env, onNotice));
	const requested = options.extensions ?? [];
	const base = { cwd, env, settings, onNotice };
	const extensions = await loadSdkExtensions(requested, { ...base, past: options.sessionManager });
	const tools = toolsOf(options, settings, extensions?.toolNames ?? [], onNotice);
	const store = owned.use(await openCredentialStore({ env, settings, onNotice }));
	const models = { ...storedLogins(store), fallback: loadDemo };
	const registry = await openRegistry({ ...models, env, settings, onNotice });
	extensions?.provide(registry);
	const sessionLog = options.sessionManager ?? owned.use(newLog(cwd, env, settings));
	const choice = await choose(options, { registry, settings, log: sessionLog, env });
	// Before the prompt, because the user may be asked to trust the project.
	const hooks = await loadSdkHooks(options.hooks ?? false, { ...base, requests: options.requests });
	const host = openSession({
		cwd,
		env: process.env,
		settings,
		store,
		registry,
		model: choice.model,
		thinking: choice.thinking,
		log: sessionLog,
		stream: options.wrapStream?.(extensions?.stream ?? stream),
		hasOwnKey: options.apiKey !== undefined,
		policy: { mode: options.approvalMode, env },
		prompt: await loadPrompt({
			cwd,
			env,
			replace: options.systemPrompt,
			append: options.appendSystemPrompt,
			disabled: settings.get("discovery.disabled"),
			directories: settings.get("additionalDirectories"),
			...instructionsOf(options, settings, trustOf(cwd, dirs(env).agent)),
			onNotice,
		}),
		resources: options.skills === false ? undefined : await resourcesOf({ cwd, env, settings, registry }),
		...tools,
		extensions,
		hooks,
		mcp: options.mcp ? mcpOf(base, store, registry) : undefined,
		budget: options.budget,
		staysOpen: true,
		title: options.sessionTitle ? titleOf(settings, env) : undefined,
		requests: options.requests,
		onNotice,
	});
	owned.defer(() => void host[Symbol.asyncDispose]());
	if (extensions) await startSdkExtensions(extensions, options.extensionMode ?? {}, onNotice);
	const moved = owned.move();
	const dispose = (): void => moved.dispose();
	return {
		session: new SdkSession(host),
		sessionManager: sessionLog,
		modelRegistry: registry,
		modelNotices: choice.notices,
		extensions,
		dispose,
		[Symbol.dispose]: dispose,
		async [Symbol.asyncDispose]() {
			await host[Symbol.asyncDispose]();
			dispose();
		},
	};
}

/** A program opens pages for logins by itself, if it wants to: the address is in the notice. */
function mcpOf(
	base: { cwd: string; env: Env; settings: Settings; onNotice(message: string): void },
	store: CredentialStore,
	registry: ModelRegistry,
): McpSource {
	return new McpSource({
		...base,
		serverEnv: () => registry.withoutKeys(base.env),
		store,
		isTrusted: false,
		staysOpen: true,
		openUrl: () => false,
	});
}

function instructionsOf(
	{ contextFiles }: CreateAgentSessionOptions,
	settings: Settings,
	trust: boolean | undefined,
): Pick<PromptRequest, "contextFiles" | "rules" | "trust"> {
	const bySettings = (): InstructionLevels => instructionLevels(settings, trust === true);
	const levels = contextFiles === undefined ? bySettings() : contextFiles ? "all" : "none";
	return { contextFiles: levels, rules: levels, trust };
}

function toolsOf(
	{ tools: names, noTools, customTools = [] }: CreateAgentSessionOptions,
	settings: Settings,
	/** Names of tools that extensions register. */
	others: readonly string[],
	onNotice: (message: string) => void,
): Pick<SessionParts, "tools" | "toolSelection"> {
	if (noTools === "all") return { tools: [], toolSelection: { hides: () => true } };
	const isCustom = (name: string): boolean => customTools.some((tool) => tool.name === name);
	const builtin = noTools === "builtin" ? [] : builtinTools.filter(({ name }) => !isCustom(name));
	const tools = [...builtin, ...customTools];
	const known = [...tools.map(({ name }) => name), ...others];
	if (names) {
		const problem = unknownTool(known, names);
		if (problem !== undefined) throw new Error(problem);
		const isNamed = (name: string): boolean => names.includes(name);
		return { tools, toolSelection: { hides: (name) => !isNamed(name), names: isNamed } };
	}
	reportUnknownTools(known, settings, onNotice);
	const usual = selectionBySettings(settings);
	return { tools, toolSelection: { ...usual, hides: (name) => !isCustom(name) && usual.hides(name) } };
}

/** A program calls no templates: it has only the skills, which the model selects itself. */
function resourcesOf(from: {
	cwd: string;
	env: Env;
	settings: Settings;
	registry: ModelRegistry;
}): Promise<Resources> {
	const { cwd, env, settings, registry } = from;
	return loadResources({
		cwd,
		env,
		commandEnv: registry.withoutKeys(process.env),
		disabled: settings.get("discovery.disabled"),
		skillPaths: settings.get("skills"),
		templatePaths: [],
		withSkills: true,
		withTemplates: false,
		hasSkillCommands: false,
		isTrusted: () => false,
	});
}

async function loadSettings(cwd: string, env: Env, onNotice: (message: string) => void): Promise<Settings> {
	const { agent: agentDir, profile, home } = dirs(env);
	const settings = await Settings.load({ cwd, agentDir, profile, home });
	for (const line of startupLines(settings.problems)) onNotice(line);
	return settings;
}

function newLog(cwd: string, env: Env, settings: Settings): SessionManager {
	const named = settings.get("sessionDir");
	const directory =
		named === undefined ? defaultSessionDir(cwd, dirs(env).sessions) : resolve(cwd, expandHome(named));
	return SessionManager.create(cwd, directory);
}

interface ChoiceParts {
	registry: ModelRegistry;
	settings: Settings;
	log: SessionManager;
	env: Env;
}

async function choose(options: CreateAgentSessionOptions, parts: ChoiceParts): Promise<Choice> {
	const { model, apiKey, thinkingLevel } = options;
	if (model === undefined || typeof model === "string") {
		const request = {
			...(model === undefined ? {} : { model }),
			...(apiKey === undefined ? {} : { apiKey }),
		};
		return sessionModel({ ...parts, request, thinking: thinkingLevel });
	}
	await makeReady(model, apiKey, parts.registry);
	const thinking = thinkingLevel ?? parts.settings.get("defaultThinkingLevel");
	return { model, notices: [], ...(thinking ? { thinking } : {}) };
}
