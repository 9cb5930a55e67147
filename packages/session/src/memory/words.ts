/** What a user and a model said in a stored session, without tool output, files, pastes and secrets. */
import { setImmediate } from "node:timers/promises";

import type { AgentMessage } from "@tau/agent";
import { isRecord, maskSecrets, stripControls } from "@tau/utils";

import { messageOf, pastesOf, SessionManager, userTextOf } from "@tau/log";
import { limits } from "./limits.ts";
import { contentStems } from "./terms.ts";

/** The entry by which a user keeps a session out of memory: `data.private`. */
export const privacyType = "tau.memory";

export interface Words {
	entry: string;
	role: "user" | "assistant";
	/** In milliseconds. */
	said: number;
	text: string;
}

export interface SessionWords {
	words: Words[];
	/** Whether this is what a tool returned, repeated. */
	isToolOutput(quote: string): boolean;
}

export type ReadOutcome = { ok: true; session: SessionWords } | { ok: false; reason: string };

const entriesPerTurn = 200;

/** The branch that the session ended on. Sessions that the user keeps private or that others wrote are not read. */
export async function readWords(path: string, signal: AbortSignal): Promise<ReadOutcome> {
	const opened = SessionManager.tryOpen(path, { access: "read" });
	if (!opened.ok) return { ok: false, reason: opened.reason };
	using session = opened.session;
	if (session.getHeader().importedFrom) return { ok: false, reason: "imported" };
	if (isPrivate(session)) return { ok: false, reason: "private" };
	const words: Words[] = [];
	const outputs: string[] = [];
	let room: number = limits.outputChars;
	for (const [at, { id, type }] of session.getBranchHeads().entries()) {
		if (at % entriesPerTurn === entriesPerTurn - 1) await setImmediate();
		signal.throwIfAborted();
		const entry = type === "message" ? session.getEntry(id) : undefined;
		const [message] = entry ? messageOf(entry) : [];
		if (!entry || !message) continue;
		if (message.role === "toolResult" && room > 0) {
			const text = unmarked(textIn(message)).slice(0, room);
			room -= text.length;
			outputs.push(text);
		}
		const text = spoken(message);
		if (text === undefined || text === "") continue;
		words.push({ entry: id, role: text.role, said: saidAt(message, entry.timestamp), text: text.text });
	}
	return { ok: true, session: { words, isToolOutput: echoOf(outputs) } };
}

/** What the user said last counts, on whatever branch. */
export function isPrivate(session: Pick<SessionManager, "getHeads" | "getEntry">): boolean {
	for (const { id, type } of session.getHeads().toReversed()) {
		const entry = type === "custom" ? session.getEntry(id) : undefined;
		if (entry?.type === "custom" && entry.customType === privacyType && isRecord(entry.data))
			return entry.data.private === true;
	}
	return false;
}

/** For comparing texts that were wrapped or quoted in different ways. */
export function comparable(text: string): string {
	return unmarked(text).replaceAll(/\s+/g, " ").trim();
}

function unmarked(text: string): string {
	return text.toLowerCase().replaceAll(/[`*_"'“”‘’]/g, "");
}

/** Word by word, or most of its words within one line. */
function echoOf(outputs: readonly string[]): (quote: string) => boolean {
	let joined: string | undefined;
	return (quote) => {
		joined ??= comparable(outputs.join("\n"));
		if (joined.includes(comparable(quote))) return true;
		const stems = contentStems(quote);
		const [rarest = ""] = [...stems].toSorted((a, b) => b.length - a.length);
		if (stems.size < limits.echoWords || !joined.includes(rarest)) return false;
		return outputs.some((output) =>
			output.split("\n").some((row) => {
				const isCandidate = row.includes(rarest);
				return isCandidate && stems.intersection(contentStems(row)).size >= stems.size * echoShare;
			}),
		);
	};
}

/** More than this part of the words in one line is not chance. */
const echoShare = 0.75;

type Spoken = { role: Words["role"]; text: string } | "" | undefined;

/** Undefined for anything that neither the user nor the model said. */
function spoken(message: AgentMessage): Spoken {
	if (message.role === "user") {
		let text = userTextOf(message);
		for (const paste of pastesOf(message)) text = text.replace(paste, () => "[pasted text]");
		return cleaned("user", withoutFiles(text));
	}
	if (message.role !== "assistant" || message.stopReason === "error") return undefined;
	return cleaned("assistant", textIn(message));
}

function cleaned(role: Words["role"], text: string): Spoken {
	const clean = maskSecrets(stripControls(text)).trim();
	return clean === "" ? "" : { role, text: clean };
}

/** A file may end its block itself, so everything between the first start and the last end is left out. */
function withoutFiles(text: string): string {
	const end = "</file>";
	const [from, to] = [text.indexOf("<file "), text.lastIndexOf(end)];
	return from === -1 || to < from ? text : `${text.slice(0, from)}[file]${text.slice(to + end.length)}`;
}

function textIn({ content }: { content?: unknown } & object): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content
		.map((part: unknown) =>
			isRecord(part) && part.type === "text" && typeof part.text === "string" ? part.text : "",
		)
		.join("\n");
}

function saidAt({ timestamp }: AgentMessage, written: string): number {
	if (typeof timestamp === "number" && timestamp > 0) return timestamp;
	const parsed = Date.parse(written);
	return Number.isNaN(parsed) ? 0 : parsed;
}
