/** The lines of a session file, version 3 of the format that pi and omp share. */
import type { AgentMessage, CarriedFact } from "@tau/agent";
import type { ImageContent, TextContent, Usage } from "@tau/ai";

export const sessionVersion = 3;

/** The first line. Fields that other programs put there are preserved. */
export interface SessionHeader {
	type: "session";
	/** Missing in version 1. */
	version?: number;
	id: string;
	timestamp: string;
	cwd: string;
	/** The file (pi, Tau) or the id (omp) of the session that this one was made from. */
	parentSession?: string;
	/** omp's name for the session. */
	title?: string;
	importedFrom?: ImportOrigin;
}

/** The session of another program that this one was made from. */
export interface ImportOrigin {
	program: string;
	file: string;
	/** SHA-256 of the lines below the header as they were written: it shows whether the session was continued since. */
	digest: string;
}

/** Keys are in this order on disk, so that an index can be built without parsing the rest of the line. */
export interface EntryHead {
	type: string;
	id: string;
	parentId: string | null;
	timestamp: string;
}

interface Entry<T extends string> extends EntryHead {
	type: T;
}

export interface SessionMessageEntry extends Entry<"message"> {
	message: AgentMessage;
}

export interface ThinkingLevelChangeEntry extends Entry<"thinking_level_change"> {
	thinkingLevel: string;
	/** omp: the level that the user chose, if that was `auto`. */
	configured?: string;
}

/** omp writes `model: "provider/id"`; readers see provider and modelId either way. */
export interface ModelChangeEntry extends Entry<"model_change"> {
	provider: string;
	modelId: string;
	/** omp: the role that changes its model; without it, `default`. */
	role?: string;
}

/** Usage outside the conversation, such as a title; models never see it. */
export interface UsageEntry extends Entry<"usage"> {
	kind: string;
	provider: string;
	model: string;
	usage: Usage;
	note?: string;
}

export interface ServiceTierChangeEntry extends Entry<"service_tier_change"> {
	serviceTier: Record<string, string> | string | null;
}

/** What a compaction carries over word for word: it does not depend on what a model writes into the summary. */
export interface CarriedOver {
	/** The user's messages before the kept part, oldest first. */
	messages: CarriedMessage[];
	/** Messages older than those, which are only counted. */
	omitted?: number;
	facts?: CarriedFact[];
	/** Results of tools that left the context, oldest first. */
	results?: CarriedResult[];
	/** Results older than those. */
	omittedResults?: number;
}

export interface CarriedResult {
	/** The entry of the result. */
	id: string;
	/** The call, and the size of the result. */
	about: string;
}

export interface CarriedMessage {
	/** The entry of the message. */
	id: string;
	/** All of it, or as much as there was room for. */
	text: string;
	/** True if `text` is only a part. */
	cut?: boolean;
}

export interface CompactionEntry<T = unknown> extends Entry<"compaction"> {
	summary: string;
	shortSummary?: string;
	firstKeptEntryId: string;
	tokensBefore: number;
	details?: T;
	preserveData?: Record<string, unknown>;
	carried?: CarriedOver;
	/** The user has undone the compactions before it: it has no summary and keeps all messages. */
	undone?: boolean;
	/** pi's name for what omp calls `fromExtension`. */
	fromHook?: boolean;
	fromExtension?: boolean;
	/** What an extension paid for the summary, as in pi; provider and model are Tau's. */
	usage?: Usage;
	provider?: string;
	model?: string;
}

export interface BranchSummaryEntry<T = unknown> extends Entry<"branch_summary"> {
	/** Where the new branch starts, or `root`. */
	fromId: string;
	summary: string;
	details?: T;
	fromHook?: boolean;
	fromExtension?: boolean;
}

/** omp's `/clear`: the model sees nothing before it. */
export type ResetBoundaryEntry = Entry<"reset_boundary">;

/** State of an extension; models never see it. */
export interface CustomEntry<T = unknown> extends Entry<"custom"> {
	customType: string;
	data?: T;
}

/** A message of an extension, which models do see. */
export interface CustomMessageEntry<T = unknown> extends Entry<"custom_message"> {
	customType: string;
	content: string | (TextContent | ImageContent)[];
	display: boolean;
	details?: T;
	attribution?: string;
}

export interface LabelEntry extends Entry<"label"> {
	targetId: string;
	/** If absent, the label of the target is removed. */
	label?: string;
}

export interface SessionInfoEntry extends Entry<"session_info"> {
	name?: string;
}

/** omp's way to rename a session. */
export interface TitleChangeEntry extends Entry<"title_change"> {
	title: string;
	previousTitle?: string;
	source?: string;
	trigger?: string;
}

export interface TtsrInjectionEntry extends Entry<"ttsr_injection"> {
	injectedRules: string[];
}

export interface CredentialPinEntry extends Entry<"credential_pin"> {
	provider: string;
}

/** What a subagent was started with. */
export interface SessionInitEntry extends Entry<"session_init"> {
	systemPrompt: string;
	task: string;
	tools: string[];
	outputSchema?: unknown;
	/** The type of agent that it is. */
	agent?: string;
	/** The types of agents that it may open; absent if none. */
	spawns?: readonly string[] | "*";
	/** It may only read. */
	readOnly?: boolean;
	/** The kind of tree that it worked in. */
	isolation?: string;
}

export interface ModeChangeEntry extends Entry<"mode_change"> {
	mode: string;
	data?: Record<string, unknown>;
}

/** pi's: replaces the content of an earlier entry for the model from here on; null omits it. The entry itself stays. */
export interface ContextEditEntry extends Entry<"context_edit"> {
	targetId: string;
	replacement: { content: string | { type: string }[] } | null;
	/** The parts that the user has dropped from the context; empty when all of them are back. Tau's own. */
	dropped?: string[];
	/** What that saves, compared with what the provider has counted last; negative if something is back. */
	saved?: number;
}

/** The result of reading. Entries of other types occur too, unchanged: narrow by `type` first. */
export type SessionEntry =
	| SessionMessageEntry
	| ThinkingLevelChangeEntry
	| ModelChangeEntry
	| UsageEntry
	| ServiceTierChangeEntry
	| CompactionEntry
	| BranchSummaryEntry
	| ResetBoundaryEntry
	| CustomEntry
	| CustomMessageEntry
	| LabelEntry
	| SessionInfoEntry
	| TitleChangeEntry
	| TtsrInjectionEntry
	| CredentialPinEntry
	| SessionInitEntry
	| ModeChangeEntry
	| ContextEditEntry;

/** An entry before it has its position in the tree. */
export type EntryFields<E extends SessionEntry = SessionEntry> = E extends SessionEntry
	? Omit<E, Exclude<keyof EntryHead, "type">>
	: never;
