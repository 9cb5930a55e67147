/** Makes the `pi` object that the factory of one extension is called with. */
import { log, oneLine } from "@tau/utils";

import { describeToolCall } from "./describe-call.ts";
import { isKnownEvent } from "./event-names.ts";
import { execCommand } from "./exec.ts";
import { addForeign } from "../support/foreign.ts";
import type { AnyHandler, Extension } from "./extension.ts";
import { limits } from "../support/limits.ts";
import type { SchemaLibraries } from "../support/schema-libraries.ts";
import { fromNative, isNative } from "../providers/native-provider.ts";
import type { Runtime } from "../host/runtime.ts";
import { resolvedRenderer, type ToolRenderer, type ToolRendererResolver } from "./tool-renderer.ts";
import type { VirtualModelDefinition } from "../providers/virtual-models.ts";
import type { RouteRequest } from "../providers/virtual-routes.ts";
import { webRenderers } from "./web-renderer.ts";
import type { EntryRenderer, ExtensionAPI, Listen, MessageRenderer, ToolDefinition } from "./types.ts";

export interface ApiParts {
	extension: Extension;
	runtime: Runtime;
	/** Where programs are run before there is a session. */
	cwd: string;
	/** What `import "@tau/coding-agent"` gives. */
	exports: Readonly<Record<string, unknown>>;
	/** Passed in, so that this module can be loaded without them. */
	libraries: SchemaLibraries;
	getSetting(path: string): unknown;
	/** Receives the error of an action that has no waiting caller. */
	onError(error: unknown): void;
}

export function createApi(parts: ApiParts): ExtensionAPI {
	const api = {
		...registrations(parts),
		...serverRegistrations(parts),
		...actions(parts),
		...surroundings(parts),
	};
	return addForeign(api, parts.extension);
}

type Registrations = Pick<
	ExtensionAPI,
	| "on"
	| "registerTool"
	| "registerCommand"
	| "registerShortcut"
	| "registerFlag"
	| "getFlag"
	| "registerMessageRenderer"
	| "registerToolRenderer"
	| "registerEntryRenderer"
	| "registerMarkdownTransformer"
	| "registerAssistantThinkingRenderer"
	| "registerFileWriteFallback"
	| "registerFileDeleteFallback"
	| "registerProvider"
	| "unregisterProvider"
	| "registerVirtualModel"
	| "unregisterVirtualModel"
>;

type ServerRegistrations = Pick<ExtensionAPI, "registerMcpServer" | "unregisterMcpServer" | "getMcpServers">;

function serverRegistrations({ extension: { path }, runtime }: ApiParts): ServerRegistrations {
	return {
		registerMcpServer(name, config) {
			runtime.assertActive();
			runtime.mcpServers.register(name, config, path);
		},
		unregisterMcpServer: (name) => runtime.mcpServers.unregister(name, path),
		getMcpServers: () => runtime.mcpServers.list(),
	};
}

function registrations({ extension, runtime }: ApiParts): Registrations {
	return {
		// The event's name decides what a handler is called with: it gets what it was written for.
		on: ((event: string, handler: AnyHandler) => {
			if (!isKnownEvent(event)) extension.warnings.push(`Unknown event "${oneLine(String(event), 80)}".`);
			const handlers = extension.handlers.get(event) ?? [];
			extension.handlers.set(event, [...handlers, handler]);
			return () => {
				const rest = (extension.handlers.get(event) ?? []).filter((each) => each !== handler);
				if (rest.length > 0) extension.handlers.set(event, rest);
				else extension.handlers.delete(event);
			};
		}) as Listen,
		registerTool(tool) {
			checkTool(tool);
			extension.tools.set(tool.name, tool as ToolDefinition);
			if (runtime.isBound) runtime.actions.toolsChanged();
		},
		registerCommand(name, options) {
			extension.commands.set(name.replace(/^\//, ""), options);
		},
		registerShortcut(key, options) {
			const problem = shortcutProblem(key);
			if (problem === undefined) extension.shortcuts.set(key.toLowerCase(), options);
			else extension.warnings.push(problem);
		},
		registerFlag(flag, options) {
			const name = flag.replace(/^--/, "");
			extension.flags.set(name, options);
			if (options.default !== undefined && !runtime.flags.has(name)) runtime.flags.set(name, options.default);
		},
		getFlag: (name) => (extension.flags.has(name) ? runtime.flags.get(name) : undefined),
		registerMessageRenderer(customType, renderer) {
			extension.renderers.set(customType, renderer as MessageRenderer);
		},
		registerEntryRenderer(customType, renderer) {
			extension.entryRenderers.set(customType, renderer as EntryRenderer);
		},
		registerToolRenderer(names: readonly string[] | "*" | ToolRendererResolver, renderer: ToolRenderer = {}) {
			extension.toolRenderers.push(
				typeof names === "function" ? { names: "*", renderer: resolvedRenderer(names) } : { names, renderer },
			);
		},
		registerMarkdownTransformer(transformer) {
			extension.markdownTransformers.push(asFunction("registerMarkdownTransformer", transformer));
		},
		registerAssistantThinkingRenderer(renderer) {
			extension.thinkingRenderers.push(asFunction("registerAssistantThinkingRenderer", renderer));
		},
		registerFileWriteFallback(handler) {
			extension.writeFallbacks.push(asFunction("registerFileWriteFallback", handler));
		},
		registerFileDeleteFallback(handler) {
			extension.deleteFallbacks.push(asFunction("registerFileDeleteFallback", handler));
		},
		registerProvider(nameOrProvider, provider = {}) {
			const name = isNative(nameOrProvider) ? nameOrProvider.id : nameOrProvider;
			const config = isNative(nameOrProvider) ? fromNative(nameOrProvider) : provider;
			if (runtime.isBound) runtime.actions.registerProvider(name, config);
			else runtime.providers.set(name, { ...runtime.providers.get(name), ...config });
		},
		unregisterProvider(name) {
			if (runtime.isBound) runtime.actions.unregisterProvider(name);
			else runtime.providers.delete(name);
		},
		registerVirtualModel(model) {
			const definition: VirtualModelDefinition = {
				...model,
				// Looked up when it is asked: there is no session yet.
				route: (request) => model.route(request as RouteRequest<never>, runtime.actions.contextOf(extension)),
			};
			if (runtime.isBound) runtime.actions.registerVirtualModel(definition);
			else runtime.virtualModels.set(`${model.provider}/${model.id}`, definition);
		},
		unregisterVirtualModel(provider, id) {
			if (runtime.isBound) runtime.actions.unregisterVirtualModel(provider, id);
			else runtime.virtualModels.delete(`${provider}/${id}`);
		},
	};
}

/** The error is thrown at registration, not at the first call. */
function asFunction<T>(name: string, value: T): T {
	if (typeof value !== "function") throw new TypeError(`${name} takes a function.`);
	return value;
}

function checkTool({ name, execute, parameters }: Record<"name" | "execute" | "parameters", unknown>): void {
	if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name))
		throw new TypeError(
			`Invalid tool name "${oneLine(String(name), 80)}": use only letters, digits, _ and -.`,
		);
	if (typeof execute !== "function") throw new TypeError(`The tool ${name} has no execute.`);
	if (typeof parameters !== "object" || parameters === null)
		throw new TypeError(`The tool ${name} has no parameters schema.`);
}

type Actions = Omit<ExtensionAPI, keyof Registrations | keyof ServerRegistrations | keyof Surroundings>;

function actions({ extension, runtime, onError }: ApiParts): Actions {
	return {
		sendMessage(message, options) {
			void runtime.actions.sendMessage(message, options, extension).catch(onError);
		},
		sendUserMessage(content, options) {
			void runtime.actions.sendUserMessage(content, options, extension).catch(onError);
		},
		appendEntry: (customType, data) => runtime.actions.appendEntry(customType, data),
		setSessionName: (name) => runtime.actions.setSessionName(name),
		getSessionName: () => runtime.actions.getSessionName(),
		setLabel(...args) {
			const [entryId, label] = args;
			// With one word it is omp's way to give the extension a name, also while it loads.
			if (args.length === 1) extension.label = entryId;
			else runtime.actions.setLabel(entryId, label);
		},
		getActiveTools: () => runtime.actions.getActiveTools(),
		getAllTools: () => runtime.actions.getAllTools(),
		setActiveTools: (names) => runtime.actions.setActiveTools(names),
		getCommands: () => runtime.actions.getCommands(),
		getSettings: () => runtime.actions.getSettings(),
		setModel: (model) => runtime.actions.setModel(model),
		getThinkingLevel: () => runtime.actions.getThinkingLevel(),
		setThinkingLevel: (level) => runtime.actions.setThinkingLevel(level),
		getServiceTiers: () => runtime.actions.serviceTiers().all(),
		setServiceTier: (family, tier) => runtime.actions.serviceTiers().set(family, tier),
	};
}

type Surroundings = Pick<
	ExtensionAPI,
	"exec" | "events" | "logger" | "typebox" | "zod" | "pi" | "describeToolCall" | "getSetting" | "web"
>;

function surroundings({ extension, runtime, cwd, exports, libraries, getSetting }: ApiParts): Surroundings {
	return {
		exec: (command, args, options) =>
			execCommand(command, args, runtime.isBound ? runtime.actions.cwd() : cwd, {
				timeout: limits.execMs,
				...options,
			}),
		events: runtime.bus,
		logger: log,
		...libraries,
		pi: exports,
		web: webRenderers(extension),
		describeToolCall,
		getSetting,
	};
}

/** Keys that extensions cannot bind, because a user could no longer cancel, exit or send without them. */
const reserved: ReadonlySet<string> = new Set([
	"ctrl+c",
	"ctrl+d",
	"ctrl+z",
	"ctrl+k",
	"ctrl+p",
	"ctrl+l",
	"ctrl+o",
	"ctrl+t",
	"ctrl+g",
	"shift+tab",
	"ctrl+shift+p",
	"alt+enter",
	"escape",
	"enter",
]);

/** Why an extension cannot have the key. */
function shortcutProblem(key: string): string | undefined {
	const parts = key.toLowerCase().split("+");
	const name = [...parts.slice(0, -1).toSorted(), parts.at(-1)].join("+");
	return reserved.has(name) ? `The shortcut ${key} is reserved by Tau. Choose another one.` : undefined;
}
