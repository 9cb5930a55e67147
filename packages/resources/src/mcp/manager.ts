/** The MCP servers of a run: finds them, starts them side by side, and offers their tools to each session. */
import type { CredentialStore } from "@tau/ai";
import type { SessionHandle } from "@tau/session";
import type { Settings } from "@tau/config/settings";
import { log, oneLine, onDispose, stripControls, timer, withTimeout, type Env } from "@tau/utils";

import { ServerConnection } from "./connection.ts";
import { forgetInputs } from "./inputs.ts";
import { limits } from "./limits.ts";
import { providerOf } from "./oauth.ts";
import { cleanDescription } from "./server-tool.ts";
import { ServerRequests } from "./server-requests.ts";
import { SessionBinding, type BindingParts } from "./session-binding.ts";
import { targetOf } from "./target.ts";
import { toolNameOf, toolPrefix, uniqueName } from "./tool-name.ts";
import type {
	FoundServer,
	McpManager,
	McpPrompt,
	McpResource,
	McpServerInfo,
	McpTestOutcome,
	McpToolInfo,
} from "./types.ts";

/** A server that discovery has found, and whether it may start. */
export interface ListedServer extends FoundServer {
	/** A server of a project that the user has not allowed. */
	isUntrusted: boolean;
}

export interface McpOptions {
	cwd: string;
	/** The environment of servers, without the keys of providers. */
	env: Env;
	settings: Pick<Settings, "get">;
	store: CredentialStore;
	/** Finds the servers; may ask the user about those of the project. */
	find(): Promise<readonly ListedServer[]>;
	/** Asked before each start: what a server runs may have changed since the last one. */
	mayStart(server: FoundServer): Promise<boolean>;
	/** Writes Tau's own files. */
	files: McpFiles;
	/** False where a server starts only when it is tested. */
	startsAll: boolean;
	openUrl(url: string): boolean;
	onNotice(message: string): void;
}

export interface McpFiles {
	add(level: "user" | "project", name: string, config: Record<string, unknown>): Promise<void>;
	remove(server: FoundServer): Promise<void>;
	setEnabled(server: FoundServer, isOn: boolean): Promise<void>;
}

/** A tool as the model calls it. */
export interface NamedTool extends McpToolInfo {
	readonly definition: ServerConnection["tools"][number];
}

interface Entry {
	server: ListedServer;
	/** Absent while it is disabled or untrusted. */
	connection?: ServerConnection;
	/** Tells whether the definition has changed. */
	key: string;
	tools: readonly NamedTool[];
	/** Starts it, unless it is wanted before. */
	soon?: Disposable | undefined;
	/** Searches have waited for it for as long as they may. */
	isSlow: boolean;
}

const timedOut =
	'it did not answer in time. Allow it more with "startTimeout" (ms) in its definition, or mcp.startTimeoutSeconds';

export class McpServers implements McpManager {
	readonly #options: McpOptions;
	readonly #entries = new Map<string, Entry>();
	readonly #listeners = new Set<() => void>();
	readonly #bindings = new Set<SessionBinding>();
	#found: Promise<void> | undefined;
	#reloading: Promise<void> = Promise.resolve();
	#announced = false;
	/** Which tool of which server has a name: it stays the same however often servers come and go. */
	readonly #names = new Map<string, string>();
	#logTimer: Disposable | undefined;
	#announcedRoots: string | undefined;
	#isClosed = false;

	constructor(options: McpOptions) {
		this.#options = options;
	}

	/** Finds and starts the servers, once. Resolves when they are known, not when they are ready. */
	start(): Promise<void> {
		this.#found ??= this.reload();
		return this.#found;
	}

	/** Offers the tools to a session until it is disposed. */
	bind(parts: BindingParts, session: SessionHandle): SessionBinding {
		const binding = new SessionBinding(this, parts, session, () => this.#bindings.delete(binding));
		this.#bindings.add(binding);
		return binding;
	}

	get servers(): readonly McpServerInfo[] {
		return [...this.#entries.values()].map((entry) => this.#infoOf(entry));
	}

	subscribe(listener: () => void): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	/** The prompts of the servers that are ready. */
	get prompts(): McpPrompt[] {
		return this.running.flatMap(({ connection: { found, prompts } }) =>
			prompts.map(({ name, title, description = title ?? "", arguments: parameters = [] }) => ({
				name: `${found.name}:${clean(name)}`,
				description: clean(description),
				argumentHint: parameters
					.map((one) => (one.required ? `<${clean(one.name)}>` : `[${clean(one.name)}]`))
					.join(" "),
			})),
		);
	}

	/** The resources of the servers that are ready. */
	get resources(): McpResource[] {
		return this.running.flatMap(({ connection: { found, resources } }) =>
			resources.flatMap(({ uri, name, title = name, description = title }) =>
				// An address with a space or a control character ends a mention too early.
				/[\s\p{C}"]/u.test(uri)
					? []
					: [{ url: `mcp://${found.name}/${uri}`, description: clean(description) }],
			),
		);
	}

	/** The servers that may run, with their tools. */
	get running(): readonly { connection: ServerConnection; tools: readonly NamedTool[] }[] {
		return [...this.#entries.values()].flatMap(({ connection, tools }) =>
			connection ? [{ connection, tools }] : [],
		);
	}

	/** Waits for servers that are starting. Resolves with those that are still not there. */
	async settle(
		which: (connection: ServerConnection) => boolean,
		ms: number,
		signal: AbortSignal,
	): Promise<ServerConnection[]> {
		await this.start();
		const entries = [...this.#entries.values()].filter(
			({ connection, isSlow }) => connection && !isSlow && which(connection),
		);
		const waits = entries.flatMap(({ connection }) => (connection?.maySettle ? [connection] : []));
		if (waits.length === 0) return [];
		using deadline = withTimeout(signal, ms, "it is still starting");
		const late = Promise.withResolvers<void>();
		deadline.signal.addEventListener("abort", () => late.resolve(), { once: true });
		await Promise.race([Promise.all(waits.map((connection) => connection.settled())), late.promise]);
		signal.throwIfAborted();
		const slow = entries.filter(({ connection }) => connection?.state === "starting");
		// The next search does not wait for it again.
		if (ms >= limits.searchWaitMs) for (const entry of slow) entry.isSlow = true;
		return slow.flatMap(({ connection }) => connection ?? []);
	}

	reload(): Promise<void> {
		this.#reloading = this.#reloading.then(() => this.#load());
		return this.#reloading;
	}

	async setEnabled(name: string, isOn: boolean): Promise<void> {
		await this.#options.files.setEnabled(this.#entry(name).server, isOn);
		await this.reload();
	}

	async test(name: string, signal: AbortSignal): Promise<McpTestOutcome> {
		return await this.#again(name, signal, {});
	}

	async reauth(name: string, signal: AbortSignal): Promise<McpTestOutcome> {
		await this.unauth(name);
		return await this.#again(name, signal, { withLogin: true });
	}

	async unauth(name: string): Promise<void> {
		const { server, connection } = this.#entry(name);
		const { store } = this.#options;
		const forgotten = forgetInputs(server, store);
		const address = connection?.address ?? server.config.url;
		if (address !== undefined && URL.canParse(address)) store.remove(providerOf(address));
		else if (forgotten === 0 && server.config.inputs === undefined)
			throw new Error(`${name} is a program: it has no login.`);
		this.#changed();
	}

	async add(level: "user" | "project", name: string, config: Record<string, unknown>): Promise<void> {
		await this.#options.files.add(level, name, config);
		await this.reload();
	}

	async remove(name: string): Promise<void> {
		await this.#options.files.remove(this.#entry(name).server);
		await this.reload();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isClosed = true;
		this.#logTimer?.[Symbol.dispose]();
		await Promise.all(
			[...this.#entries.values()].map(({ connection, soon }) => {
				soon?.[Symbol.dispose]();
				return connection?.[Symbol.asyncDispose]();
			}),
		);
		this.#entries.clear();
	}

	async #load(): Promise<void> {
		try {
			const found = (await this.#options.find()).slice(0, limits.servers);
			if (this.#isClosed) return;
			const names = new Set(found.map(({ name }) => name));
			const gone = [...this.#entries.values()].filter(({ server }) => !names.has(server.name));
			for (const entry of gone) await this.#drop(entry);
			for (const server of found) await this.#update(server);
			this.#sort(found);
			this.#rename();
			this.#changed();
		} catch (error) {
			log.error("MCP servers could not be loaded", { reason: String(error) });
			this.#options.onNotice(
				`MCP servers were not loaded: ${error instanceof Error ? error.message : String(error)}`,
			);
		}
	}

	/** As the files list them: a server that has changed keeps its place. */
	#sort(found: readonly ListedServer[]): void {
		for (const { name } of found) {
			const entry = this.#entry(name);
			this.#entries.delete(name);
			this.#entries.set(name, entry);
		}
	}

	/** A definition that has not changed keeps its process. */
	async #update(server: ListedServer): Promise<void> {
		const { config, isUntrusted } = server;
		const mayRun = config.enabled && !isUntrusted;
		const key = JSON.stringify([config, mayRun]);
		const known = this.#entries.get(server.name);
		if (known?.key === key) {
			known.server = server;
			return;
		}
		if (known) await this.#drop(known);
		const entry: Entry = { server, key, tools: [], isSlow: false };
		this.#entries.set(server.name, entry);
		if (!mayRun) return;
		entry.connection = this.#connectionOf(server);
		if (this.#options.startsAll) this.#startSoon(entry, entry.connection, limits.startDelayMs);
	}

	/** The request of a prompt that is just being sent goes first: loading the client and starting programs takes the CPU. */
	#startSoon(entry: Entry, connection: ServerConnection, delayMs: number): void {
		const start = (): void => {
			entry.soon = undefined;
			void connection.start().then(() => {
				entry.isSlow = false;
			});
		};
		entry.soon?.[Symbol.dispose]();
		if (entry.server.config.alwaysLoad) start();
		else entry.soon = timer(delayMs, start);
	}

	/** While a prompt is prepared no server starts; from the moment of its request on, they do. */
	delayStarts(until: "request" | "request is sent"): void {
		const delayMs = until === "request" ? limits.heldStartMs : limits.startDelayMs;
		for (const entry of this.#entries.values())
			if (entry.soon && entry.connection) this.#startSoon(entry, entry.connection, delayMs);
	}

	async #drop(entry: Entry): Promise<void> {
		entry.soon?.[Symbol.dispose]();
		this.#entries.delete(entry.server.name);
		await entry.connection?.[Symbol.asyncDispose]();
	}

	#connectionOf(found: ListedServer): ServerConnection {
		const { cwd, env, settings, store, mayStart, openUrl, onNotice } = this.#options;
		const requests = new ServerRequests({
			server: found.name,
			roots: () => this.#roots,
			user: () => this.#session?.user,
			sample: async (params, server, signal) => {
				if (!this.#session) throw new Error("There is no session to ask the model in.");
				return await this.#session.sample(params, server, signal);
			},
		});
		return new ServerConnection({
			found,
			cwd,
			env,
			store,
			requests,
			mayStart: () => mayStart(found),
			startMs: settings.get("mcp.startTimeoutSeconds") * 1_000,
			callMs: settings.get("mcp.toolTimeoutSeconds") * 1_000,
			logsInByItself: () => settings.get("mcp.login") === "auto",
			openUrl,
			onAddress: (url) => onNotice(`Open this page to log in to ${found.name}: ${url}`),
			onChange: (what) => {
				if (what === "state" || what === "tools") this.#rename();
				if (what === "log") this.#logChanged();
				else this.#changed();
			},
			onNotification: (method, params) => {
				for (const binding of this.#bindings) binding.notified(found.name, method, params);
			},
		});
	}

	/** The directories of the session, which may continue in another one than it began in. */
	get #roots(): string[] {
		const { cwd, settings } = this.#options;
		return [this.#session?.cwd ?? cwd, ...settings.get("additionalDirectories")];
	}

	/** Tells the servers when the directories of the session are others than before. */
	announceRoots(): void {
		const roots = this.#roots.join("\0");
		if (this.#announcedRoots === roots) return;
		const isFirst = this.#announcedRoots === undefined;
		this.#announcedRoots = roots;
		if (!isFirst) for (const { connection } of this.running) connection.rootsChanged();
	}

	/** The first session is the user's own; its children come later. */
	get #session(): SessionBinding | undefined {
		return this.#bindings.values().next().value;
	}

	/** Names are unique over all servers, and do not depend on which of them was faster. */
	#rename(): void {
		const prefixes = new Set<string>();
		for (const entry of this.#entries.values()) {
			const { config, name: server } = entry.server;
			const prefix = uniqueName(toolPrefix(server), server, (one) => prefixes.has(one));
			prefixes.add(prefix);
			const isReady = entry.connection?.state === "ready";
			// A server that is down keeps its tools: a call starts it again.
			const definitions =
				entry.connection && (isReady || entry.tools.length === 0) ? entry.connection.tools : undefined;
			const list = definitions ?? entry.tools.map(({ definition }) => definition);
			const byName = new Map(list.map((definition) => [definition.name, definition]));
			entry.tools = [...byName].map(([name, definition]) => {
				const toolName = this.#nameOf(server, name, prefix);
				const description = cleanDescription(definition);
				const enabled =
					(config.enabledTools === undefined || matchesAny(config.enabledTools, name)) &&
					!matchesAny(config.disabledTools ?? [], name);
				const tokens = tokensOf(toolName, description, definition.inputSchema);
				return { name, toolName, description, enabled, tokens, definition };
			});
		}
	}

	#nameOf(server: string, tool: string, prefix: string): string {
		const identity = `${server}\0${tool}`;
		const name = uniqueName(toolNameOf(server, tool, prefix), identity, (one) => {
			return (this.#names.get(one) ?? identity) !== identity;
		});
		this.#names.set(name, identity);
		const [oldest] = this.#names.keys();
		if (this.#names.size > limits.toolNames && oldest !== undefined) this.#names.delete(oldest);
		return name;
	}

	#infoOf({ server, connection, tools }: Entry): McpServerInfo {
		const { name, origin, config, isUntrusted } = server;
		const state = connection?.state ?? (isUntrusted && config.enabled ? "untrusted" : "disabled");
		const declared = new Set([...this.#bindings].flatMap((binding) => binding.declared));
		return {
			name,
			source: origin.path,
			level: origin.level === "project" ? "project" : "user",
			state,
			transport: config.transport,
			target: targetOf(config),
			tools: tools.map(({ definition: _, ...tool }) => tool),
			prompts: connection?.prompts.map((prompt) => prompt.name) ?? [],
			resources: connection?.resources.length ?? 0,
			tokens: tools.reduce((sum, { toolName, tokens }) => sum + (declared.has(toolName) ? tokens : 0), 0),
			log: connection?.log ?? [],
			...(connection?.error === undefined ? {} : { error: connection.error }),
			...(connection?.protocol === undefined ? {} : { protocol: connection.protocol }),
			...(connection?.startedMs === undefined ? {} : { startedMs: connection.startedMs }),
			...(connection && config.url !== undefined ? { isLoggedIn: connection.isLoggedIn } : {}),
		};
	}

	async #again(name: string, signal: AbortSignal, how: { withLogin?: boolean }): Promise<McpTestOutcome> {
		const { connection, server } = this.#entry(name);
		if (!connection) {
			const why = server.config.enabled
				? "is not trusted. Run /trust first."
				: `is disabled. Run /mcp enable ${name} first.`;
			return { ok: false, message: `Server "${name}" ${why}` };
		}
		const began = performance.now();
		using deadline = withTimeout(signal, how.withLogin ? limits.loginMs : limits.startMs, timedOut);
		const late = Promise.withResolvers<void>();
		deadline.signal.addEventListener("abort", () => late.resolve(), { once: true });
		await Promise.race([connection.restart(how), late.promise]);
		if (deadline.signal.aborted) await connection.cancelStart(signal.aborted ? "it was cancelled" : timedOut);
		signal.throwIfAborted();
		if (connection.state !== "ready")
			return {
				ok: false,
				message: `Failed to connect to "${name}": ${connection.error ?? timedOut}`,
			};
		const ms = Math.round(performance.now() - began);
		return { ok: true, tools: connection.tools.length, protocol: connection.protocol ?? "", ms };
	}

	#entry(name: string): Entry {
		const entry = this.#entries.get(name);
		if (!entry) throw new Error(`There is no MCP server "${name}".`);
		return entry;
	}

	#logChanged(): void {
		if (this.#isClosed || this.#listeners.size === 0) return;
		this.#logTimer ??= timer(limits.logShownMs, () => {
			this.#logTimer = undefined;
			for (const listener of this.#listeners) listener();
		});
	}

	/** Changes that come together are one change for listeners. */
	#changed(): void {
		if (this.#announced || this.#isClosed) return;
		this.#announced = true;
		queueMicrotask(() => {
			this.#announced = false;
			for (const binding of this.#bindings) binding.refresh();
			for (const listener of this.#listeners) listener();
		});
	}
}

/** One line for a menu; the text comes from the server. */
function clean(text: string): string {
	return oneLine(stripControls(text), limits.logLineChars);
}

/** As everywhere in Tau: four characters are a token. */
function tokensOf(...parts: readonly unknown[]): number {
	return Math.ceil(
		parts.reduce<number>(
			(sum, part) => sum + (typeof part === "string" ? part : JSON.stringify(part)).length,
			0,
		) / 4,
	);
}

/** `get_*`, `*`, or a name. */
function matchesAny(patterns: readonly string[], name: string): boolean {
	return patterns.some(
		(pattern) => pattern === name || (pattern.includes("*") && new Bun.Glob(pattern).match(name)),
	);
}
