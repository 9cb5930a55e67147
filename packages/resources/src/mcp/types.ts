/** What clients see of MCP servers, and what they can do with them. */
import type { Origin } from "../discovery/types.ts";

export type McpTransport = "stdio" | "http" | "sse";

/** A server as a file describes it, in one form for all programs. Values may still contain `${VAR}` and `!command`. */
export interface McpServerConfig {
	readonly transport: McpTransport;
	readonly command?: string;
	readonly args?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	/** A file with more variables; those of `env` win. */
	readonly envFile?: string;
	readonly cwd?: string;
	readonly url?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly enabled: boolean;
	/** How long a call may take. */
	readonly timeoutMs?: number;
	/** How long the server may take to start. */
	readonly startTimeoutMs?: number;
	/** Its tools are declared at once, and the first prompt waits for it. */
	readonly alwaysLoad: boolean;
	/** Patterns of the tools that are offered; absent: all. */
	readonly enabledTools?: readonly string[];
	readonly disabledTools?: readonly string[];
	/** The user believes what the server says of its tools, such as that they only read. */
	readonly trust: boolean;
	readonly auth?: McpAuth;
	/** What the user is asked for where the definition has `${input:id}`, by id. */
	readonly inputs?: Readonly<Record<string, McpInput>>;
}

/** A value that is not in the file. */
export interface McpInput {
	readonly description: string;
	/** Not shown while it is typed. */
	readonly isSecret: boolean;
	/** The values to choose from; empty: any text. */
	readonly options: readonly string[];
	readonly fallback?: string;
}

export interface McpAuth {
	/** False where the server must never be logged in to. */
	readonly isOff?: boolean;
	readonly clientId?: string;
	readonly clientSecret?: string;
	readonly scope?: string;
	/** The port that the browser comes back to, for clients that were registered with one. */
	readonly callbackPort?: number;
	/** Where the client describes itself to the authorization server. */
	readonly clientMetadataUrl?: string;
	/** A stored credential that is sent instead of a login: its id, or the name of its provider. */
	readonly credentialId?: string;
}

/** A server that discovery has found. */
export interface FoundServer {
	readonly name: string;
	readonly origin: Origin;
	readonly config: McpServerConfig;
}

export type McpState = "disabled" | "untrusted" | "starting" | "ready" | "failed" | "needs-auth";

export interface McpToolInfo {
	/** As the server calls it. */
	readonly name: string;
	/** As the model calls it: `mcp_<server>_<tool>`. */
	readonly toolName: string;
	readonly description: string;
	readonly enabled: boolean;
	/** What its declaration costs. */
	readonly tokens: number;
}

export interface McpServerInfo {
	readonly name: string;
	/** The file that it came from. */
	readonly source: string;
	readonly level: "user" | "project";
	readonly state: McpState;
	readonly transport: McpTransport;
	/** The command or the address, without secrets. */
	readonly target: string;
	readonly error?: string;
	readonly tools: readonly McpToolInfo[];
	readonly prompts: readonly string[];
	readonly resources: number;
	/** What its tools cost in each request now. */
	readonly tokens: number;
	readonly protocol?: string;
	/** The last lines of its log, bounded. */
	readonly log: readonly string[];
	/** How long it took to start. */
	readonly startedMs?: number;
	/** Whether it has a login. */
	readonly isLoggedIn?: boolean;
}

/** A prompt of a server, as the user calls it. */
export interface McpPrompt {
	/** `server:prompt`, behind the slash. */
	readonly name: string;
	readonly description: string;
	readonly argumentHint: string;
}

/** A resource of a server, as the user mentions it and the model reads it. */
export interface McpResource {
	/** `mcp://server/uri`. */
	readonly url: string;
	readonly description: string;
}

export type McpTestOutcome =
	{ ok: true; tools: number; protocol: string; ms: number } | { ok: false; message: string };

/** The servers of a session and of the sessions that follow it in the same process. */
export interface McpManager extends AsyncDisposable {
	readonly servers: readonly McpServerInfo[];
	/** Called at each change, after it. */
	subscribe(listener: () => void): Disposable;
	/** Reads the files again; only servers whose definition has changed are restarted. */
	reload(): Promise<void>;
	/** Rejects when there is no such server. */
	setEnabled(name: string, isOn: boolean): Promise<void>;
	/** Connects anew. */
	test(name: string, signal: AbortSignal): Promise<McpTestOutcome>;
	/** Logs in with the browser, whatever was stored. */
	reauth(name: string, signal: AbortSignal): Promise<McpTestOutcome>;
	/** Deletes the login. */
	unauth(name: string): Promise<void>;
	/** Writes a server into Tau's own file. Rejects with what is wrong with it. */
	add(level: "user" | "project", name: string, config: Record<string, unknown>): Promise<void>;
	remove(name: string): Promise<void>;
}
