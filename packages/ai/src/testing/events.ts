/** Checks that a decoder's events satisfy the contract of `AssistantMessageEvent`, and reports violations. */

import { isDeepStrictEqual } from "node:util";
import type { AssistantContent, AssistantMessage, AssistantMessageEvent } from "../types.ts";

type BlockEvent = Extract<AssistantMessageEvent, { contentIndex: number }>;
type BlockKind = "text" | "thinking" | "toolcall";

interface OpenBlock {
	kind: BlockKind;
	deltas: string[];
	ended: boolean;
}

/**
 * Requires `start` first, blocks numbered in the order of their start with deltas that add up to their final content,
 * and one `done` or `error` last. Only an error may leave a block open.
 */
export function assertWellFormed(events: readonly AssistantMessageEvent[]): void {
	const [first] = events;
	const last = events.at(-1);
	if (first === undefined || last === undefined) throw new Error("there are no events");
	if (first.type !== "start") throw new Error(`events[0] is ${first.type}, but start comes first`);
	if (last.type !== "done" && last.type !== "error") {
		throw new Error(`events[${events.length - 1}] is ${last.type}, but done or error comes last`);
	}
	const blocks: OpenBlock[] = [];
	for (const [index, event] of events.slice(1, -1).entries()) {
		const at = `events[${index + 1}] (${event.type})`;
		if (event.type === "start" || event.type === "done" || event.type === "error") {
			throw new Error(`${at} is between others, but comes only at the start or the end`);
		}
		if (event.partial !== first.partial) throw new Error(`${at} has another partial than the first event`);
		checkBlockEvent(event, blocks, at);
	}
	if (last.type === "error") checkEnd(last.error, last.reason, blocks);
	else checkDone(last.message, last.reason, blocks);
}

function checkBlockEvent(event: BlockEvent, blocks: OpenBlock[], at: string): void {
	const { contentIndex } = event;
	if (event.type === "text_start" || event.type === "thinking_start" || event.type === "toolcall_start") {
		if (contentIndex !== blocks.length) {
			throw new Error(`${at} has contentIndex ${contentIndex}, but the next block is ${blocks.length}`);
		}
		blocks.push({ kind: kindOf(event), deltas: [], ended: false });
		return;
	}
	const block = blocks[contentIndex];
	if (block === undefined) throw new Error(`${at} belongs to block ${contentIndex}, which has not started`);
	if (block.kind !== kindOf(event))
		throw new Error(`${at} belongs to block ${contentIndex}, a ${block.kind}`);
	if (block.ended) throw new Error(`${at} belongs to block ${contentIndex}, which has ended`);
	if ("delta" in event) block.deltas.push(event.delta);
	else {
		block.ended = true;
		checkSum(event, block.deltas.join(""), at);
	}
}

function kindOf(event: BlockEvent): BlockKind {
	if (event.type.startsWith("text")) return "text";
	return event.type.startsWith("thinking") ? "thinking" : "toolcall";
}

function checkSum(event: Exclude<BlockEvent, { delta: string }>, sum: string, at: string): void {
	if ("content" in event && event.content !== sum) {
		throw new Error(`${at} ends with ${quote(event.content)}, but its deltas add up to ${quote(sum)}`);
	}
	// The deltas of a malformed call are not JSON, so there is nothing to compare.
	if (!("toolCall" in event) || event.toolCall.malformed !== undefined) return;
	const actual = quote(event.toolCall.arguments);
	const summed = sum.trim() === "" ? {} : parse(sum, at);
	if (!isDeepStrictEqual(summed, event.toolCall.arguments)) {
		throw new Error(`${at} ends with arguments ${actual}, but its deltas add up to ${quote(sum)}`);
	}
}

function parse(json: string, at: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		throw new Error(
			`${at} is not marked as malformed, but its deltas add up to ${quote(json)}, which is no JSON`,
		);
	}
}

function checkDone(message: AssistantMessage, reason: string, blocks: OpenBlock[]): void {
	const open = blocks.findIndex((block) => !block.ended);
	if (open >= 0) throw new Error(`block ${open} has not ended before done`);
	checkEnd(message, reason, blocks);
	for (const [index, block] of blocks.entries()) {
		const content = message.content[index];
		const text = content === undefined ? undefined : textOf(content);
		const sum = block.deltas.join("");
		if (text !== undefined && text !== sum) {
			throw new Error(`content[${index}] is ${quote(text)}, but its deltas add up to ${quote(sum)}`);
		}
	}
}

function checkEnd(message: AssistantMessage, reason: string, blocks: OpenBlock[]): void {
	if (message.stopReason !== reason) {
		throw new Error(`the last event says ${reason}, but its message says ${message.stopReason}`);
	}
	const kinds = message.content.map((content) => content.type.toLowerCase()).join(", ");
	const started = blocks.map((block) => block.kind).join(", ");
	if (kinds !== started) {
		throw new Error(`the message holds [${kinds}], but the blocks that started are [${started}]`);
	}
}

function textOf(content: AssistantContent): string | undefined {
	if (content.type === "text") return content.text;
	return content.type === "thinking" ? content.thinking : undefined;
}

function quote(value: unknown): string {
	return JSON.stringify(value);
}
