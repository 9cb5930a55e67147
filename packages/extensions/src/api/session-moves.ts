/** The events about a session as a whole: it starts, moves, is compacted, ends. */
import type { AgentMessage, CompactionPreparation } from "@tau/agent";
import type { SessionEntry } from "@tau/log";
import type { CompactionSettings } from "@tau/session";

export interface SessionStartEvent {
	type: "session_start";
	reason: "startup" | "reload" | "new" | "resume" | "fork";
	/** The session that was left. */
	previousSessionFile?: string;
}

export interface SessionBeforeSwitchEvent {
	type: "session_before_switch";
	reason: "new" | "resume";
	targetSessionFile?: string;
}

export interface SessionBeforeForkEvent {
	type: "session_before_fork";
	entryId: string;
	position: "before" | "at";
}

/** omp's names for what came before `session_start` had a reason. */
export interface SessionSwitchEvent {
	type: "session_switch";
	reason: "new" | "resume";
	previousSessionFile: string | undefined;
}

export interface SessionForkEvent {
	type: "session_fork" | "session_branch";
	previousSessionFile: string | undefined;
}

export interface SessionShutdownEvent {
	type: "session_shutdown";
	reason: "quit" | "reload" | "new" | "resume" | "fork";
	targetSessionFile?: string;
}

export interface SessionBeforeCompactEvent extends CompactionCause {
	type: "session_before_compact";
	preparation: CompactionPreparation & { tokensBefore: number; settings: CompactionSettings };
	branchEntries: SessionEntry[];
	customInstructions?: string;
	signal: AbortSignal;
}

/** The reason for the compaction, and whether the model is called again afterwards without a new prompt. */
export interface CompactionCause {
	reason: "manual" | "threshold" | "overflow" | "incomplete" | "idle";
	willRetry: boolean;
}

/** omp's: the prompt for the summary. */
export interface SessionCompactingEvent {
	type: "session.compacting";
	sessionId: string;
	messages: AgentMessage[];
}

export interface SessionCompactEvent extends CompactionCause {
	type: "session_compact";
	compactionEntry: SessionEntry;
	/** Whether an extension wrote the summary. */
	fromExtension: boolean;
}

/** It was aborted or failed: nothing has changed. */
export interface SessionCompactFailedEvent extends CompactionCause {
	type: "session_compact_failed";
	errorMessage?: string;
	aborted: boolean;
	fromExtension: boolean;
}

export interface TreePreparation {
	targetId: string;
	oldLeafId: string | null;
	commonAncestorId: string | null;
	entriesToSummarize: SessionEntry[];
	userWantsSummary: boolean;
	customInstructions?: string;
	replaceInstructions?: boolean;
	label?: string;
}

export interface SessionBeforeTreeEvent {
	type: "session_before_tree";
	preparation: TreePreparation;
	signal: AbortSignal;
}

export interface SessionTreeEvent {
	type: "session_tree";
	newLeafId: string | null;
	oldLeafId: string | null;
	summaryEntry?: SessionEntry;
	fromExtension?: boolean;
}
