/** Opens everything that a session of the command line is made of: credentials, models, its log, prompt and tools. */
import { stream, thinkingLevels, type CredentialStore, type ThinkingLevel } from "@tau/ai";
import { loadDotenv, log, span, UsageError, type Env, dirs } from "@tau/utils";
import {
	type SessionParts,
	askOnce,
	findHooksOf,
	McpSource,
	SessionMachine,
	type AskTrust,
} from "@tau/extensions/assembly";
import type { RegisteredServers } from "@tau/resources/mcp";
import type { Resources } from "@tau/extensions/resources";
import { loadPrompt, promptArgument, instructionLevels } from "@tau/extensions/system-prompt";
import { SessionManager } from "@tau/log";
import { UserRequests } from "@tau/session/host";
import {
	checkRoles,
	modelOfFlag,
	selector,
	storedLogins,
	type Choice,
	type ModelRegistry,
} from "@tau/config/models";
import { sessionModel, titleOf } from "@tau/session/run";
import { approvalModes, type ApprovalMode } from "@tau/session/policy";
import type { Settings } from "@tau/config/settings";
import { trustOf, withheldNotice } from "@tau/extensions/trust";
import { usageDirectory, UsageLines } from "@tau/stats/lines";
import type { EditorBuffers } from "@tau/sys";
import type { BuiltinTool, ToolEnv } from "@tau/tools/tool";

import { openBrowser } from "@tau/session-commands/shared";
import { budgetFlags } from "./budget-flags.ts";
import type { Args } from "../args.ts";
import { modelRequest } from "./model-request.ts";
import { openCredentials } from "../commands/auth/store.ts";
import { chosenTools } from "./chosen-tools.ts";
import { loadRegistry, roleFlags } from "./load-models.ts";
import { openExtensions } from "./open-extensions.ts";
import { openResources } from "./open-resources.ts";
import { SessionTape } from "./session-tape.ts";
import { openStoredSession, type ChooseSession } from "./stored-session.ts";
import { type AskKey, useProjectEnv } from "../project-env.ts";

export interface PartsOptions {
	args: Args;
	cwd: string;
	/** The environment that Tau was started with, for commands of the model. */
	outerEnv: Env;
	settings: Settings;
	/** Whether the client stays: then the conversation is also compacted between two prompts, and gets a title. */
	staysOpen: boolean;
	/** Where the client can be asked before there is a session. */
	requests?: UserRequests | undefined;
	/** It works on this machine, whatever the user has chosen for sessions. */
	isLocal?: true;
	/** Ends the wait for another machine. */
	signal?: AbortSignal | undefined;
	onNotice(message: string): void;
	/** Where no screen says what is the boundary of commands: shows it. */
	onContained?: ((line: string) => void) | undefined;
	/** Asks whether code of the project may run; absent when no user can be asked. */
	askTrust?: AskTrust | undefined;
	/** Asks whether a key of the project's `.env` may be used; absent when no user can be asked. */
	askKey?: AskKey | undefined;
	/** Tools besides the built-in ones. */
	customTools?: readonly BuiltinTool[] | undefined;
	/** MCP servers that the client brings. */
	servers?: RegisteredServers | undefined;
	/** The files that the user has open in an editor. */
	buffers?: EditorBuffers | undefined;
	/** How `--resume` asks for a session, when there is a UI for it. */
	chooseSession?: ChooseSession | undefined;
}

export interface OpenedParts extends AsyncDisposable {
	parts: SessionParts;
	choice: Choice;
	/** Records the session. */
	recording: SessionTape;
}

/** Those of the command line come first. */
async function useFallbackModels(
	{ flags }: Args,
	registry: ModelRegistry,
	settings: Settings,
): Promise<void> {
	const names = flags.get("fallback-model")?.split(",") ?? [];
	if (names.length === 0) return;
	const models = names.map((name) => modelOfFlag("fallback-model", name.trim(), registry, process.env));
	const chosen = (await Promise.all(models)).map(selector);
	const all = [...chosen, ...settings.get("fallbackModels")];
	await settings.set("fallbackModels", [...new Set(all)], "session");
}

/** Loads the user's own `.env` files; to be called before the environment is used. */
export function loadEnvironment(): void {
	for (const { file, message } of loadDotenv().warnings)
		log.warn("an .env file was not read", { file, message });
}

export async function openParts(options: PartsOptions): Promise<OpenedParts> {
	const { args, cwd, settings, onNotice } = options;
	await using owned = new AsyncDisposableStack();
	const store = owned.use(await timed("credentials", () => openCredentials(settings)));
	const logins = storedLogins(store);
	const registry = await timed("models", () => loadRegistry(args, process.env, settings, logins, onNotice));
	const withheld: string[] = [];
	const onWithheld = (part: string): number => withheld.push(part);
	const openedHooks = await timed("hooks", () =>
		findHooksOf({ isTrusted: args.flags.has("trust"), cwd, settings, onNotice, onWithheld }),
	);
	const mcp = mcpOf(options, store, registry);
	const hasMcp = !args.flags.has("no-mcp");
	const waiting = hasMcp ? await timed("MCP servers of the project", () => mcp.untrusted()) : [];
	const askTrust = askOnce(options.askTrust, [...openedHooks.untrusted, ...waiting]);
	const extensions =
		args.extensions ?? (await openExtensions({ args, cwd, settings, onNotice, onWithheld, askTrust }));
	extensions?.provide(registry);
	await timed("project .env", () =>
		useProjectEnv({
			args,
			cwd,
			holders: registry.keyHolders(),
			askTrust,
			askKey: options.askKey,
			onNotice,
		}),
	);
	const commandEnv = registry.withoutKeys(options.outerEnv);
	const resources = await timed("skills and templates", () =>
		openResources({ args, cwd, settings, commandEnv, onNotice }),
	);
	const hooks = await openedHooks.open(askTrust);
	if (waiting.length > 0) await mcp.confirm(askTrust, onWithheld);
	if (withheld.length > 0) onNotice(withheldNotice(withheld, cwd, dirs().agent));
	const directory = args.flags.get("session-dir") ?? settings.get("sessionDir");
	const stored = await timed("open session", () =>
		openStoredSession(args, cwd, directory, options.chooseSession),
	);
	const sessionLog = owned.use(stored ?? SessionManager.inMemory(cwd));
	const recording = owned.use(await SessionTape.open(sessionLog, args.flags.get("record")));
	const requests = options.requests ?? new UserRequests();
	const request = modelRequest(args);
	const wanted = { request, thinking: thinkingFlag(args), registry, settings, log: sessionLog };
	const choice = await timed("choose model", () => sessionModel({ ...wanted, env: process.env }));
	await checkRoles(roleFlags(args), registry, process.env);
	await useFallbackModels(args, registry, settings);
	const parts: SessionParts = {
		env: options.outerEnv,
		settings,
		store,
		registry,
		model: choice.model,
		thinking: choice.thinking,
		log: sessionLog,
		models: request.models,
		stream: recording.tape.around(extensions?.stream ?? stream),
		hasOwnKey: args.flags.has("api-key"),
		policy: { mode: approvalFlag(args), onContained: options.onContained },
		prompt: await timed("system prompt", () => promptOf(options)),
		resources,
		extensions,
		hooks,
		mcp: hasMcp ? mcp : undefined,
		...chosenTools({ args, settings, onNotice, own: extensions?.toolNames, custom: options.customTools }),
		budget: budgetFlags(args),
		staysOpen: options.staysOpen,
		// A session that no user will look for needs no title.
		title: stored && options.staysOpen ? titleOf(settings, process.env) : undefined,
		requests,
		remote: owned.use(
			await timed("machine", () => openMachine({ ...options, outerEnv: commandEnv }, requests, resources)),
		),
		onUsage: usageRecorder(owned),
		onNotice,
	};
	const moved = owned.move();
	return { parts, choice, recording, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** Statistics never read the logs of sessions that record what they use. */
function usageRecorder(owned: AsyncDisposableStack): SessionParts["onUsage"] {
	const lines = owned.use(new UsageLines(usageDirectory(dirs().data)));
	return (record) => lines.append(record);
}

/** Connects before there is a session: with a machine that cannot be reached, nothing must run on this one instead. */
async function openMachine(
	{ args, cwd, outerEnv, settings, isLocal, signal, buffers, onNotice }: PartsOptions,
	requests: UserRequests,
	{ isTrusted }: Pick<Resources, "isTrusted">,
): Promise<SessionMachine> {
	const machine = new SessionMachine({
		cwd,
		env: outerEnv,
		settings,
		requests,
		buffers,
		isTrusted,
		onNotice,
	});
	const address = args.flags.get("machine") ?? settings.getWithoutProject("machine") ?? "local";
	if (address === "local" || isLocal) return machine;
	try {
		await machine.connect(address, signal ?? new AbortController().signal);
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
	return machine;
}

function mcpOf(
	{ args, cwd, outerEnv, settings, staysOpen, servers, onNotice }: PartsOptions,
	store: CredentialStore,
	registry: ModelRegistry,
): McpSource {
	return new McpSource({
		cwd,
		env: process.env,
		serverEnv: () => registry.withoutKeys(outerEnv),
		settings,
		store,
		given: servers,
		isTrusted: args.flags.has("trust"),
		staysOpen,
		openUrl: (url) => openBrowser(url, process.env),
		onNotice,
	});
}

function thinkingFlag({ flags }: Args): ThinkingLevel | undefined {
	return thinkingLevels.find((name) => name === flags.get("thinking"));
}

/** `--auto-approve` is the user's yes to `full`. */
function approvalFlag({ flags }: Args): ApprovalMode | undefined {
	const mode = approvalModes.find((name) => name === flags.get("approval-mode"));
	if (!flags.has("auto-approve")) return mode;
	if (mode && mode !== "full")
		throw new UsageError(`--auto-approve and --approval-mode ${mode} cannot be combined.`);
	return "full";
}

export async function timed<T>(name: string, work: () => T | Promise<T>): Promise<T> {
	using _ = span(name);
	// Awaited here: the span ends with the block.
	return await work();
}

/** Made again at a reload: trust may have changed, and so may the files. */
export async function promptOf(
	options: Pick<PartsOptions, "args" | "cwd" | "settings" | "onNotice">,
): ReturnType<typeof loadPrompt> {
	const { args, cwd, settings, onNotice } = options;
	const { flags, repeated } = args;
	const trust = flags.has("trust") || trustOf(cwd, dirs().agent);
	const levels = flags.has("no-context-files") ? "none" : instructionLevels(settings, trust === true);
	const replace = flags.get("system-prompt");
	const appended = repeated?.get("append-system-prompt");
	const read = (value: string): Promise<string> => promptArgument(value, { cwd, onNotice });
	return loadPrompt({
		cwd,
		env: process.env,
		replace: replace === undefined ? undefined : await read(replace),
		append: appended && (await Promise.all(appended.map(read))).join("\n\n"),
		outputStyle: settings.get("outputStyle"),
		disabled: settings.get("discovery.disabled"),
		directories: settings.get("additionalDirectories"),
		contextFiles: levels,
		rules: flags.has("no-rules") ? "none" : levels,
		trust,
		onNotice,
	});
}

/** The environment of the tools of the current session; to be called before the session is opened. */
export function toolEnvOf(parts: Pick<SessionParts, "onEnv">): () => ToolEnv {
	let env: ToolEnv | undefined;
	parts.onEnv = (made) => {
		env = made;
	};
	return () => {
		if (!env) throw new Error("The session has no environment for its tools.");
		return env;
	};
}
