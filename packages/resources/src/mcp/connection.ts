/** One server: started, listed, called, and started again when it dies. What goes wrong costs this server alone. */
import type { CallToolResult, Progress, Prompt, Resource, Tool } from "@modelcontextprotocol/client";
import type { CredentialStore } from "@tau/ai";
import { abortable, delay, envNumber, maskSecrets, stripControls, type Env } from "@tau/utils";

import type { Connected } from "./connect.ts";
import { inputValues } from "./inputs.ts";
import { limits } from "./limits.ts";
import { OAuthLogin, providerOf } from "./oauth.ts";
import { describe, isLoginNeeded, isTimeout, withAdvice } from "./failure.ts";
import type { ServerRequests } from "./server-requests.ts";
import { resolveServer } from "./resolve-config.ts";
import type { FoundServer, McpState } from "./types.ts";

export interface ConnectionParts {
	found: FoundServer;
	cwd: string;
	env: Env;
	store: CredentialStore;
	requests: ServerRequests;
	/** Whether the user allows it to be started as it is now. */
	mayStart(): Promise<boolean>;
	startMs: number;
	callMs: number;
	/** Whether a login may be started without the user having asked for it. */
	logsInByItself(): boolean;
	openUrl(url: string): boolean;
	onAddress(url: string): void;
	/** Its state, its tools or its log have changed. */
	onChange(what: "state" | "tools" | "prompts" | "resources" | "log"): void;
	onNotification(method: string, params: unknown): void;
}

export interface CallOptions {
	signal: AbortSignal;
	onProgress?(progress: Progress): void;
}

export class ServerConnection implements AsyncDisposable {
	readonly found: FoundServer;
	readonly #parts: ConnectionParts;
	readonly #log: ServerLog;
	readonly #over = new AbortController();
	readonly #secrets = new Map<string, string>();
	#state: McpState = "starting";
	#error: string | undefined;
	#tools: readonly Tool[] = [];
	#prompts: readonly Prompt[] = [];
	#resources: readonly Resource[] = [];
	#connected: Connected | undefined;
	#login: OAuthLogin | undefined;
	#starting: Promise<void> | undefined;
	/** Ends the attempt to start that is under way. */
	#attempt = new AbortController();
	#startedMs: number | undefined;
	#restarts = 0;
	#isLoggingIn = false;
	#address: string | undefined;
	/** The stored token that the server did not accept. */
	#refusedToken: string | undefined;

	constructor(parts: ConnectionParts) {
		this.#parts = parts;
		this.found = parts.found;
		this.#log = new ServerLog(() => parts.onChange("log"));
	}

	get state(): McpState {
		return this.#state;
	}

	get error(): string | undefined {
		return this.#error;
	}

	get tools(): readonly Tool[] {
		return this.#tools;
	}

	get prompts(): readonly Prompt[] {
		return this.#prompts;
	}

	get resources(): readonly Resource[] {
		return this.#resources;
	}

	get log(): readonly string[] {
		return this.#log.lines;
	}

	get startedMs(): number | undefined {
		return this.#startedMs;
	}

	get protocol(): string | undefined {
		return this.#connected?.client.getNegotiatedProtocolVersion();
	}

	get instructions(): string | undefined {
		return this.#connected?.client.getInstructions();
	}

	/** Resolves when it is ready, or will not be; never rejects. */
	start(): Promise<void> {
		if (this.#state === "ready") return Promise.resolve();
		this.#starting ??= this.#start().finally(() => {
			this.#starting = undefined;
		});
		return this.#starting;
	}

	/** Rejects with why it cannot be used. A server that is down is started again. */
	async ready(signal: AbortSignal): Promise<Connected> {
		if (!this.#connected) await abortable(this.start(), signal);
		if (this.#connected) return this.#connected;
		throw new Error(this.#error ?? "it is not running");
	}

	async call(
		tool: string,
		args: Record<string, unknown>,
		{ signal, onProgress }: CallOptions,
	): Promise<CallToolResult> {
		const connected = await this.ready(signal);
		try {
			return await connected.call({
				definition: this.#tools.find(({ name }) => name === tool),
				name: tool,
				args,
				signal: AbortSignal.any([signal, this.#over.signal]),
				timeoutMs: callTimeout(this.found.config.timeoutMs, this.#parts.callMs, this.#parts.env),
				onProgress,
			});
		} catch (error) {
			if (!signal.aborted && isTimeout(error)) void this.#checkAlive(connected);
			throw error;
		}
	}

	/** For requests other than calls. */
	async request<T>(
		work: (client: Connected["client"], options: { signal: AbortSignal; timeout: number }) => Promise<T>,
		signal: AbortSignal,
	): Promise<T> {
		const connected = await this.ready(signal);
		const all = AbortSignal.any([signal, this.#over.signal]);
		return await connected.request(
			() => work(connected.client, { signal: all, timeout: limits.listMs }),
			all,
		);
	}

	/** Lists the tools again: a server may have added one without saying so yet. */
	async refreshTools(): Promise<void> {
		await this.#relist("tools");
	}

	/** Whether it may be there soon: it is starting, or worth another attempt. */
	get maySettle(): boolean {
		if (this.#state !== "failed") return this.#state === "starting" || this.#state === "needs-auth";
		return performance.now() - this.#failedAt > limits.failedAgainMs;
	}

	/** Resolves when it is ready, or will not be before the next attempt; never rejects. */
	async settled(): Promise<void> {
		if (this.#state !== "needs-auth" && this.maySettle) await this.start();
		if (this.#state === "needs-auth") await this.#lookForLogin();
	}

	/** Another process may have logged in since this one could not. */
	async #lookForLogin(): Promise<void> {
		const token = await this.#storedLoginToken();
		if (token !== undefined && token !== this.#refusedToken) await this.start();
	}

	async #storedLoginToken(): Promise<string | undefined> {
		const { address } = this;
		if (address === undefined || !URL.canParse(address)) return undefined;
		return await this.#parts.store.storedToken(providerOf(address)).catch(() => undefined);
	}

	/** The directories of the session are others than before. */
	rootsChanged(): void {
		// Servers of the newest revision ask for them when they need them.
		void this.#connected?.client.sendRootsListChanged().catch(() => {});
	}

	/** Starts anew; with a login even if there is one. */
	async restart({ withLogin = false }: { withLogin?: boolean } = {}): Promise<void> {
		// A login that nobody completes, or a server that hangs, would hold it up for minutes.
		await this.cancelStart("it is started again");
		await this.#disconnect();
		this.#restarts = 0;
		this.#secrets.clear();
		this.#isLoggingIn = withLogin;
		this.#setState("starting");
		try {
			await this.start();
		} finally {
			this.#isLoggingIn = false;
		}
	}

	/** Gives up an attempt to start, such as one that waits for a login in the browser. */
	async cancelStart(reason: string): Promise<void> {
		if (!this.#starting) return;
		this.#attempt.abort(new Error(reason));
		await this.#starting;
	}

	/** Where its login is for; variables are filled in once it was started. */
	get address(): string | undefined {
		return this.#address ?? this.found.config.url;
	}

	get isLoggedIn(): boolean {
		const url = this.address;
		return url !== undefined && URL.canParse(url) && this.#parts.store.has(providerOf(url));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#over.abort();
		await this.#disconnect();
		await this.#starting;
		await this.#disconnect();
	}

	async #disconnect(): Promise<void> {
		const connected = this.#connected;
		this.#connected = undefined;
		await connected?.[Symbol.asyncDispose]();
		this.#login?.[Symbol.dispose]();
		this.#login = undefined;
	}

	async #start(): Promise<void> {
		const began = performance.now();
		if (this.#over.signal.aborted) return;
		this.#attempt = new AbortController();
		const signal = AbortSignal.any([this.#over.signal, this.#attempt.signal]);
		this.#setState("starting");
		const token = await this.#storedLoginToken();
		try {
			// The question may stay open, but the start does not wait for it.
			if (!(await abortable(this.#parts.mayStart(), signal)))
				throw new Error("what it runs has changed since you allowed it; /mcp test asks again");
			const connected = await this.#connect(signal);
			this.#connected = connected;
			await this.#list(connected, signal);
			this.#startedMs = Math.round(performance.now() - began);
			this.#setState("ready");
		} catch (error) {
			const sent = this.#login?.sent;
			await this.#disconnect();
			if (this.#over.signal.aborted) return;
			const isLogin = isLoginNeeded(error);
			// What was sent was not accepted, or what was stored could not be renewed; a later one may be.
			if (isLogin) this.#refusedToken = sent ?? token;
			const cause: unknown = signal.aborted ? signal.reason : error;
			const message = isLogin
				? `it wants a login: /mcp reauth ${this.found.name}`
				: withAdvice(cause, { name: this.found.name, isLogin: this.#isLoggingIn });
			this.#log.add(message);
			this.#setState(isLogin ? "needs-auth" : "failed", message);
		}
	}

	async #connect(signal: AbortSignal): Promise<Connected> {
		const { found, cwd, env, requests, startMs, onChange, onNotification } = this.#parts;
		const onLog = (text: string): void => this.#log.add(text);
		const inputs = found.config.inputs ? await this.#inputs(signal) : new Map<string, string>();
		const token = await this.#storedToken(onLog, signal);
		const server = await resolveServer(found, {
			cwd,
			env,
			inputs,
			secrets: this.#secrets,
			token,
			signal,
			onWarning: onLog,
		});
		if (server.url !== "") this.#address = server.url;
		this.#login = this.#loginFor(server.url, server.headers, server.auth);
		const { connect } = await import("./connect.ts");
		return await connect({
			server,
			startMs: found.config.startTimeoutMs ?? startMs,
			login: this.#login,
			requests,
			signal,
			onLog,
			onChanged: (what) => void this.#relist(what),
			onNotification: (method, params) => {
				onNotification(method, params);
				onChange("log");
			},
			onClose: (reason) => this.#died(reason),
		});
	}

	async #inputs(signal: AbortSignal): Promise<Map<string, string>> {
		const { store, requests } = this.#parts;
		return await inputValues(this.found, { store, user: () => requests.user, signal });
	}

	/** A project may not have any credential of the user sent to an address of its choice. */
	async #storedToken(onLog: (text: string) => void, signal: AbortSignal): Promise<string | undefined> {
		const { config, origin } = this.found;
		const reference = config.auth?.credentialId;
		if (reference === undefined) return undefined;
		if (origin.level === "project") {
			onLog("auth.credentialId is ignored: the files of a project cannot use stored credentials");
			return undefined;
		}
		try {
			const token = await this.#parts.store.tokenOf(reference, signal);
			if (token === undefined) onLog(`auth.credentialId: there is no stored credential ${reference}`);
			return token;
		} catch (error) {
			onLog(`auth.credentialId: ${describe(error)}`);
			return undefined;
		}
	}

	#loginFor(
		url: string,
		headers: Record<string, string>,
		auth: FoundServer["config"]["auth"],
	): OAuthLogin | undefined {
		const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
		if (url === "" || hasHeader || auth?.isOff) return undefined;
		const { found, store, openUrl, onAddress, logsInByItself } = this.#parts;
		return new OAuthLogin({
			name: found.name,
			url,
			auth,
			store,
			openUrl,
			onAddress,
			mayLogIn: () => this.#isLoggingIn || logsInByItself(),
		});
	}

	async #list(connected: Connected, signal: AbortSignal): Promise<void> {
		const { client } = connected;
		const { tools } = await connected.request(
			() => client.listTools(undefined, { timeout: limits.startMs, signal }),
			signal,
		);
		this.#tools = tools.slice(0, limits.tools);
		if (tools.length > limits.tools)
			this.#log.add(`it has ${tools.length} tools; the first ${limits.tools} are used`);
		await this.#listMore("prompts");
		await this.#listMore("resources");
	}

	/** A server that announces what it cannot list still has its tools. */
	async #listMore(what: "prompts" | "resources"): Promise<void> {
		const client = this.#connected?.client;
		if (!client?.getServerCapabilities()?.[what]) return;
		const options = { timeout: limits.listMs, signal: this.#over.signal };
		try {
			if (what === "prompts")
				this.#prompts = (await client.listPrompts(undefined, options)).prompts.slice(0, limits.prompts);
			else
				this.#resources = (await client.listResources(undefined, options)).resources.slice(
					0,
					limits.resources,
				);
		} catch (error) {
			this.#log.add(`${what}: ${describe(error)}`);
		}
	}

	async #relist(what: "tools" | "prompts" | "resources"): Promise<void> {
		const connected = this.#connected;
		if (!connected || this.#state !== "ready") return;
		try {
			if (what === "tools") {
				const options = { timeout: limits.listMs, signal: this.#over.signal, cacheMode: "refresh" } as const;
				this.#tools = (await connected.client.listTools(undefined, options)).tools.slice(0, limits.tools);
			} else await this.#listMore(what);
			this.#parts.onChange(what);
		} catch (error) {
			this.#log.add(`${what}: ${describe(error)}`);
		}
	}

	/** A server that answers no call and no ping is started again at the next call. */
	async #checkAlive(connected: Connected): Promise<void> {
		try {
			await connected.client.ping({ timeout: limits.pingMs });
		} catch {
			if (this.#connected === connected) this.#died("does not answer");
		}
	}

	#died(reason = "has closed the connection"): void {
		if (this.#over.signal.aborted || this.#state !== "ready") return;
		const ranMs = this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt;
		if (ranMs > limits.steadyMs) this.#restarts = 0;
		const message = `it ${reason}`;
		this.#log.add(message);
		void this.#disconnect();
		this.#setState("failed", message);
		if (this.#restarts >= limits.restarts) return;
		const wait = Math.min(limits.restartMs * 2 ** this.#restarts++, limits.restartMostMs);
		void delay(wait, this.#over.signal).then(
			() => this.start(),
			() => {},
		);
	}

	#startedAt: number | undefined;
	#failedAt = 0;

	#setState(state: McpState, error?: string): void {
		this.#state = state;
		this.#error = error;
		if (state === "ready") this.#startedAt = performance.now();
		if (state === "failed") this.#failedAt = performance.now();
		this.#parts.onChange("state");
	}
}

/** The last lines that a server wrote to its log, clean and bounded. */
class ServerLog {
	readonly #onChange: () => void;
	#lines: string[] = [];

	constructor(onChange: () => void) {
		this.#onChange = onChange;
	}

	get lines(): readonly string[] {
		return this.#lines;
	}

	add(text: string): void {
		// Of a flood only the end is looked at.
		const fresh = text
			.slice(-limits.logLines * limits.logLineChars)
			.split(/\r?\n/)
			.filter((line) => line.trim() !== "");
		if (fresh.length === 0) return;
		const clean = fresh
			.slice(-limits.logLines)
			.map((line) =>
				maskSecrets(stripControls(line, { newline: false, tab: false })).slice(0, limits.logLineChars),
			);
		this.#lines = [...this.#lines, ...clean].slice(-limits.logLines);
		this.#onChange();
	}
}

/** The user's variable counts for every server; 0 means as long as a call may take at all. */
export function callTimeout(own: number | undefined, usual: number, env: Env): number {
	const forced = envNumber("TAU_MCP_TIMEOUT_MS", env);
	if (forced === undefined || forced < 0) return own ?? usual;
	return forced === 0 ? limits.callMaxMs : Math.min(forced, limits.callMaxMs);
}
