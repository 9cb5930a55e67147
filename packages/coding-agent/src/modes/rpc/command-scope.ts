/** What the handler of a command works with, whichever way the command came. */
import type { Extensions } from "@tau/extensions/host";
import type { McpPrompt } from "@tau/extensions/mcp";
import type { Resources } from "@tau/extensions/resources";
import type { SessionHost } from "@tau/session/host";
import type { ClientInfo, RequestKind } from "@tau/wire";

/** The session that a client is served. */
export interface RpcSession {
	readonly host: SessionHost;
	readonly extensions?: Extensions | undefined;
	/** Skills and prompt templates that a client may invoke by name. */
	readonly resources?: Resources | undefined;
	/** The prompts that MCP servers offer. */
	readonly mcp?: { readonly prompts: readonly McpPrompt[] } | undefined;
}

export interface CommandScope extends RpcSession {
	/** Who sent it; absent for the program that owns the session, which may do everything. */
	readonly by?: ClientInfo | undefined;
	/** Resolves when the client has the response to the current command: a run starts after its prompt was acknowledged. */
	readonly responded: Promise<void>;
	/** The commands behind the current one do not wait for its response. */
	release(): void;
	/** Where the client's questions are shown. */
	readonly ui: { setKinds(kinds: readonly RequestKind[]): void };
}
