import { expect, test } from "bun:test";
import type { AssistantContent, AssistantMessage, AssistantMessageEvent, ToolCall } from "../types.ts";
import { noUsage } from "../usage.ts";
import { assertWellFormed } from "./events.ts";

const toolCall: ToolCall = { type: "toolCall", id: "1", name: "bash", arguments: { a: [1] } };
const content: AssistantContent[] = [
	{ type: "thinking", thinking: "hm" },
	{ type: "text", text: "hello" },
	toolCall,
];

function messageWith(change: Partial<AssistantMessage> = {}): AssistantMessage {
	return {
		role: "assistant",
		content,
		api: "anthropic-messages",
		provider: "played",
		model: "played-1",
		usage: noUsage(),
		stopReason: "toolUse",
		timestamp: 0,
		...change,
	};
}

function wellFormed(): AssistantMessageEvent[] {
	const partial = messageWith();
	return [
		{ type: "start", partial },
		{ type: "thinking_start", contentIndex: 0, partial },
		{ type: "thinking_delta", contentIndex: 0, delta: "hm", partial },
		{ type: "thinking_end", contentIndex: 0, content: "hm", partial },
		{ type: "text_start", contentIndex: 1, partial },
		{ type: "text_delta", contentIndex: 1, delta: "hel", partial },
		{ type: "toolcall_start", contentIndex: 2, partial },
		{ type: "toolcall_delta", contentIndex: 2, delta: '{"a":', partial },
		{ type: "text_delta", contentIndex: 1, delta: "lo", partial },
		{ type: "text_end", contentIndex: 1, content: "hello", partial },
		{ type: "toolcall_delta", contentIndex: 2, delta: "[1]}", partial },
		{ type: "toolcall_end", contentIndex: 2, toolCall, partial },
		{ type: "done", reason: "toolUse", message: partial },
	];
}

function without(...indices: number[]): AssistantMessageEvent[] {
	return wellFormed().filter((_, index) => !indices.includes(index));
}

function withEvent(index: number, event: AssistantMessageEvent): AssistantMessageEvent[] {
	return wellFormed().with(index, event);
}

const partial = messageWith();

test("a valid stream passes, also with concurrent blocks", () => {
	expect(() => assertWellFormed(wellFormed())).not.toThrow();
});

test("an error may leave a block open, and a malformed call need not be JSON", () => {
	const torn = wellFormed().slice(0, 6);
	const failed = messageWith({ content: content.slice(0, 2), stopReason: "error" });
	expect(() => assertWellFormed([...torn, { type: "error", reason: "error", error: failed }])).not.toThrow();
	const malformed: ToolCall = { ...toolCall, arguments: {}, malformed: "ends early" };
	const events = without(10).map((event) =>
		event.type === "toolcall_end" ? { ...event, toolCall: malformed } : event,
	);
	expect(() => assertWellFormed(events)).not.toThrow();
});

test.each<[string, AssistantMessageEvent[]]>([
	["there are no events", []],
	["start comes first", without(0)],
	["done or error comes last", without(12)],
	["is between others", [...wellFormed(), { type: "done", reason: "toolUse", message: partial }]],
	["has another partial", withEvent(4, { type: "text_start", contentIndex: 1, partial })],
	["has contentIndex 1, but the next block is 0", without(1, 2, 3)],
	["block 2, which has not started", without(6)],
	["has not ended before done", without(11)],
	['ends with "hello", but its deltas add up to "lo"', without(5)],
	["which is no JSON", without(10)],
])("a broken stream is reported: %s", (message, events) => {
	expect(() => assertWellFormed(events)).toThrow(message);
});

test("a message that differs from the streamed content is reported", () => {
	const end = (message: AssistantMessage): AssistantMessageEvent[] =>
		withEvent(12, { type: "done", reason: "toolUse", message });
	expect(() => assertWellFormed(end(messageWith({ stopReason: "stop" })))).toThrow("its message says stop");
	const short = messageWith({ content: content.slice(0, 2) });
	expect(() => assertWellFormed(end(short))).toThrow("the message holds [thinking, text]");
	const other = messageWith({ content: content.with(1, { type: "text", text: "bye" }) });
	expect(() => assertWellFormed(end(other))).toThrow('content[1] is "bye"');
});

test("arguments that differ from their deltas are reported", () => {
	const events = wellFormed();
	const end = events[11];
	if (end?.type !== "toolcall_end") throw new Error("unreachable");
	events[11] = { ...end, toolCall: { ...toolCall, arguments: { a: [2] } } };
	expect(() => assertWellFormed(events)).toThrow("add up to");
});
