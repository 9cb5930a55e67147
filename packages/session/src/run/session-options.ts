/** What a run of a session is made with. */
import type { AgentMessage, AgentTool, QueueMode, ToolGate } from "@tau/agent";
import type { Access, Model, StreamFunction, StreamOptions, ThinkingLevel } from "@tau/ai";

import type { Compactor } from "../compaction/compactor.ts";
import type { PastMessages } from "@tau/log";
import type { Behavior } from "./behavior.ts";
import type { ExpandPrompt } from "./prompt.ts";
import type { PrefixWatch } from "./prefix-watch.ts";
import type { PromptOfTools, SessionTools } from "./session-tools.ts";
import type { UsageLedger } from "./usage-ledger.ts";

export interface AgentSessionOptions {
	model: Model;
	/** A function is asked again whenever the tools change. */
	systemPrompt: string | PromptOfTools;
	/** A registry is followed: what it shows is what the model may call. */
	tools: SessionTools | readonly AgentTool[];
	thinking?: ThinkingLevel;
	/** The conversation so far, for a resumed session. */
	messages?: readonly AgentMessage[];
	/** Instead of `messages`: read when the first prompt needs it. */
	past?: PastMessages;
	/** Skills and templates that a prompt calls. */
	expand?: ExpandPrompt | undefined;
	/** Usage so far; computed from the messages if absent. */
	usage?: UsageLedger;
	/** What was sent so far, where the session continues one. */
	prefix?: PrefixWatch;
	steeringMode?: QueueMode;
	followUpMode?: QueueMode;
	/** Called before every request, because keys expire and rotate. */
	credentials(model: Model): Access | Promise<Access>;
	/** Asks a model; `stream` of `@tau/ai` by default. */
	stream?: StreamFunction | undefined;
	/** Sent with every request, for the caches of servers. */
	sessionId?(): string;
	/** Of the requests of the conversation, not of those beside it. */
	options?: Pick<StreamOptions, "connection">;
	behaviors?: readonly Behavior[];
	/** Judges every call after all other gates; it is not a gate of sessions that this one opens. */
	policy?: ToolGate | undefined;
	/** For the time that tools take; stops while the user is asked. */
	clock?(): number;
	/** Absent where the conversation cannot be compacted. */
	compactor?: Compactor;
	/** Disposed of with the session, such as the shell of its tools. */
	owns?: AsyncDisposable;
}
