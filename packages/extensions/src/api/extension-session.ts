/** What extensions work on: the session, its log and its tools, as the program that made it hands them over. */
import type { Access, CredentialSummary, Model, StreamFunction } from "@tau/ai";
import type { SessionHost } from "@tau/session/host";
import type { AgentSession, SessionHandle } from "@tau/session";
import type { SessionManager } from "@tau/log";
import type { FileFallbacks } from "@tau/sys";
import type { ModelRegistry } from "@tau/config/models";
import type { Settings } from "@tau/config/settings";
import type { ToolRegistry, ToolSelection } from "@tau/tools/registry";
import type { ToolEnv } from "@tau/tools/tool";

import type { ResourcePaths } from "../resources/more-resources.ts";
import type { BuildSystemPromptOptions } from "./event-types.ts";

/** What tools of extensions add to the system prompt. */
export interface PromptAdditions {
	/** A line for each tool that has one. */
	snippets: Readonly<Record<string, string>>;
	guidelines: readonly string[];
}

export interface ExtensionSession {
	readonly host: SessionHost;
	readonly session: AgentSession;
	readonly log: SessionManager;
	readonly cwd: string;
	readonly settings: Pick<Settings, "get">;
	readonly registry: ModelRegistry;
	/** What a request to the model is sent with. */
	credentials(model: Model): Promise<Access>;
	/** Called for each stored credential that is rejected from now on. */
	onRefused(listener: (credential: CredentialSummary) => void): Disposable;
	readonly tools: ToolRegistry;
	/** Sets the skills and templates that extensions provide; returns whether the list of skills has changed. */
	addResources(resources: ResourcePaths): boolean;
	/** A copy of the current parts of the system prompt. */
	promptOptions(): BuildSystemPromptOptions;
	/** The system prompt that these make. */
	buildPrompt(options: BuildSystemPromptOptions): string;
	/** Which tools the user asked for by name. */
	readonly toolSelection?: ToolSelection | undefined;
	/** Where its tools work. */
	readonly env: ToolEnv;
	/** What the session does about files that its tools may not change. */
	readonly fallbacks: FileFallbacks;
}

/** A side with what a behavior may do. */
export interface BoundSession extends ExtensionSession {
	readonly handle: SessionHandle;
	/** Asks a model, as the session itself does. */
	readonly stream: StreamFunction;
}
