/** Turns the entries of a branch, and what is being made, into the rows of the transcript. */
import { isRecord } from "@tau/utils/portable";
import type { Entry, RunningCall, SessionView, WireAnswer, WireMessage } from "@tau/wire";
import { commentType, invocationOf, userTextOf } from "@tau/wire/remote";

export interface Picture {
	readonly data: string;
	readonly mimeType: string;
}

export interface CallResult {
	readonly content: readonly ({ type: "text"; text: string } | ({ type: "image" } & Picture))[];
	readonly details?: unknown;
}

export type CallPhase = "writing" | "ready" | "running" | "waiting" | "done" | "failed" | "dropped";

export interface CallItem {
	readonly kind: "call";
	readonly key: string;
	readonly id: string;
	readonly name: string;
	readonly args: Readonly<Record<string, unknown>>;
	/** The JSON of arguments that are still being written. */
	readonly open?: string | undefined;
	readonly phase: CallPhase;
	readonly result?: CallResult | undefined;
	readonly durationMs?: number | undefined;
}

export interface UserItem {
	readonly kind: "user";
	readonly key: string;
	readonly entryId: string;
	readonly text: string;
	readonly images: readonly Picture[];
	readonly by?: string | undefined;
	readonly timestamp: number;
}

export interface TextItem {
	readonly kind: "text" | "thinking";
	readonly key: string;
	readonly text: string;
	readonly isDone: boolean;
}

export interface CommandItem {
	readonly kind: "command";
	readonly key: string;
	readonly command: string;
	readonly language: "bash" | "python" | "js";
	readonly output: string;
	readonly isPrivate: boolean;
	readonly by?: string | undefined;
	readonly exitCode?: number | undefined;
	readonly phase: "running" | "done" | "failed";
}

export interface NoticeItem {
	readonly kind: "notice";
	readonly key: string;
	readonly level: "info" | "warning" | "error";
	readonly text: string;
}

/** A line across the transcript, with a text that opens. */
export interface DividerItem {
	readonly kind: "divider";
	readonly key: string;
	readonly title: string;
	readonly text?: string | undefined;
}

/** A message of an extension. */
export interface CustomItem {
	readonly kind: "custom";
	readonly key: string;
	readonly customType: string;
	readonly text: string;
	readonly details: unknown;
}

export type Item = CallItem | UserItem | TextItem | CommandItem | NoticeItem | DividerItem | CustomItem;

type ToolResult = Extract<WireMessage, { role: "toolResult" }>;

interface Context {
	readonly results: ReadonlyMap<string, ToolResult>;
	readonly running: ReadonlyMap<string, RunningCall>;
	/** The answer whose calls may still run. */
	readonly lastAnswer: Entry | undefined;
	readonly isRunning: boolean;
}

/** `earlier` are entries before the tail. Rows that have not changed are those of `previous`, so that they are not drawn again. */
export function transcriptItems(
	view: SessionView,
	earlier: readonly Entry[],
	previous: readonly Item[],
): readonly Item[] {
	const entries = earlier.length === 0 ? view.tail.entries : [...earlier, ...view.tail.entries];
	const { live, facts } = view;
	const results = new Map<string, ToolResult>();
	let lastAnswer: Entry | undefined;
	for (const entry of entries) {
		const message = messageOf(entry);
		if (message?.role === "toolResult") results.set(message.toolCallId, message);
		else if (message?.role === "assistant") lastAnswer = entry;
	}
	const context: Context = {
		results,
		running: new Map(live.calls.map((call) => [call.toolCallId, call])),
		lastAnswer,
		isRunning: facts.phase !== "idle" && facts.phase !== "closed",
	};
	const items: Item[] = [];
	for (const [at, entry] of entries.entries()) items.push(...itemsOf(entry, entries[at + 1], context));
	items.push(...liveItems(view, context));
	return reused(distinct(items), previous);
}

/** Answers of imported sessions may be of the same millisecond; a list with the same key twice is measured without end. */
function distinct(items: readonly Item[]): readonly Item[] {
	const seen = new Map<string, number>();
	return items.map((item) => {
		const times = seen.get(item.key) ?? 0;
		seen.set(item.key, times + 1);
		return times === 0 ? item : { ...item, key: `${item.key}+${times}` };
	});
}

function itemsOf(entry: Entry, next: Entry | undefined, context: Context): Item[] {
	const key = entry.id;
	switch (entry.type) {
		case "message": {
			const message = messageOf(entry);
			return message ? messageItems(entry, message, next, context) : [];
		}
		case "custom_message":
			return entry.display === false ? [] : [customItem(key, entry)];
		case "custom":
			return entry.customType === commentType ? commentItems(key, entry.data) : [];
		case "branch_summary":
			return [{ kind: "divider", key, title: "Summary of the other branch", text: textField(entry.summary) }];
		case "compaction":
			return [compactionItem(key, entry)];
		case "reset_boundary":
			return [{ kind: "divider", key, title: "Context cleared" }];
		default:
			return [];
	}
}

function messageItems(entry: Entry, message: WireMessage, next: Entry | undefined, context: Context): Item[] {
	const key = entry.id;
	switch (message.role) {
		case "user":
			return [userItem(entry.id, message)];
		case "assistant": {
			// An answer that follows at once is that of another try.
			const isRetried = messageOf(next)?.role === "assistant";
			return answerItems(message, context, entry === context.lastAnswer, isRetried);
		}
		case "bashExecution":
		case "pythonExecution": {
			const isBash = message.role === "bashExecution";
			return [
				{
					kind: "command",
					key,
					command: isBash ? message.command : message.code,
					language: isBash ? "bash" : (message.language ?? "python"),
					output: message.output,
					isPrivate: message.excludeFromContext === true,
					exitCode: message.exitCode,
					phase: message.exitCode === 0 ? "done" : "failed",
				},
			];
		}
		case "custom":
			return message.display ? [customItem(key, { ...message })] : [];
		case "branchSummary":
			return [{ kind: "divider", key, title: "Summary of the other branch", text: message.summary }];
		case "compactionSummary":
			return [compactionItem(key, { ...message })];
		default:
			return [];
	}
}

function userItem(entryId: string, message: Extract<WireMessage, { role: "user" }>): UserItem {
	const { content, by, timestamp } = message;
	const images = Array.isArray(content) ? content.filter((part) => part.type === "image") : [];
	const text = invocationOf(message) ?? userTextOf(message);
	return { kind: "user", key: entryId, entryId, text, images, by, timestamp };
}

/** The parts of an answer have the same keys while it is written and when it is an entry: nothing is drawn again then. */
function answerItems(
	message: WireAnswer,
	context: Context,
	isLast: boolean,
	isRetried: boolean,
	open?: Readonly<Record<number, string>>,
): Item[] {
	const head = `a${message.timestamp}`;
	const isLive = open !== undefined;
	const items = message.content.flatMap((part, at): Item[] => {
		const key = `${head}:${at}`;
		const isDone = !isLive || at < message.content.length - 1;
		if (part.type === "text")
			return part.text.trim() === "" ? [] : [{ kind: "text", key, text: part.text, isDone }];
		if (part.type === "thinking")
			return part.thinking.trim() === "" ? [] : [{ kind: "thinking", key, text: part.thinking, isDone }];
		return [callItem(key, part, context, isLast || isLive, open?.[at])];
	});
	if (message.stopReason === "aborted" && !isLive)
		items.push({ kind: "notice", key: `${head}:end`, level: "warning", text: "Interrupted." });
	if (message.stopReason === "error" && !isLive && !isRetried)
		items.push({ kind: "notice", key: `${head}:end`, level: "error", text: failureText(message) });
	return items;
}

type Call = Extract<WireAnswer["content"][number], { type: "toolCall" }>;

function callItem(
	key: string,
	part: Call,
	context: Context,
	isCurrent: boolean,
	open: string | undefined,
): CallItem {
	const { id, name } = part;
	const result = context.results.get(id);
	const head = { kind: "call", key, id, name } as const;
	if (result)
		return {
			...head,
			args: result.rewritten?.arguments ?? part.arguments,
			phase: result.isError ? "failed" : "done",
			result,
			durationMs: result.durationMs,
		};
	const running = context.running.get(id);
	if (running)
		return {
			...head,
			args: running.args,
			phase: running.isWaiting ? "waiting" : "running",
			result: isResult(running.partialResult) ? running.partialResult : undefined,
		};
	const args = part.arguments;
	if (open !== undefined) return { ...head, args, phase: "writing", open };
	return { ...head, args, phase: isCurrent && context.isRunning ? "ready" : "dropped" };
}

function isResult(value: unknown): value is CallResult {
	return isRecord(value) && Array.isArray(value.content);
}

function liveItems({ live }: SessionView, context: Context): Item[] {
	const items: Item[] = live.answer ? answerItems(live.answer, context, true, false, live.openArguments) : [];
	for (const { id, command, language = "bash", output, isPrivate, by } of live.commands)
		items.push({
			kind: "command",
			key: `c${id}`,
			command,
			language,
			output,
			isPrivate,
			by,
			phase: "running",
		} as const);
	if (live.retry) {
		const { attempt, maxAttempts, delayMs, errorMessage } = live.retry;
		const text = `${errorMessage} Trying again in ${Math.ceil(delayMs / 1000)} s (${attempt} of ${maxAttempts}).`;
		items.push({ kind: "notice", key: "retry", level: "warning", text });
	}
	return items;
}

/** A comment to the other participants; the model does not read it. */
function commentItems(key: string, data: unknown): NoticeItem[] {
	if (!isRecord(data) || typeof data.text !== "string" || typeof data.by !== "string") return [];
	return [{ kind: "notice", key, level: "info", text: `${data.by} commented: ${data.text}` }];
}

function customItem(key: string, fields: Record<string, unknown>): CustomItem {
	const { customType, content, details } = fields;
	const parts: unknown[] = Array.isArray(content) ? content : [content];
	const text = parts.map((part) => (isRecord(part) ? textField(part.text) : textField(part))).join("");
	return { kind: "custom", key, customType: textField(customType), text, details };
}

function compactionItem(key: string, fields: Record<string, unknown>): DividerItem {
	const summary = textField(fields.summary);
	if (fields.undone === true || summary === "") return { kind: "divider", key, title: "Compaction undone" };
	const before = typeof fields.tokensBefore === "number" ? fields.tokensBefore : 0;
	const size = before < 1000 ? String(before) : `${Math.round(before / 1000)}k`;
	const short = textField(fields.shortSummary);
	return {
		kind: "divider",
		key,
		title: [`Compacted from ${size} tokens`, short].filter(Boolean).join(" · "),
		text: summary,
	};
}

/** A file may hold any value. */
function textField(value: unknown): string {
	return typeof value === "string" ? value : "";
}

function messageOf(entry: Entry | undefined): WireMessage | undefined {
	const message = entry?.message;
	return isRecord(message) && typeof message.role === "string" ? (message as WireMessage) : undefined;
}

/** Rows are compared by their fields, whose values are replaced and never changed. */
function reused(items: readonly Item[], previous: readonly Item[]): readonly Item[] {
	const before = new Map(previous.map((item) => [item.key, item]));
	let hasChanged = items.length !== previous.length;
	const kept = items.map((item, at) => {
		const old = before.get(item.key);
		const same = old && isSame(old, item) ? old : item;
		hasChanged ||= same !== previous[at];
		return same;
	});
	return hasChanged ? kept : previous;
}

function isSame(one: Item, other: Item): boolean {
	const fields = { ...other } as Record<string, unknown>;
	const old = { ...one } as Record<string, unknown>;
	return Object.keys(fields).every(
		(name) => fields[name] === old[name] || isEmptyList(fields[name], old[name]),
	);
}

function isEmptyList(one: unknown, other: unknown): boolean {
	return Array.isArray(one) && Array.isArray(other) && one.length === 0 && other.length === 0;
}

type Kind = NonNullable<WireAnswer["failure"]>["kind"];

const ways: Partial<Record<Kind, string>> = {
	auth: "Log in again with /login in a terminal, or check the key.",
	overflow: "The conversation exceeds this model's context. Run /compact.",
	rate_limit: "Wait a moment and run /retry, or choose another model.",
	overloaded: "Wait a moment and run /retry, or choose another model.",
	network: "Check the connection, then run /retry.",
	invalid_response: "Run /retry to ask again from here, or choose another model first.",
	timeout: "The model did not answer in time. Run /retry to ask again from here.",
	output_limit: "Ask for less at once, lower the thinking level, or choose another model.",
};

function failureText({ failure, errorMessage, provider, model }: WireAnswer): string {
	const reason = (failure?.message ?? errorMessage ?? "The request failed.").trim();
	const way = failure ? ways[failure.kind] : undefined;
	const sentence = /[.!?…]$/.test(reason) ? reason : `${reason}.`;
	return `${provider}/${model}: ${way === undefined ? reason : `${sentence} ${way}`}`;
}
