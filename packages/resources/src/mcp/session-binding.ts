/** What one session has of the servers: their tools in its registry, the search, and answers to what servers ask. */
import type { CreateMessageRequest, CreateMessageResult } from "@modelcontextprotocol/client";
import type { FrozenCall, Verdict } from "@tau/agent";
import type { SessionHandle, SessionTool } from "@tau/session/run";
import type { UserRequests } from "@tau/session/host";
import type { ToolRegistry } from "@tau/tools/registry";
import type { ToolEnv } from "@tau/tools/tool";
import { registerUrlScheme } from "@tau/tools/urls";
import type { Prompt } from "@tau/session";
import { abortable, log, oneLine } from "@tau/utils";

import { Fingerprints } from "./fingerprints.ts";
import { limits } from "./limits.ts";
import type { McpServers, NamedTool } from "./manager.ts";
import type { ServerConnection } from "./connection.ts";
import { expandForServers, resourceUrls } from "./resources.ts";
import { serverTool } from "./server-tool.ts";
import { mayBeOf } from "./tool-name.ts";
import type { FoundServer } from "./types.ts";
import { McpUser } from "./user.ts";

export interface BindingParts {
	registry: ToolRegistry;
	env: ToolEnv;
	requests: UserRequests;
	openUrl(url: string): boolean;
	/** Where the tools are remembered as the user let them run the last time. */
	fingerprintFile: string;
	/** Whether the user has allowed every call. */
	isUnasked(): boolean;
	/** Servers of which the user believes what they say of their tools. */
	trustedServers(): readonly string[];
}

interface Registered {
	tools: readonly NamedTool[];
	registration: Disposable;
	/** By the name that the model uses. */
	byName: ReadonlyMap<string, NamedTool>;
}

export class SessionBinding implements Disposable {
	readonly user: McpUser;
	readonly #servers: McpServers;
	readonly #parts: BindingParts;
	readonly #session: SessionHandle;
	readonly #owned = new DisposableStack();
	readonly #registered = new Map<ServerConnection, Registered>();
	readonly #fingerprints: Fingerprints;
	#search: { names: string; registration: Disposable } | undefined;
	#samples = 0;
	/** Waits for the request of a prompt. */
	#turn: Disposable | undefined;
	#announced = "[]";

	constructor(servers: McpServers, parts: BindingParts, session: SessionHandle, onDisposed: () => void) {
		this.#owned.defer(onDisposed);
		this.#servers = servers;
		this.#parts = parts;
		this.#session = session;
		this.#fingerprints = new Fingerprints(parts.fingerprintFile);
		this.user = new McpUser({ requests: parts.requests, openUrl: parts.openUrl });
		this.#owned.use(parts.registry.addLateSource((name, signal) => this.#await(name, signal)));
		this.#owned.use(
			session.gateTools({
				name: "MCP",
				judge: (call, signal) => this.#judge(call, signal),
				change: (call) => this.#ran(call),
			}),
		);
		this.#owned.use(
			registerUrlScheme(
				parts.env,
				"mcp",
				resourceUrls(() => this.#ready()),
			),
		);
		this.refresh();
	}

	/** Prompts of servers and mentions of their resources are filled in. */
	async expand(prompt: Prompt, signal: AbortSignal): Promise<Prompt> {
		return await expandForServers(prompt, () => this.#ready(), this.#parts.env, signal);
	}

	/** The servers that run, once those that are starting had their time. */
	async #ready(): Promise<ServerConnection[]> {
		await this.#servers.settle(() => true, limits.searchWaitMs, new AbortController().signal);
		return this.#servers.running.flatMap(({ connection }) =>
			connection.state === "ready" ? [connection] : [],
		);
	}

	get cwd(): string {
		return this.#parts.env.cwd;
	}

	/** The names of the server tools that the next request declares. */
	get declared(): readonly string[] {
		return this.#parts.registry.visible.flatMap(({ name }) => (isServerTool(name) ? [name] : []));
	}

	/** Brings the registry up to date with the servers. */
	refresh(): void {
		const { registry } = this.#parts;
		const running = this.#servers.running;
		registry.batch(() => {
			for (const [connection, { registration }] of this.#registered) {
				if (running.some((one) => one.connection === connection)) continue;
				registration[Symbol.dispose]();
				this.#registered.delete(connection);
			}
			for (const { connection, tools } of running) this.#register(connection, tools);
			this.#offerSearch(running.map(({ connection }) => connection.found.name));
		});
		this.#announce();
	}

	/** Extensions learn of each state that a server reaches. */
	#announce(): void {
		const servers = this.#servers.servers.map(({ name, state, tools }) => ({
			name,
			state,
			tools: tools.length,
		}));
		const key = JSON.stringify(servers);
		if (key === this.#announced) return;
		this.#announced = key;
		this.#emit({ type: "mcp_servers_change", servers });
	}

	#emit(event: Parameters<SessionHandle["emit"]>[0]): void {
		void this.#session.emit(event).catch((error: unknown) => {
			log.warn("an event of MCP servers was not passed on", { reason: String(error) });
		});
	}

	/** A notification that nothing else handles. */
	notified(server: string, method: string, params: unknown): void {
		this.#emit({ type: "mcp_notification", server, method, params });
	}

	/** The session's model answers, if the user agrees; what it costs counts in the session. */
	async sample(
		params: CreateMessageRequest["params"],
		server: string,
		signal: AbortSignal,
	): Promise<CreateMessageResult> {
		if (++this.#samples > limits.samplesPerCall)
			throw new Error("The server asks for too many answers of the model.");
		const { sampleModel } = await import("./sampling.ts");
		return await sampleModel(
			{ params, server, user: this.user, session: this.#session, settings: this.#parts.env.settings },
			signal,
		);
	}

	[Symbol.dispose](): void {
		this.#owned.dispose();
		this.#turn?.[Symbol.dispose]();
		for (const { registration } of this.#registered.values()) registration[Symbol.dispose]();
		this.#registered.clear();
		this.#search?.registration[Symbol.dispose]();
	}

	#register(connection: ServerConnection, tools: readonly NamedTool[]): void {
		const known = this.#registered.get(connection);
		if (known && isSame(known.tools, tools)) return;
		const { registry, env } = this.#parts;
		const { config, name } = connection.found;
		const isTrusted = this.#isTrusted(connection.found);
		known?.registration[Symbol.dispose]();
		const enabled = tools.filter((tool) => tool.enabled);
		const made = enabled.map(({ toolName, definition }): SessionTool =>
			serverTool({ connection, definition, toolName, isTrusted, env }),
		);
		const isDeferred = !config.alwaysLoad && env.settings.get("mcp.deferTools");
		const registration = registry.register(`mcp:${name}`, made, { deferred: isDeferred });
		const byName = new Map(enabled.map((tool) => [tool.toolName, tool]));
		this.#registered.set(connection, { tools, registration, byName });
	}

	/** The list of servers is part of its declaration: it changes only when the user changes it. */
	#offerSearch(servers: readonly string[]): void {
		const names = servers.join("\n");
		if (this.#search?.names === names) return;
		this.#search?.registration[Symbol.dispose]();
		this.#search = undefined;
		if (servers.length === 0 || !this.#parts.env.settings.get("mcp.deferTools")) return;
		const registration = this.#parts.registry.addSearchSource({
			title: "the tools of the MCP servers",
			names: () => servers,
			wait: (query, signal, onWait) => this.#waitForSearch(query, signal, onWait),
		});
		this.#search = { names, registration };
	}

	async #waitForSearch(
		query: string,
		signal: AbortSignal,
		onWait: (what: string) => void,
	): Promise<string[]> {
		const { registry } = this.#parts;
		// A server that is slow to start must not hold up what another one has.
		for (const ms of [0, limits.searchGraceMs, limits.searchWaitMs]) {
			const starting = this.#servers.running.filter(({ connection }) => connection.state === "starting");
			const names = starting.map(({ connection }) => connection.found.name).join(", ");
			if (ms > 0 && names !== "")
				onWait(`Waiting for the MCP server ${oneLine(names, limits.serverNameChars)}`);
			if (ms > 0) await this.#servers.settle(() => true, ms, signal);
			this.refresh();
			// What Tau itself has to offer says nothing about what the servers that are starting have.
			const isFound = (): boolean => registry.find(query).some(({ name }) => isServerTool(name));
			if (ms === 0 ? registry.get(query.trim()) : isFound()) break;
		}
		return this.#servers.running.flatMap(({ connection: { found, state, error } }) => {
			if (state === "ready") return [];
			if (state === "starting") return [`(The server ${found.name} is still starting. Search again later.)`];
			return [`(The server ${found.name} is not available: ${error ?? state})`];
		});
	}

	/** For a tool that is called by its name while its server starts. */
	async #await(name: string, signal: AbortSignal): Promise<void> {
		const isOf = ({ found }: ServerConnection): boolean => mayBeOf(found.name, name);
		await this.#servers.settle(isOf, limits.searchWaitMs, signal);
		this.refresh();
		if (this.#parts.registry.get(name)) return;
		const ready = this.#servers.running.filter(
			({ connection }) => connection.state === "ready" && isOf(connection),
		);
		await abortable(Promise.all(ready.map(({ connection }) => connection.refreshTools())), signal);
		this.refresh();
	}

	/** Before a prompt: the servers are known then; only those that are wanted at once are waited for. */
	async prepare(): Promise<void> {
		this.#samples = 0;
		this.#servers.announceRoots();
		await this.#servers.start();
		const isWanted = ({ found }: ServerConnection): boolean => found.config.alwaysLoad;
		const { signal = new AbortController().signal } = this.#session;
		await this.#servers.settle(isWanted, limits.alwaysLoadWaitMs, signal);
		this.refresh();
		this.#giveWay();
	}

	/** Loading the client and starting programs would take the CPU from the request that is about to be sent. */
	#giveWay(): void {
		this.#servers.delayStarts("request");
		this.#turn?.[Symbol.dispose]();
		this.#turn = this.#session.onBefore(["turn_start"], () => {
			this.#turn?.[Symbol.dispose]();
			this.#servers.delayStarts("request is sent");
		});
	}

	/** Whether the user believes what the server says of itself. */
	#isTrusted({ config, name, origin }: FoundServer): boolean {
		return (config.trust && origin.level !== "project") || this.#parts.trustedServers().includes(name);
	}

	/** A tool whose description has changed since the user let it run is asked about again. */
	async #judge(call: FrozenCall, signal: AbortSignal): Promise<Verdict | undefined> {
		const unlisted = this.#parts.isUnasked() ? undefined : await this.#unlistedIn(call, signal);
		if (unlisted) return { allow: "ask", reason: unlisted };
		const tool = this.#described(call);
		if (!tool || this.#parts.isUnasked() || !this.#fingerprints.hasChanged(tool)) return undefined;
		return { allow: "ask", reason: `the description of ${call.name} has changed since it last ran` };
	}

	/** What a server does with an address that it has not listed is not known: it may be one that fetches pages. */
	async #unlistedIn({ touches }: FrozenCall, signal: AbortSignal): Promise<string | undefined> {
		for (const touch of touches) {
			const url = touch.kind === "fetch" ? touch.url : "";
			const [, name, uri = ""] = /^mcp:\/\/([^/]+)\/(.+)$/is.exec(url) ?? [];
			if (name === undefined) continue;
			const connection = (await this.#ready()).find(({ found }) => found.name === name);
			if (!connection || this.#isTrusted(connection.found)) continue;
			// A range of lines may follow.
			const plain = uri.replace(/:[\d+:L-]+$/i, "");
			const listed = await connection
				.request(
					async (client, options) => (await client.listResources(undefined, options)).resources,
					signal,
				)
				.catch(() => []);
			if (!listed.some((resource) => resource.uri === uri || resource.uri === plain))
				return `sends ${oneLine(uri, limits.logLineChars)} to the MCP server ${name}, which does not list it`;
		}
		return undefined;
	}

	#ran(call: FrozenCall): undefined {
		const tool = this.#described(call);
		if (tool) this.#fingerprints.remember(tool);
		return undefined;
	}

	#described({
		name,
		tool,
	}: FrozenCall): { found: FoundServer; definition: NamedTool["definition"] } | undefined {
		if (this.#parts.registry.get(name) !== tool) return undefined;
		for (const [{ found }, { byName }] of this.#registered) {
			const definition = byName.get(name)?.definition;
			if (definition) return { found, definition };
		}
		return undefined;
	}
}

function isServerTool(name: string): boolean {
	return name.startsWith("mcp_");
}

function isSame(before: readonly NamedTool[], after: readonly NamedTool[]): boolean {
	return (
		before.length === after.length &&
		before.every((tool, at) => {
			const other = after[at];
			return (
				tool.definition === other?.definition &&
				tool.toolName === other.toolName &&
				tool.enabled === other.enabled
			);
		})
	);
}
