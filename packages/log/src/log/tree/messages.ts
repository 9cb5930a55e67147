/** The messages of a coding session beyond those of the models; an entry of the log becomes one of them. */
import type { Elided, ImageContent, TextContent } from "@tau/ai";

import type { BranchSummaryEntry, CompactionEntry, CustomMessageEntry, EntryHead } from "./entry.ts";
import { carriedText, readCarried } from "./carried-over.ts";
import { sanitizeContent } from "./sanitize-message.ts";
import { sealedIn, type Sealed } from "./sealed.ts";

/** A command that the user ran with `!`. */
export interface BashExecutionMessage {
	role: "bashExecution";
	command: string;
	output: string;
	exitCode: number | undefined;
	cancelled: boolean;
	truncated: boolean;
	fullOutputPath?: string;
	/** Run with `!!`: models do not see it. */
	excludeFromContext?: boolean;
	elided?: Elided;
	timestamp: number;
}

/** A cell that the user ran with `$`. */
export interface PythonExecutionMessage {
	role: "pythonExecution";
	code: string;
	/** Python if absent; the role is the name that omp gave it. */
	language?: "js";
	output: string;
	exitCode: number | undefined;
	cancelled: boolean;
	truncated: boolean;
	fullOutputPath?: string;
	excludeFromContext?: boolean;
	elided?: Elided;
	timestamp: number;
}

export interface CustomMessage<T = unknown> {
	role: "custom";
	customType: string;
	content: string | (TextContent | ImageContent)[];
	display: boolean;
	details?: T;
	attribution?: string;
	elided?: Elided;
	timestamp: number;
}

export interface BranchSummaryMessage {
	role: "branchSummary";
	summary: string;
	fromId: string;
	elided?: Elided;
	timestamp: number;
}

export interface CompactionSummaryMessage extends Sealed {
	role: "compactionSummary";
	/** The summary, with what the compaction carries over word for word. */
	summary: string;
	shortSummary?: string;
	tokensBefore: number;
	timestamp: number;
}

declare module "@tau/agent" {
	interface CustomMessages {
		bashExecution: BashExecutionMessage;
		pythonExecution: PythonExecutionMessage;
		custom: CustomMessage;
		branchSummary: BranchSummaryMessage;
		compactionSummary: CompactionSummaryMessage;
	}
}

export function customMessage(entry: CustomMessageEntry): CustomMessage {
	const { customType, content, display, details, attribution } = entry;
	return {
		role: "custom",
		customType,
		content: sanitizeContent(content),
		display,
		...(details === undefined ? {} : { details }),
		...(attribution === undefined ? {} : { attribution }),
		timestamp: timeOf(entry),
	};
}

export function branchSummaryMessage(entry: BranchSummaryEntry): BranchSummaryMessage {
	const { summary, fromId } = entry;
	return { role: "branchSummary", summary: textOf(summary), fromId, timestamp: timeOf(entry) };
}

export function compactionSummaryMessage(entry: CompactionEntry): CompactionSummaryMessage {
	const { summary, shortSummary, tokensBefore, carried } = entry;
	const sealed = sealedIn(entry);
	return {
		role: "compactionSummary",
		summary: [textOf(summary), carriedText(beside(carried, sealed))]
			.filter((part) => part !== "")
			.join("\n\n"),
		...(shortSummary === undefined ? {} : { shortSummary }),
		tokensBefore,
		...sealed,
		timestamp: timeOf(entry),
	};
}

/** A provider keeps the user's messages among its items: those are not sent twice. */
function beside(carried: unknown, { items }: Sealed): unknown {
	if (!items || carried === undefined) return carried;
	const known = JSON.stringify(items.items);
	const { messages, ...rest } = readCarried(carried);
	const isMissing = (text: string) => !known.includes(JSON.stringify(text).slice(1, -1));
	return { ...rest, messages: messages.filter(({ text }) => isMissing(text)) };
}

/** It takes the compactions before it back: all messages are in the context again. */
export function isUndone({ undone }: CompactionEntry): boolean {
	return undone === true;
}

/** A file may contain anything in its place. */
function textOf(summary: unknown): string {
	return typeof summary === "string" ? summary : "";
}

/** An invalid time must not become one that JSON cannot write. */
function timeOf({ timestamp }: EntryHead): number {
	const time = Date.parse(timestamp);
	return Number.isNaN(time) ? 0 : time;
}
