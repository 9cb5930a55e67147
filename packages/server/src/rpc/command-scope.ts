/** What the handler of a command works with, whichever way the command came. */
import type { Extensions } from "@tau/extensions/host";
import type { McpPrompt } from "@tau/resources/mcp";
import type { Resources } from "@tau/extensions/resources";
import type { SessionHost } from "@tau/session/host";
import type { ClientInfo, RequestKind, Right } from "@tau/wire";

import type { CommandParts } from "@tau/session-commands";
import type { Surfaces } from "../surfaces/surfaces.ts";
import type { ClientComponents } from "./component-handlers.ts";
import type { SlashCommandRuns } from "./slash-commands.ts";

/** The session that a client is served. */
export interface RpcSession {
	readonly host: SessionHost;
	readonly extensions?: Extensions | undefined;
	/** Skills and prompt templates that a client may invoke by name. */
	readonly resources?: Resources | undefined;
	/** The prompts that MCP servers offer. */
	readonly mcp?: { readonly prompts: readonly McpPrompt[] } | undefined;
	/** What slash commands work with; absent where there are none. */
	readonly commands?: CommandParts | undefined;
	/** The terminals elsewhere that show what extensions draw; absent where nobody can join. */
	readonly surfaces?: Surfaces | undefined;
	/** What the client may do; everything, unless it says otherwise. */
	readonly rights?: Right | undefined;
}

export interface CommandScope extends RpcSession {
	/** Where the client shows what extensions draw; absent where it cannot. */
	readonly components?: ClientComponents | undefined;
	/** Who sent it; absent for the program that owns the session, which may do everything. */
	readonly by?: ClientInfo | undefined;
	/** Resolves when the client has the response to the current command: a run starts after its prompt was acknowledged. */
	readonly responded: Promise<void>;
	/** The commands behind the current one do not wait for its response. */
	release(): void;
	/** The slash commands that the client runs. */
	readonly slashCommands: SlashCommandRuns;
	/** Where the client's questions are shown. */
	readonly ui: { setKinds(kinds: readonly RequestKind[]): void };
}
