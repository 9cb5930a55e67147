/** What a session is made of: the parts that its owner takes, and the features that the packages above add to each run. */
import type { AgentTool } from "@tau/agent";
import type { Access, CredentialStore, Model, StreamFunction, ThinkingLevel } from "@tau/ai";
import type { MachineFacts, TodoPhase } from "@tau/wire";

import type { Budget } from "../behaviors/budget-guard.ts";
import type { SessionMemory } from "../behaviors/memory.ts";
import type { FileRecorder } from "@tau/log/journal";
import type { SessionManager } from "@tau/log";
import type { ModelRegistry } from "@tau/config/models";
import type { AgentSession } from "../run/agent-session.ts";
import type { Behavior } from "../run/behavior.ts";
import type { ExpandPrompt } from "../run/prompt.ts";
import type { PromptOfTools, SessionTools } from "../run/session-tools.ts";
import type { UsageRecord } from "../run/usage-ledger.ts";
import type { PolicyOptions } from "../policy/index.ts";
import type { Settings } from "@tau/config/settings";
import type { AgentOutcome } from "./agent-tree.ts";
import type { ChildRequest } from "./children.ts";
import type { UserRequests } from "./requests.ts";
import type { SessionHost } from "./session-host.ts";
import type { UserShellParts } from "./user-shell.ts";

export interface SessionParts {
	/** Where the tools of the first session work; by default the directory of its log. */
	cwd?: string | undefined;
	/** Read live: a change takes effect in the running session. */
	settings: Settings;
	store: CredentialStore;
	registry: ModelRegistry;
	/** Asks a model; by default with the protocols of the process. */
	stream?: StreamFunction | undefined;
	model: Model;
	thinking?: ThinkingLevel | undefined;
	/** In memory if nothing is stored. The caller disposes of it. */
	log: SessionManager;
	/** Whether the key for the model's provider was given for this run. */
	hasOwnKey: boolean;
	/** Patterns of the models to choose among; by default those of the settings. */
	models?: readonly string[] | undefined;
	/** Wins over the settings. */
	budget?: Budget | undefined;
	/**
	 * Whether the client stays after an answer. Then the conversation is also compacted between two prompts, and the end
	 * of a background job may wake the model.
	 */
	staysOpen: boolean;
	/** Present if a new session gets a title; `TITLE_SYSTEM.md` may be in `agentDir`. */
	title?: { agentDir: string } | undefined;
	/** How tool calls are approved; without it, every call runs. */
	policy?: PolicyOptions | undefined;
	/** Whether the user trusts the project of the session; false by default. */
	isTrusted?: (() => boolean) | undefined;
	/** Questions to the user; created by the client where it can be asked before there is a session. */
	requests?: UserRequests | undefined;
	/** Notified of, and asked before, moves to another session. */
	lifecycle?: SessionLifecycle | undefined;
	/** Derives the parts of a session that this one opens; absent where it may open none. */
	derive?: ((request: ChildRequest) => SessionParts) | undefined;
	/** A call of a tool in one line, for the progress of children. */
	describeCall?: ((name: string, args: Readonly<Record<string, unknown>>) => string) | undefined;
	/** What lives as long as the host, over all of its runs. */
	owns?: AsyncDisposable | undefined;
	/** Makes the features of a run; called again after each move. */
	features(context: RunContext): RunFeatures;
	/** Gets each answer and each call of a tool when it has ended, for statistics. */
	onUsage?: ((record: SessionUsage) => void) | undefined;
	onNotice(message: string): void;
}

/** What was used, by which session. */
export type SessionUsage = UsageRecord & {
	session: string;
	cwd: string;
	/** The type of agent that the session is. */
	agent?: string;
	/** A login paid: the cost is what the public price says. */
	isSubscription?: boolean;
};

/** An agent works for the project of its parent, also in a tree of its own. */
export function agentUsage(
	type: string = "agent",
	{ onUsage, log, cwd = log.getCwd() }: SessionParts,
): SessionParts["onUsage"] {
	return onUsage && ((record) => onUsage({ agent: type, ...record, cwd }));
}

/** What the features of a run may use. */
export interface RunContext {
	readonly host: SessionHost;
	readonly cwd: string;
	readonly log: SessionManager;
	readonly requests: UserRequests;
	/** Whether there is a conversation to continue. */
	readonly isResumed: boolean;
	/** The session that is being created; available once all features exist. */
	session(): AgentSession;
	/** What a request to the model is sent with. */
	credentials(model: Model): Promise<Access>;
}

/** Background jobs. */
export interface BackgroundJobs {
	/** Moves the awaited commands to the background; returns the ids of the jobs. */
	background(): string[];
	/** How long the oldest awaited command has been running, in ms; undefined if none can be moved. */
	awaitedMs(): number | undefined;
	/** How many are running. */
	running(): number;
}

/** A command that has to pass before the model stops. */
export interface SessionGoal {
	readonly check: string;
	/** How often it has failed. */
	readonly attempts: number;
	readonly maxAttempts: number;
}

/** What a session does besides answering. */
export interface SessionWork {
	readonly jobs: BackgroundJobs;
	/** Whether tools hold what the log does not have: an interpreter, a debugged program, a browser. */
	readonly holdsState: boolean;
	readonly goal: SessionGoal | undefined;
	/** Undefined ends the goal. It is checked whenever the model stops. */
	setGoal(check: string | undefined): void;
	/** The todo list, closed tasks included. */
	readonly todos: readonly TodoPhase[];
	/** Replaces the list for the user; the model reads of it with the next prompt. Rejects while the model works. */
	setTodos(phases: readonly TodoPhase[]): Promise<readonly TodoPhase[]>;
	/** The machine that the tools work on, if it is not the one that the session runs on. */
	readonly machine?: MachineFacts | undefined;
	/** Asks an agent that has ended something more, in its own conversation. Rejects if there is no such agent. */
	askAgent(id: string, question: AgentQuestion): Promise<AgentOutcome>;
}

export interface AgentQuestion {
	question: string;
	signal: AbortSignal;
	/** Called when it works. */
	onStart?(): void;
}

/** What a run gets in addition to every session's parts. */
export interface RunFeatures {
	/** The system prompt with these tools in use. */
	systemPrompt: string | PromptOfTools;
	/** One table of tools; an array where they never change. */
	tools: readonly AgentTool[] | SessionTools;
	/** Fills in the skills and templates that a prompt invokes. */
	expand?: ExpandPrompt | undefined;
	/** Attached before the session's own behaviors, among them, and after them. */
	behaviors: { first: readonly Behavior[]; middle: readonly Behavior[]; last: readonly Behavior[] };
	/** Resources with the lifetime of the run, such as the shell of its tools. */
	owns: AsyncDisposable;
	/** The shell of the tools, for the user's own commands. */
	shell: Omit<UserShellParts, "record" | "emit">;
	work: SessionWork;
	/** Keeps what the tools change in files; absent where nothing can be restored. */
	recorder?: FileRecorder | undefined;
	/** What past sessions taught; absent in a session of an agent. */
	memory?: SessionMemory | undefined;
	/** Called when the session exists. */
	bind?(session: AgentSession): void;
}

/** Where a session moves to, as extensions are asked about it. */
export type LeaveRequest =
	| { to: "new" }
	| { to: "resume"; targetSessionFile: string }
	| { to: "fork"; entryId: string; position: "before" | "at" };

/** Why a session is left. */
export interface LeaveReason {
	reason: "new" | "resume" | "fork" | "reload";
	targetSessionFile?: string;
}

/** The events that extensions get, and may cancel, when a session moves. */
export interface SessionLifecycle extends AsyncDisposable {
	/** Whether the session may be left; `keep`: yes, with the whole conversation, where a fork would rewind it. */
	confirmLeave(request: LeaveRequest): Promise<boolean | "keep">;
	sessionEnding(reason: LeaveReason): Promise<void>;
	/** The next session exists, and every client is subscribed to it. */
	sessionStarted(reason: LeaveReason["reason"], previousSessionFile?: string): Promise<void>;
}
