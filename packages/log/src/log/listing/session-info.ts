/** The description of a session in a list, folded line by line, so that a file that grew is read from its old end. */
import { closeSync, fstatSync, openSync, type Stats } from "node:fs";

import { log, oneLine, isRecord } from "@tau/utils";

import { invocationOf } from "@tau/wire";
import { limits } from "../limits.ts";
import { fromFileName } from "../file/paths.ts";
import type { Piece } from "../file/piece.ts";
import { readSpan, scan } from "../file/scan.ts";
import { outcomeOf, type Outcome } from "./outcome.ts";

/** The type of the custom entry that records the git branch: `data.branch`. */
export const gitBranchType = "tau.git";

/** pi's shape, the size, the branch and the outcome. */
export interface SessionInfo {
	path: string;
	id: string;
	/** Empty if the file does not contain it. */
	cwd: string;
	name?: string;
	parentSessionPath?: string;
	/** The name of the agent, if it is the session of one. */
	agent?: string;
	/** The git branch that it worked on last. */
	branch?: string;
	/** Undefined if no turn was started. */
	outcome?: Outcome;
	created: Date;
	/** When the last entry was written. */
	modified: Date;
	messageCount: number;
	firstMessage: string;
	size: number;
	/** The text for full-text search: reads the file on demand. */
	readonly allMessagesText: string;
}

export type SessionListProgress = (loaded: number, total: number) => void;

/** The cached part of the description. */
export interface Summary {
	/** The offset up to which the file was read: its next line starts there. */
	bytes: number;
	id: string;
	cwd: string;
	name: string;
	parent: string;
	branch: string;
	outcome: Outcome | "";
	created: string;
	modified: string;
	messages: number;
	first: string;
	/** Whether `first` is a user message, and not only the first message of any role. */
	hasPrompt: boolean;
}

const nothing: Summary = {
	bytes: 0,
	id: "",
	cwd: "",
	name: "",
	parent: "",
	branch: "",
	outcome: "",
	created: "",
	modified: "",
	messages: 0,
	first: "",
	hasPrompt: false,
};

/** Returns undefined if the file has no session. Throws the file system's error. */
export function summarize(path: string, known: Summary | undefined): Summary | undefined {
	const file = openSync(path, "r");
	try {
		const { size } = fstatSync(file);
		const from = known && known.bytes <= size ? known.bytes : 0;
		const summary = { ...(from > 0 && known ? known : nothing) };
		const { pieces, wholeBytes } = scan(file, from, size);
		const read = (offset: number, length: number): Buffer => readSpan(file, offset, length);
		for (const piece of pieces) fold(summary, piece, read);
		summary.outcome = outcomeOf(pieces, read) ?? summary.outcome;
		// A last entry without its newline was counted; what comes next can only be the newline.
		summary.bytes = pieces.at(-1)?.kind === "entry" ? size : wholeBytes;
		if (summary.id === "" && summary.messages === 0) return undefined;
		return named(summary, path);
	} finally {
		closeSync(file);
	}
}

export function infoOf(
	path: string,
	{ size, mtimeMs }: Pick<Stats, "size" | "mtimeMs">,
	summary: Summary,
	isOpen: boolean,
): SessionInfo {
	const { id, cwd, name, parent, branch, created, modified, messages, first } = summary;
	const changed = dateOr(modified, mtimeMs);
	// The log of a run ends in the middle of a turn, like that of a program that was killed.
	const isRunning = isOpen && summary.outcome === "interrupted";
	const outcome =
		summary.outcome === "" ? {} : { outcome: isRunning ? ("running" as const) : summary.outcome };
	return {
		path,
		id,
		cwd,
		...(name === "" ? {} : { name }),
		...(parent === "" ? {} : { parentSessionPath: parent }),
		...(branch === "" ? {} : { branch }),
		...outcome,
		created: dateOr(created, changed.getTime()),
		modified: changed,
		messageCount: messages,
		firstMessage: first,
		size,
		get allMessagesText() {
			return searchText(path);
		},
	};
}

function fold(summary: Summary, piece: Piece, read: (offset: number, length: number) => Buffer): void {
	if (piece.kind === "header") return takeHeader(summary, piece.value);
	if (piece.kind === "title") {
		summary.name ||= textOf(piece.value.title);
		return;
	}
	if (piece.kind !== "entry") return;
	const { type, timestamp } = piece.head;
	summary.created ||= timestamp;
	summary.modified = timestamp || summary.modified;
	const body = () => parse(read(piece.offset, piece.length));
	if (type === "message") {
		summary.messages++;
		if (!summary.hasPrompt) readFirstMessage(summary, body().message);
	} else if (type === "session_info") summary.name = textOf(body().name);
	else if (type === "title_change") summary.name = textOf(body().title);
	else if (type === "custom" && piece.length <= limits.branchLineBytes) takeBranch(summary, body());
}

function takeBranch(summary: Summary, { customType, data }: Record<string, unknown>): void {
	if (customType !== gitBranchType || !isRecord(data)) return;
	summary.branch = oneLine(textOf(data.branch), limits.branchLineBytes);
}

function takeHeader(summary: Summary, value: Record<string, unknown>): void {
	if (summary.id !== "") return;
	summary.id = textOf(value.id);
	summary.cwd = textOf(value.cwd);
	summary.parent = textOf(value.parentSession);
	summary.created = textOf(value.timestamp);
	summary.modified ||= summary.created;
	summary.name ||= textOf(value.title);
}

function readFirstMessage(summary: Summary, message: unknown): void {
	if (!isRecord(message)) return;
	summary.hasPrompt = message.role === "user";
	if (summary.hasPrompt || summary.first === "") {
		summary.first = oneLine(invocationOf(message) ?? textIn(message.content), limits.firstMessageChars);
	}
}

function named(summary: Summary, path: string): Summary {
	const { id = path, timestamp = "" } = fromFileName(path);
	return { ...summary, id: summary.id || id, created: summary.created || timestamp };
}

function parse(line: Buffer): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(line.toString("utf8"));
		return isRecord(value) ? value : {};
	} catch {
		// A damaged line adds nothing to a list; opening the session reports it.
		return {};
	}
}

function textOf(value: unknown): string {
	return typeof value === "string" ? value.trim() : "";
}

function textIn(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.map((block: unknown) => (isRecord(block) ? textOf(block.text) : "")).join(" ");
}

function dateOr(text: string, fallback: number): Date {
	const time = Date.parse(text);
	return new Date(Number.isNaN(time) ? fallback : time);
}

function searchText(path: string): string {
	const file = openSync(path, "r");
	try {
		let all = "";
		for (const piece of scan(file, 0, fstatSync(file).size).pieces) {
			if (piece.kind !== "entry" || piece.head.type !== "message") continue;
			const { message } = parse(readSpan(file, piece.offset, piece.length));
			if (isRecord(message)) all += `${textIn(message.content)} `;
			if (all.length > limits.searchTextChars) break;
		}
		return all.slice(0, limits.searchTextChars).trim();
	} finally {
		closeSync(file);
	}
}

/** Whether the messages hold all of these words, which are in lower case. A file that is gone holds none. */
export function hasText(
	info: Pick<SessionInfo, "allMessagesText" | "path">,
	words: readonly string[],
): boolean {
	try {
		const text = info.allMessagesText.toLowerCase();
		return words.every((word) => text.includes(word));
	} catch (error) {
		log.debug("a session cannot be searched", { path: info.path, reason: String(error) });
		return false;
	}
}
