/** The gates between a tool call and its run: rewriters, judges, and result changes. */
import type { AgentTool, AgentToolResult } from "./types.ts";

/** What a tool may do to the machine. */
export type ToolApproval = "read" | "write" | "exec";

/** One thing that a call would read, change or run. Paths and directories are absolute. */
export type Touch =
	/** With `tree`, the path and everything below it. */
	| { readonly kind: "read" | "write" | "delete"; readonly path: string; readonly tree?: true }
	| {
			readonly kind: "exec";
			readonly command: string;
			readonly cwd: string;
			/** Variables that are set for the command: they can decide what it runs. */
			readonly env?: Readonly<Record<string, string>>;
			/** Where its shell looks for programs, if that is not what Tau itself has. */
			readonly searchPath?: readonly string[] | undefined;
			/** The text is typed into a running program: it is no command of a shell, even if it looks like one. */
			readonly isTyped?: true;
			/** It runs beside later calls. */
			readonly isBackground?: true;
			/** It runs on this other machine: no boundary of this one contains it. */
			readonly machine?: string;
			/** The text is a program in this language: it is no command of a shell, even if it looks like one. */
			readonly language?: string;
	  }
	/** `isOwn`: a server that a command of this session has started, reached from within the same sandbox. */
	| { readonly kind: "fetch"; readonly url: string; readonly isOwn?: true };

/**
 * The files that a call was judged by. Its machine opens nothing else: a link that is changed after the judgment leads
 * the call nowhere. Paths are absolute; a real path has no links.
 */
export interface JudgedPaths {
	/** The real path that a path was judged as, or is below; undefined for one that the call did not name. */
	realPath(path: string): string | undefined;
	/** Whether the call may read or change what is at this real path. Asked right before each use. */
	allows(kind: "read" | "write", real: string): boolean;
	/** Whether the call may work with this state of a file: false if the user has approved a change of another one. */
	accepts(real: string, stamp: string | undefined): boolean;
	/** The call itself has changed the file. */
	changed(real: string): void;
	/** The call has started a command, which may go on when the call has ended. */
	runs?(ended: Promise<unknown>): void;
	/** The call has ended, or will not run although the gate has allowed it. */
	ended?(): void;
}

/** A call whose arguments the tool has accepted. They are a frozen copy: a rewriter returns new ones. */
export interface CheckedCall {
	readonly id: string;
	readonly name: string;
	readonly tool: AgentTool;
	readonly arguments: Readonly<Record<string, unknown>>;
}

/** A call that will not change any more: these arguments are announced, judged, run and logged. */
export interface FrozenCall extends CheckedCall {
	/** What the call would touch, as the tool says. */
	readonly touches: readonly Touch[];
	/** The names of the gates that rewrote the arguments, in order; empty when they are the model's own. */
	readonly rewrittenBy: readonly string[];
	/** True for a gate whose `rewrite` saw other arguments than these: another gate rewrote them afterwards. */
	readonly changedSince: boolean;
	/** Why an earlier gate denied the call. A judge that would have to ask the user need not do so then. */
	readonly denied?: string;
	/** Why earlier gates want the user to decide. The gate that can ask the user answers with `asked`. */
	readonly askFor?: readonly string[];
	/** The earlier gate that has allowed the call, so that the user need not be asked. */
	readonly allowedBy?: string;
	/** The files that the verdict was based on, for code that changes the result. */
	readonly within?: JudgedPaths;
}

/** New arguments, or a denial that is known already: the remaining rewriters are not asked then. */
export interface Rewrite {
	readonly arguments?: Record<string, unknown>;
	readonly deny?: string;
}

export type Verdict =
	| {
			readonly allow: true;
			/** The files that were judged: the call reaches no others. */
			readonly within?: JudgedPaths;
			/** The user need not be asked about the call. It overrides no denial of another gate. */
			readonly unasked?: true;
			/** The user was asked, for all gates that wanted it. */
			readonly asked?: true;
			/** The user has changed these arguments and wants the call to run with them: every gate judges it anew. */
			readonly amended?: Record<string, unknown>;
	  }
	/** The user is to decide. Without a gate that can ask, the call is denied. */
	| { readonly allow: "ask"; readonly reason: string }
	| {
			readonly allow: false;
			/** For the model. */
			readonly reason: string;
			/** For the user, where that is shorter. */
			readonly shown?: string;
	  };

/** What all gates together decide. */
export type Decision = Exclude<Verdict, { readonly allow: "ask" }>;

type Answer<T> = T | Promise<T>;

/**
 * A check of tool calls. For each call, every gate may rewrite the arguments (validated again after each), then the call
 * is announced, then every gate is asked for its verdict (one denial is enough), then the call runs, then every gate may
 * change the result. A gate that throws or takes too long before the run denies the call; after the run it changes nothing.
 */
export interface ToolGate {
	/** Named in errors and in the log. */
	readonly name: string;
	/** How long `rewrite` and `judge` may take, each. `Infinity` for a gate with a time limit of its own. */
	readonly deadlineMs?: number;
	rewrite?(call: CheckedCall, signal: AbortSignal): Answer<Rewrite | undefined>;
	/** Nothing means that the gate has no objection. */
	judge?(call: FrozenCall, signal: AbortSignal): Answer<Verdict | undefined>;
	change?(
		call: FrozenCall,
		result: AgentToolResult,
		signal: AbortSignal,
	): Answer<AgentToolResult | undefined>;
}
