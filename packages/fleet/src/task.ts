/** A task of the fleet: what is wanted, how far it is, and what it has left. */
import { oneLine, UsageError } from "@tau/utils";

import { limits } from "./limits.ts";

/** When a tool may run without a question: the modes of a session. */
export const policies = ["ask", "auto", "full"] as const;
export type Policy = (typeof policies)[number];

export interface TaskAgent {
	readonly name: string;
	readonly prompt: string;
	/** Flags of the session: tools, thinking level. */
	readonly argv: readonly string[];
	readonly model?: string | undefined;
}

/** What is wanted. It does not change after `add`. */
export interface TaskSpec {
	readonly prompt: string;
	/** An absolute path or an address of git's; empty where the bundle has everything. */
	readonly repo: string;
	/** As the user named it. */
	readonly ref: string;
	/** The commit that `ref` was when the task was added. */
	readonly commit: string;
	readonly model?: string;
	/** US dollars */
	readonly budget?: number;
	readonly policy: Policy;
	/** As which agent it works: what its file said when the task was added, because workers may not have it. */
	readonly agent?: TaskAgent;
	/** Whether the extensions and hooks of the repository may run. */
	readonly isTrusted?: boolean;
	/** Only workers that have all of them take it. */
	readonly labels: readonly string[];
	/** Higher first. */
	readonly priority: number;
	/** Ids of tasks that have to be done before. */
	readonly after: readonly string[];
	/** How often it is tried when it fails. */
	readonly tries: number;
}

/** `running` includes waiting for an answer; `parked` is waiting without a worker. */
export const taskStates = ["queued", "running", "parked", "done", "failed", "stopped"] as const;
export type TaskState = (typeof taskStates)[number];

/** A question of the session, as `tau task answer` shows it. */
export interface TaskQuestion {
	readonly id: string;
	readonly text: string;
	/** What may be answered; empty where it is free text. */
	readonly choices: readonly string[];
	/** The same for the same question of a resumed session, which has another id. */
	readonly key: string;
}

/** What a worker says of a task that it works on. */
export interface Progress {
	readonly sessionId?: string;
	/** The link of the room, for machines that cannot reach the session's socket. */
	readonly room?: string;
	/** The last thing that it did. */
	readonly last?: string;
	/** US dollars, of all its sessions. */
	readonly cost: number;
	/** What of it belongs to sessions before the one that is in the log: those that had to start anew. */
	readonly earlierCost?: number;
	/** The last lease before `tau task retry`: a branch of that one is no result of this try. */
	readonly retriedAfter?: number;
	readonly questions: readonly TaskQuestion[];
	/** What the user has to know: that it has started anew, and why. */
	readonly note?: string;
}

export interface TaskResult {
	/** Absent where nothing was changed. */
	readonly branch?: string;
	readonly commit?: string;
	/** The last answer of the model. */
	readonly summary: string;
	/** The branch is in the store, and not in the repository. */
	readonly isBundled?: true;
}

export interface Task {
	readonly id: string;
	readonly spec: TaskSpec;
	readonly state: TaskState;
	/** The number of its last lease: 0 before the first. */
	readonly lease: number;
	readonly worker?: string;
	/** How often it has failed, and how often its worker was lost. */
	readonly failures: number;
	readonly losses: number;
	/** Milliseconds since 1970, as all times here. It is not taken before. */
	readonly runAt: number;
	readonly createdAt: number;
	readonly startedAt?: number;
	readonly endedAt?: number;
	readonly progress: Progress;
	readonly result?: TaskResult;
	/** Why it has failed, or was put back. */
	readonly problem?: string;
}

/** From the user to a session; it waits while no worker has the task. */
export type TaskMessage =
	| { readonly kind: "steer"; readonly text: string }
	| { readonly kind: "answer"; readonly question: string; readonly key: string; readonly text: string };

/** A line of the session log that a worker has sent. */
export interface LogLine {
	/** Counts from 1. */
	readonly seq: number;
	readonly lease: number;
	readonly line: string;
}

/** A name of a commit that git takes for nothing else: no option, and no ref. */
export function isCommit(text: string): boolean {
	return /^(?:[\da-f]{40}|[\da-f]{64})$/.test(text);
}

/**
 * Labels as flags give them, with commas between them. Throws a `UsageError`: a label is part of the name of a queue, and
 * one that a worker cannot have would never be taken.
 */
export function readLabels(flag: string, texts: readonly string[]): string[] {
	const labels = [...new Set(texts.flatMap((text) => text.split(",")).map((label) => label.trim()))];
	const wrong = labels.find((label) => !/^[\w.-]{1,64}$/.test(label));
	if (wrong !== undefined)
		throw new UsageError(
			`${flag} "${oneLine(wrong, limits.shownChars)}": a label has letters, digits, ".", "_" and "-", 64 at most.`,
		);
	if (labels.length > limits.labels) throw new UsageError(`${flag}: at most ${limits.labels} labels.`);
	return labels.toSorted();
}

export function isOver({ state }: Pick<Task, "state">): boolean {
	return state === "done" || state === "failed" || state === "stopped";
}

/** In dollars, for its next session: each counts only what it spends itself. */
export function budgetLeft({ spec: { budget }, progress: { cost } }: Task): number | undefined {
	// Never nothing, which a gateway would take for no bound.
	return budget === undefined ? undefined : Math.max(budget - cost, 0.0001);
}

export function branchOf(id: string, lease: number): string {
	return `tau/${id}-${lease}`;
}
