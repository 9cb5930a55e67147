/** The state of a session as every client draws it: facts, the tail of the branch, and what is being made right now. */
import type { ChildInfo, PublicModel } from "./commands.ts";
import type { ClientInfo, Cursor } from "./frames.ts";
import type { WireAnswer } from "./messages.ts";
import type { UserRequest } from "./requests.ts";
import type { ApprovalMode, Boundary, Phase, ThinkingLevel, TodoPhase } from "./session-shapes.ts";

/** A line of the session file; docs/session-format.md has the fields of each type. */
export interface Entry {
	readonly type: string;
	readonly id: string;
	readonly parentId: string | null;
	readonly timestamp: string;
	readonly [field: string]: unknown;
}

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
	/** All branches and side requests; cost in US dollars. */
	readonly usage: {
		readonly input: number;
		readonly output: number;
		readonly cacheRead: number;
		readonly cacheWrite: number;
		readonly cost: number;
	};
	readonly context: {
		readonly tokens: number;
		readonly contextWindow: number;
		readonly percent: number;
		readonly exact: boolean;
	};
	readonly goal: { readonly check: string; readonly attempts: number; readonly maxAttempts: number } | null;
	readonly todos: readonly TodoPhase[];
	/** Background commands that run. */
	readonly jobs: readonly { readonly id: string; readonly label: string }[];
	readonly agents: readonly ChildInfo[];
	readonly ports: readonly { readonly port: number; readonly address: string; readonly label: string }[];
	readonly servers: readonly { readonly name: string; readonly state: string; readonly tools: number }[];
	/** The names of tools that the user has switched off. */
	readonly hiddenTools: readonly string[];
	/** Where it works, if that is not this machine. */
	readonly machine: string | null;
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
}

/** What is being made: host and replica derive it from the same events with the same code. */
export interface LiveState {
	/** The answer as far as it has come. */
	readonly answer: WireAnswer | null;
	readonly calls: readonly RunningCall[];
	readonly commands: readonly RunningCommand[];
	readonly requests: readonly UserRequest[];
	readonly notices: readonly Notice[];
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
