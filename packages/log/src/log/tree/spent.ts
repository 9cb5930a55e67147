/** The usage of a whole session, all branches of it: read from the ends of its lines, not from their bodies. */
import type { AssistantMessage, Usage } from "@tau/ai";
import { isRecord } from "@tau/utils";

import type { SessionEntry } from "./entry.ts";
import { inLargeParts, type ReadSpan } from "../file/large-parts.ts";
import { limits } from "../limits.ts";
import type { EntryNode } from "./node.ts";

/** An answer that was paid for; its fields in the file have not been validated. */
export interface Spent extends Partial<
	Pick<AssistantMessage, "provider" | "model" | "stopReason" | "timestamp">
> {
	usage?: Partial<Usage>;
	/** Part of the conversation; otherwise a summary, a title or the like. */
	isTurn: boolean;
}

export interface SpentSource {
	/** Returns the entry without reading the file, if it is in memory. */
	known(node: EntryNode): SessionEntry | undefined;
	read: ReadSpan;
}

/** pi records usage outside the conversation in entries of their own. */
const beside: ReadonlySet<string> = new Set(["usage", "compaction", "branch_summary"]);
// As bytes: a text would be converted for each line.
const messageStart = Buffer.from('"message":{"role":"');
/** The text after the content. Quotes in a string would be escaped, so that these are keys. */
const contentEnd = Buffer.from('],"api":"');
const toolUsage = Buffer.from(',"usage":{');
const [quote, comma] = [0x22, 0x2c];

/** In the order of the file. */
export function* spentIn(nodes: readonly EntryNode[], spentSource: SpentSource): Generator<Spent> {
	const source = { ...spentSource, read: inLargeParts(spentSource.read) };
	for (const node of nodes) {
		if (node.type !== "message" && !beside.has(node.type)) continue;
		const spent = spentOf(source.known(node) ?? messageEnds(node, source.read));
		if (spent) yield spent;
	}
}

/** The entry without the content of a long message, for which the two ends of its line are enough. */
export function messageEnds(
	node: Pick<EntryNode, "type" | "offset" | "length">,
	read: SpentSource["read"],
): unknown {
	const { type, offset, length } = node;
	if (type !== "message") return whole(node, read);
	const isShort = length <= limits.spentBytes;
	const start = read(offset, isShort ? length : limits.headBytes);
	const at = start.indexOf(messageStart) + messageStart.length;
	const role = at < messageStart.length ? undefined : start.toString("latin1", at, start.indexOf(quote, at));
	if (role === undefined && isShort) return whole(node, read);
	if (role !== undefined && role !== "assistant" && role !== "toolResult") return { type, message: { role } };
	const end = isShort ? start : read(offset + length - limits.spentBytes, limits.spentBytes);
	if (role !== "toolResult") {
		// The program that wrote the line may order its keys differently.
		return tail(end, contentEnd, "assistant") ?? whole(node, read);
	}
	if (!end.includes(toolUsage)) return { type, message: { role } };
	return isShort ? whole(node, read) : (tail(end, toolUsage, role) ?? { type, message: { role } });
}

function whole({ offset, length }: Pick<EntryNode, "offset" | "length">, read: SpentSource["read"]): unknown {
	return length > limits.lineBytes ? undefined : parse(read(offset, length).toString("utf8"));
}

/** The message from a key on; undefined without it, or where the key belongs to something inside the message. */
function tail(end: Buffer, key: Buffer, role: string): unknown {
	const at = end.lastIndexOf(key);
	if (at < 0) return undefined;
	const rest = end.toString("utf8", end.indexOf(comma, at) + 1);
	return parse(`{"type":"message","message":{"role":"${role}",${rest}`);
}

function parse(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		// A damaged line is reported when the conversation is read; here it counts as zero.
		return undefined;
	}
}

function spentOf(entry: unknown): Spent | undefined {
	if (!isRecord(entry)) return undefined;
	const isMessage = entry.type === "message";
	const holder = isMessage ? entry.message : entry;
	if (!isRecord(holder)) return undefined;
	if (isMessage && holder.role === "toolResult")
		return isRecord(holder.usage) ? toolSpent(holder) : undefined;
	const isTurn = isMessage && holder.role === "assistant";
	if (isMessage && !isTurn) return undefined;
	const { provider, model, stopReason, timestamp, usage } = holder;
	if (!isTurn && !isRecord(usage)) return undefined;
	return { provider, model, stopReason, timestamp, usage, isTurn } as Spent;
}

/** What a tool paid models for itself; which ones is not known. */
export function toolSpent({ usage }: { usage?: unknown }): Spent {
	return { provider: "tools", model: "tools", usage: usage as Partial<Usage>, isTurn: false };
}
