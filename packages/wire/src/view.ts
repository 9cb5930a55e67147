/** The state of a session as every client draws it: facts, the tail of the branch, and what is being made right now. */
import type { ChildInfo, PublicModel } from "./commands.ts";
import type { Cursor } from "./frames.ts";
import type { EventFrameOf } from "./events.ts";
import type { WireAnswer } from "./messages.ts";
import type { UserRequest } from "./requests.ts";
import type {
	ApprovalMode,
	Boundary,
	ClientInfo,
	MachineFacts,
	Phase,
	ThinkingLevel,
	TodoPhase,
} from "./session-shapes.ts";

/** A line of the session file; docs/session-format.md has the fields of each type. */
export interface Entry {
	readonly type: string;
	readonly id: string;
	readonly parentId: string | null;
	readonly timestamp: string;
	readonly [field: string]: unknown;
}

/** The kind of `custom` entries that are comments; their data has `on`, `text` and `by`. */
export const commentType = "comment";

/** An agent of the session; its age is counted by who shows it. */
export type AgentFacts = Readonly<Omit<ChildInfo, "elapsedMs">> & {
	/** Milliseconds since 1970. */
	readonly startedAt: number;
	readonly endedAt?: number;
};

/** What a session is now. Each member is replaced as a whole when it changes. */
export interface SessionFacts {
	readonly session: {
		readonly id: string;
		readonly file?: string;
		readonly name?: string;
		readonly cwd: string;
		readonly isTrusted: boolean;
	};
	readonly phase: Phase;
	readonly isCompacting: boolean;
	readonly model: PublicModel;
	readonly thinkingLevel: ThinkingLevel;
	readonly approvals: { readonly mode: ApprovalMode; readonly boundary: Boundary } | null;
	readonly queue: { readonly steering: readonly string[]; readonly followUp: readonly string[] };
	readonly queueModes: { readonly steering: string; readonly followUp: string };
	/** All branches and side requests; cost in US dollars. Null until a long session has been counted. */
	readonly usage: {
		readonly input: number;
		readonly output: number;
		readonly cacheRead: number;
		readonly cacheWrite: number;
		readonly cost: number;
	} | null;
	readonly context: {
		readonly tokens: number;
		readonly contextWindow: number;
		readonly percent: number;
		readonly exact: boolean;
	};
	readonly goal: { readonly check: string; readonly attempts: number; readonly maxAttempts: number } | null;
	readonly todos: readonly TodoPhase[];
	/** The machine that the tools work on; null is the one that the session runs on. */
	readonly machine: MachineFacts | null;
	readonly agents: readonly AgentFacts[];
	/** The names of tools that the user has switched off. */
	readonly hiddenTools: readonly string[];
}

export interface RunningCall {
	readonly toolCallId: string;
	readonly toolName: string;
	readonly parentToolCallId?: string;
	readonly args: Readonly<Record<string, unknown>>;
	/** Its output so far, as `tool_execution_update` carries it. */
	readonly partialResult?: unknown;
	/** It waits for an approval. */
	readonly isWaiting?: true;
}

/** A command or a cell of the user. */
export interface RunningCommand {
	readonly id: string;
	readonly command: string;
	readonly language?: "python" | "js";
	readonly isPrivate: boolean;
	readonly output: string;
	/** Who runs it, if not the owner. */
	readonly by?: string;
}

export interface Notice {
	readonly level: "info" | "warning";
	readonly message: string;
	/** The client whose doing it is: it is not told. */
	readonly by?: string;
	/** The limit of the user that has ended a run, for those who join after it. */
	readonly limit?: EventFrameOf<"budget_exhausted">["limit"];
}

/** What is being made: host and replica derive it from the same events with the same code. */
export interface LiveState {
	/** The answer as far as it has come; the arguments of a call are empty until they are complete. */
	readonly answer: WireAnswer | null;
	/** The JSON of arguments that are being written, by their position in the answer. */
	readonly openArguments: Readonly<Record<number, string>>;
	readonly calls: readonly RunningCall[];
	readonly commands: readonly RunningCommand[];
	readonly requests: readonly UserRequest[];
	readonly notices: readonly Notice[];
	/** The next try of a request that failed, while it is waited for. */
	readonly retry: EventFrameOf<"auto_retry_start"> | null;
	/** Background commands that run. */
	readonly jobs: readonly EventFrameOf<"job_update">[];
	/** Servers of confined commands that can be reached. */
	readonly ports: readonly EventFrameOf<"port_update">[];
	/** Programs that are being debugged. */
	readonly debugged: readonly EventFrameOf<"debug_update">[];
	/** MCP servers. */
	readonly servers: EventFrameOf<"mcp_servers_change">["servers"];
	/** Language servers that were started. */
	readonly languageServers: EventFrameOf<"lsp_servers_change">["servers"];
	/** What the sandbox has denied in this session. */
	readonly denied: number;
}

/** The end of the branch that ends with `leafId`. */
export interface EntryTail {
	readonly leafId: string | null;
	readonly entries: readonly Entry[];
	/** How many entries of the branch are not here; `get_entries` with `before` has them. */
	readonly earlier: number;
}

export interface SessionSnapshot {
	readonly cursor: Cursor;
	readonly facts: SessionFacts;
	readonly tail: EntryTail;
	readonly live: LiveState;
	readonly clients: readonly ClientInfo[];
}

/** What a client draws from. */
export interface SessionView {
	readonly facts: SessionFacts;
	readonly tail: EntryTail;
	readonly live: LiveState;
	readonly clients: readonly ClientInfo[];
}
