/** Where an Anthropic client finds the text of an answer, whatever the provider of another protocol has signed. */
import { expect, test } from "bun:test";

import { MessageBuilder } from "../../message-builder.ts";
import { testModel } from "../../testing/index.ts";
import type { AssistantContent } from "../../types.ts";
import type { AnswerFacts } from "../serving/types.ts";
import { messageDocument, MessagesWriter } from "./serve-answer.ts";

const call: AssistantContent = { type: "toolCall", id: "1", name: "read", arguments: {} };

/** The types of the blocks of a text that is signed when it begins or when it ends, and of what follows. */
function blocks(signed: "early" | "late", request: AnswerFacts["request"], after: AssistantContent[]) {
	const facts: AnswerFacts = { id: "1", model: "m", created: 0, request };
	const { message } = new MessageBuilder(testModel({}));
	const writer = new MessagesWriter(facts);
	const text: AssistantContent = { type: "text", text: "Hello" };
	message.content.push(text);
	if (signed === "early") text.textSignature = "c2lnbmVk";
	const at = { contentIndex: 0, partial: message };
	let streamed = writer.event({ type: "text_start", ...at });
	text.textSignature = "c2lnbmVk";
	streamed += writer.event({ type: "text_end", content: "Hello", ...at });
	for (const [index, block] of after.entries()) {
		message.content.push(block);
		const contentIndex = index + 1;
		if (block.type !== "toolCall") throw new Error("only calls follow");
		streamed += writer.event({ type: "toolcall_start", contentIndex, partial: message });
		streamed += writer.event({ type: "toolcall_end", contentIndex, toolCall: block, partial: message });
	}
	streamed += writer.event({ type: "done", reason: "stop", message });
	const { content } = messageDocument(message, facts) as { content: AssistantContent[] };
	const types = [...streamed.matchAll(/"content_block":\{"type":"(\w+)"/g)].map((match) => match[1]);
	return { streamed: types, whole: content.map(({ type }) => type) };
}

const thinks: AnswerFacts["request"] = { wantsThoughts: true };
test.each([
	["a client without thinking, signed early", blocks("early", {}, []), ["text"], ["text"]],
	["a client without thinking, signed late", blocks("late", {}, []), ["text"], ["text"]],
	[
		"a client without thinking, with a call",
		blocks("late", {}, [call]),
		["text", "tool_use", "redacted_thinking"],
		["text", "tool_use", "redacted_thinking"],
	],
	[
		"Claude Code, signed early",
		blocks("early", thinks, []),
		["redacted_thinking", "text"],
		["redacted_thinking", "text"],
	],
	["Claude Code, signed late", blocks("late", thinks, []), ["text"], ["redacted_thinking", "text"]],
])("an answer for %s begins or ends with its text", (_who, got, streamed, whole) => {
	expect<object>(got).toEqual({ streamed, whole });
});
