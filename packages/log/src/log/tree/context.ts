/** Converts a path through the tree to the context of a model, or to the transcript that a user reads. */
import { estimateTokens, type AgentMessage } from "@tau/agent";
import type { Elided } from "@tau/ai";
import { isRecord } from "@tau/utils";

import type {
	CompactionEntry,
	ContextEditEntry,
	CustomMessageEntry,
	EntryHead,
	SessionEntry,
} from "./entry.ts";
import { branchSummaryMessage, compactionSummaryMessage, customMessage, isUndone } from "./messages.ts";
import { sanitizeMessage } from "./sanitize-message.ts";

export interface SessionContext {
	/** Read from the log on first use. */
	readonly messages: AgentMessage[];
	thinkingLevel: string;
	model: { provider: string; modelId: string } | null;
	/** `provider/id` for each model role that was set; the one of `default` is `model`. */
	models: Record<string, string>;
	injectedTtsrRules: string[];
	mode: string;
	modeData?: Record<string, unknown>;
}

export interface ContextOptions {
	/** All messages, with each compaction where it happened, instead of only those that the model still sees. */
	transcript?: boolean;
}

/** A path from the root to a leaf. Only the bodies that matter are read. */
export interface Path {
	heads: readonly EntryHead[];
	entry(index: number): SessionEntry;
	/** Returns false if the line of the entry contains none of these texts. */
	mayHold?(index: number, texts: readonly Buffer[]): boolean;
}

export function buildContext(path: Path, { transcript = false }: ContextOptions = {}): SessionContext {
	let messages: AgentMessage[] | undefined;
	const models = modelsOf(path);
	const { mode = "none", data } = lastOf(path, "mode_change") ?? {};
	return {
		get messages() {
			messages ??= transcript ? wholeTranscript(path) : [...contextMessages(path)];
			return messages;
		},
		thinkingLevel: lastOf(path, "thinking_level_change")?.thinkingLevel ?? "off",
		model: splitModel(models.default) ?? answeringModel(path),
		models,
		injectedTtsrRules: rulesOf(path),
		mode,
		...(data ? { modeData: data } : {}),
	};
}

function wholeTranscript({ heads, entry }: Path): AgentMessage[] {
	return heads.flatMap((head, index) => {
		if (!isSpoken(head)) return [];
		const at = entry(index);
		return at.type === "compaction" ? [compactionSummaryMessage(at)] : messageOf(at);
	});
}

/** The positions of the context's messages on the path. */
export interface ContextSpan {
	/** The last compaction, whose summary comes first. */
	compaction: CompactionEntry | undefined;
	/** The entries that the model still sees, in their order. */
	indices: readonly number[];
}

/** Includes nothing before the last reset; then the last summary, the retained entries, and everything after it. */
export function contextSpan(path: Path): ContextSpan {
	const { heads, entry } = path;
	const start = lastReset(path);
	const compacted = heads.findLastIndex(({ type }) => type === "compaction");
	const last = compacted < start ? undefined : entry(compacted);
	const compaction = last?.type === "compaction" ? last : undefined;
	const kept = compaction ? heads.findIndex(({ id }) => id === compaction.firstKeptEntryId) : start;
	const from = kept === -1 ? compacted : Math.max(kept, start);
	const indices = spokenSince(path, from).filter((index) => !(compaction && index === compacted));
	return { compaction, indices };
}

/** Where the conversation starts: after the last reset, if there was one. */
export function lastReset({ heads }: Path): number {
	return heads.findLastIndex(({ type }) => type === "reset_boundary") + 1;
}

/** The positions of messages and summaries from this one on. */
export function spokenSince({ heads }: Path, from: number): number[] {
	const indices: number[] = [];
	for (let index = from; index < heads.length; index++) {
		const head = heads[index];
		if (head && isSpoken(head)) indices.push(index);
	}
	return indices;
}

/** Returns what the model sees, from the oldest message on. */
export function* contextMessages(path: Path): Generator<AgentMessage> {
	const { compaction, indices } = contextSpan(path);
	if (compaction && !isUndone(compaction)) yield compactionSummaryMessage(compaction);
	const edits = editsOn(path);
	let back = compaction && isUndone(compaction) ? broughtBack(path, compaction) : undefined;
	for (const index of indices)
		for (const message of messageOf(path.entry(index), edits.get(path.heads[index]?.id ?? ""))) {
			if (!back || "elided" in message || message.role === "compactionSummary") yield message;
			else {
				yield { ...message, elided: back };
				back = undefined;
			}
		}
}

/** What an undone compaction brings back: answers between the two have not counted it. */
function broughtBack(path: Path, undone: CompactionEntry): Elided | undefined {
	const { heads } = path;
	const until = heads.findIndex(({ id }) => id === undone.id);
	const from = heads.slice(0, until).findLastIndex(({ type }) => type === "compaction");
	const compaction = from < 0 ? undefined : path.entry(from);
	if (compaction?.type !== "compaction") return undefined;
	const between = spokenSince(path, from).filter((index) => index < until);
	const hasAnswer = between
		.flatMap((index) => messageOf(path.entry(index)))
		.some(({ role }) => role === "assistant");
	if (!hasAnswer) return undefined;
	const kept = heads.findIndex(({ id }) => id === compaction.firstKeptEntryId);
	const tokens = spokenSince(path, lastReset(path))
		.filter((index) => index < kept)
		.flatMap((index) => messageOf(path.entry(index)))
		.reduce(
			(sum, message) => sum + contextTokens(message),
			-contextTokens(compactionSummaryMessage(compaction)),
		);
	return tokens > 0 ? { tokens: -tokens, at: Date.parse(undone.timestamp) || 0 } : undefined;
}

function isSpoken({ type }: EntryHead): boolean {
	return (
		type === "message" || type === "custom_message" || type === "branch_summary" || type === "compaction"
	);
}

/** The edits that later entries of the path make to earlier ones; of several, the last is used. */
export function editsOn(path: Path): ReadonlyMap<string, ContextEditEntry> {
	return new Map([...allOf(path, "context_edit")].map((edit) => [edit.targetId, edit]));
}

/** Earlier compactions have no effect here: the last one includes them. */
export function messageOf(entry: SessionEntry, edit?: ContextEditEntry): AgentMessage[] {
	if (edit?.replacement === null) return [];
	if (edit && isRecord(edit.replacement)) {
		const isBack = edit.dropped?.length === 0;
		return messageOf(isBack ? entry : edited(entry, edit)).map(counted(entry, edit));
	}
	switch (entry.type) {
		case "message": {
			const message = sanitizeMessage(entry.message);
			return message ? [message] : [];
		}
		case "custom_message":
			return [customMessage(entry)];
		case "branch_summary":
			return entry.summary ? [branchSummaryMessage(entry)] : [];
		default:
			return [];
	}
}

/** Replaces only the content of a message; its other fields stay. */
function edited(entry: SessionEntry, { replacement, dropped }: ContextEditEntry): SessionEntry {
	// The content of a file may be anything: the code that builds a message from it checks the shape.
	const content = replacement?.content as CustomMessageEntry["content"];
	if (entry.type === "custom_message") return { ...entry, content };
	if (entry.type === "branch_summary" && typeof content === "string") return { ...entry, summary: content };
	if (entry.type !== "message" || !isRecord(entry.message)) return entry;
	const { role } = entry.message;
	// A command of the user has no content that could be replaced.
	if (role === "bashExecution" || role === "pythonExecution")
		return dropped ? { ...entry, message: { ...entry.message, excludeFromContext: true } } : entry;
	return { ...entry, message: { ...entry.message, content } as AgentMessage };
}

/** A message that was replaced says how much that saves: answers before it have counted the whole. */
function counted(
	entry: SessionEntry,
	{ timestamp, dropped, saved }: ContextEditEntry,
): (message: AgentMessage) => AgentMessage {
	const at = Date.parse(timestamp) || 0;
	return (message) => {
		const [whole] = messageOf(entry);
		if (!whole || message.role === "compactionSummary") return message;
		const tokens = saved ?? Math.max(0, contextTokens(whole) - contextTokens(message));
		const isBack = dropped?.length === 0;
		if (isBack && tokens === 0) return message;
		return { ...message, elided: { tokens, at, ...(dropped && !isBack ? { byUser: true } : {}) } };
	};
}

/** What a message takes of the context, by estimate. */
export function contextTokens(message: AgentMessage): number {
	return "excludeFromContext" in message && message.excludeFromContext ? 0 : estimateTokens(message);
}

type OfType<T extends SessionEntry["type"]> = Extract<SessionEntry, { type: T }>;

function lastOf<T extends SessionEntry["type"]>({ heads, entry }: Path, type: T): OfType<T> | undefined {
	const at = heads.findLastIndex((head) => head.type === type);
	const current = at === -1 ? undefined : entry(at);
	return current && isOfType(current, type) ? current : undefined;
}

function isOfType<T extends SessionEntry["type"]>(entry: SessionEntry, type: T): entry is OfType<T> {
	return entry.type === type;
}

function* allOf<T extends SessionEntry["type"]>({ heads, entry }: Path, type: T): Generator<OfType<T>> {
	// By index: `heads.entries()` makes an array of each head, 10 % of what the start of a long session leaves to collect.
	for (let index = 0; index < heads.length; index++) {
		const current = heads[index]?.type === type ? entry(index) : undefined;
		if (current && isOfType(current, type)) yield current;
	}
}

function modelsOf(path: Path): Record<string, string> {
	const models: Record<string, string> = {};
	for (const { provider, modelId, role } of allOf(path, "model_change")) {
		if (provider && modelId) models[role ?? "default"] = `${provider}/${modelId}`;
	}
	return models;
}

function splitModel(name: string | undefined): SessionContext["model"] {
	if (name === undefined) return null;
	const slash = name.indexOf("/");
	return { provider: name.slice(0, slash), modelId: name.slice(slash + 1) };
}

/** If no model was chosen, the one that answered last is the current one. */
function answeringModel({ heads, entry }: Path): SessionContext["model"] {
	for (let index = heads.length - 1; index >= 0; index--) {
		if (heads[index]?.type !== "message") continue;
		const at = entry(index);
		if (at.type !== "message" || !isRecord(at.message) || at.message.role !== "assistant") continue;
		const { provider, model } = at.message;
		if (provider && model) return { provider, modelId: model };
	}
	return null;
}

function rulesOf(path: Path): string[] {
	const rules = new Set<string>();
	for (const { injectedRules } of allOf(path, "ttsr_injection")) {
		for (const rule of Array.isArray(injectedRules) ? injectedRules : []) rules.add(rule);
	}
	return [...rules];
}
