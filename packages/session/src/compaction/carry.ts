/** Gathers what a compaction carries over word for word: the user's messages, and facts that tools report. */
import {
	callsIn,
	charsFor,
	estimateTokens,
	shortened,
	type AgentMessage,
	type AgentTool,
	type CarriedFact,
	type Piece,
} from "@tau/agent";
import type { ToolCall, ToolResultMessage } from "@tau/ai";
import { log as logger, oneLine } from "@tau/utils";

import {
	handedOver,
	messageOf,
	userTextOf,
	type CarriedMessage,
	type CarriedOver,
	type SessionManager,
	type CarriedResult,
	readCarried,
} from "@tau/log";
import { limits } from "./limits.ts";
import { upwards, type CompactionPath } from "./path.ts";

type Carrier = Pick<AgentTool, "carries">;

export interface CarryParts {
	log: SessionManager;
	path: CompactionPath;
	/** The user's messages from here on are in the context as they are. */
	firstKeptEntryId: string;
	/** For the user's messages, by estimate. */
	ledgerTokens: number;
	/** The tools of the session; `findTool` also finds those that are hidden now. */
	tools: readonly Carrier[];
	findTool(name: string): Carrier | undefined;
}

export function carryOver(parts: CarryParts): CarriedOver {
	const { path, firstKeptEntryId, ledgerTokens } = parts;
	const before = path.previous?.carried ? readCarried(path.previous.carried) : undefined;
	const at = path.pieces.findIndex(({ id }) => id === firstKeptEntryId);
	const summarized = at === -1 ? path.pieces : path.pieces.slice(0, at);
	const messages = [...(before?.messages ?? earlierMessages(parts)), ...summarized.flatMap(messagesIn)];
	const { omitted = 0, ...fitted } = fit(distinct(messages), charsFor(ledgerTokens));
	const handed = summarized.flatMap(({ message }) => handedOver(message) ?? []);
	const older = [...handed, ...(before ? [before] : [])].reduce(
		(sum, one) => sum + (one.omitted ?? 0),
		omitted,
	);
	return {
		...fitted,
		...(older > 0 ? { omitted: older } : {}),
		facts: factsOf(
			parts,
			[before, ...handed].flatMap((one) => one?.facts ?? []),
		),
		...resultsOf(
			summarized,
			[...(before ? [before] : []), ...handed],
			charsFor(ledgerTokens) / limits.resultsShare,
		),
	};
}

/** What tools returned stays within reach: the newest results are listed, the others are counted. */
function resultsOf(
	summarized: readonly Piece[],
	before: readonly CarriedOver[],
	chars: number,
): Pick<CarriedOver, "results" | "omittedResults"> {
	const calls = callsIn(summarized);
	const all = summarized.flatMap(({ id, message }): CarriedResult[] => {
		if (message?.role !== "toolResult" || message.useless) return [];
		return [{ id, about: aboutResult(message, calls.get(message.toolCallId)) }];
	});
	const earlier = before.flatMap(({ results = [] }) => results);
	const known = [...new Map([...earlier, ...all].map((one) => [one.id, one])).values()];
	let left = chars;
	const from = known.findLastIndex(({ id, about }) => (left -= id.length + about.length) < 0) + 1;
	const results = known.slice(from).slice(-limits.listedResults);
	const counted = before.reduce((sum, one) => sum + (one.omittedResults ?? 0), 0);
	const omittedResults = counted + known.length - results.length;
	return { results, ...(omittedResults > 0 ? { omittedResults } : {}) };
}

function aboutResult(message: ToolResultMessage, call: ToolCall | undefined): string {
	const named = Object.entries(call?.arguments ?? {}).map(
		([name, value]) => `${name}=${typeof value === "string" ? value : (JSON.stringify(value) ?? "")}`,
	);
	const tokens = message.elided?.tokens ?? estimateTokens(message);
	const error = message.isError ? ", failed" : "";
	const shown = oneLine(`${message.toolName} ${named.join(" ")}`.trim(), limits.resultAboutChars);
	return `${shown} (${tokens} tokens${error})`;
}

/** What a compaction of another program or an earlier version did not carry over. */
function earlierMessages({ log, path }: CarryParts): CarriedMessage[] {
	if (!path.previous) return [];
	const kept = new Set(path.pieces.map(({ id }) => id));
	const newestFirst: CarriedMessage[] = [];
	for (const { id, type } of upwards(log, path.leafId)) {
		if (type === "reset_boundary") break;
		if ((type !== "message" && type !== "custom_message") || kept.has(id)) continue;
		const entry = log.getEntry(id);
		const [message] = entry ? messageOf(entry) : [];
		newestFirst.push(...messagesIn({ id, ...(message ? { message } : {}) }).toReversed());
	}
	return newestFirst.toReversed();
}

/** A handoff replaces the user's messages of the previous session. */
function messagesIn({ id, message }: { id: string; message?: AgentMessage }): CarriedMessage[] {
	const handed = handedOver(message);
	if (handed) return handed.messages;
	// What the user has dropped from the context is not brought back.
	if (message?.role !== "user" || message.elided?.byUser) return [];
	const images =
		typeof message.content === "string" ? 0 : message.content.filter(({ type }) => type === "image").length;
	const text = [userTextOf(message).trim(), ...Array.from({ length: images }, () => "[image]")]
		.filter((part) => part !== "")
		.join("\n");
	return text === "" ? [] : [{ id, text }];
}

/** An entry that a compaction kept may be summarized by the next one. */
function distinct(messages: readonly CarriedMessage[]): CarriedMessage[] {
	return [...new Map(messages.map((message) => [message.id, message])).values()];
}

/** The newest messages are kept whole; of older ones the beginning is, and of the oldest only their number. */
function fit(messages: readonly CarriedMessage[], chars: number): CarriedOver {
	const total = messages.reduce((sum, { text }) => sum + text.length, 0);
	// One long paste must not displace everything that was said before it.
	const most = total <= chars ? chars : Math.floor(chars / limits.ledgerMessageShare);
	let left = chars;
	let listed = Math.min(limits.ledgerIndex, Math.floor(most / limits.ledgerHeadChars));
	const newestFirst: CarriedMessage[] = [];
	for (const message of messages.toReversed()) {
		const room = Math.min(left, most);
		const fits = message.text.length <= room;
		if (!fits && room < limits.ledgerHeadChars && listed-- <= 0) break;
		const next = fits ? message : cut(message, room);
		left = Math.max(0, left - next.text.length);
		newestFirst.push(next);
	}
	const omitted = messages.length - newestFirst.length;
	return { messages: newestFirst.toReversed(), ...(omitted > 0 ? { omitted } : {}) };
}

function cut({ id, text }: CarriedMessage, room: number): CarriedMessage {
	if (room >= limits.ledgerHeadChars) return { id, text: shortened(text, room), cut: true };
	return { id, text: `${text.slice(0, limits.ledgerHeadChars).toWellFormed()}…`, cut: true };
}

/** The state at the end of the conversation: later facts replace earlier ones. */
function factsOf({ path, tools, findTool }: CarryParts, before: readonly CarriedFact[]): CarriedFact[] {
	const facts = new Map(before.map((fact) => [`${fact.section} ${fact.key}`, fact]));
	for (const { message } of path.pieces) {
		if (message?.role !== "toolResult" && message?.role !== "custom") continue;
		const carriers = message.role === "custom" ? tools : [findTool(message.toolName)];
		for (const fact of carriers.flatMap((carrier) => carriedBy(carrier, message))) {
			const key = `${fact.section} ${fact.key}`;
			// Deleted first, so that the newest are last.
			facts.delete(key);
			if (fact.text !== "") facts.set(key, { ...fact, text: shortened(fact.text, limits.factChars) });
		}
	}
	return [...Map.groupBy(facts.values(), ({ section }) => section).values()].flatMap((own) =>
		own.slice(-limits.factsPerSection),
	);
}

/** An extension's tool may fail; the compaction continues. */
function carriedBy(carrier: Carrier | undefined, message: AgentMessage): readonly CarriedFact[] {
	try {
		return carrier?.carries?.(message) ?? [];
	} catch (error) {
		logger.warn("a tool failed to report what a compaction carries over", { reason: String(error) });
		return [];
	}
}
