/** The guarantees of a draft for every writer of an answer, including the demo model and extensions. */
import { expect, test } from "bun:test";

import { MessageBuilder } from "./message-builder.ts";
import { limits } from "./limits.ts";
import { receive, modelAt } from "./testing/asking.ts";

const model = modelAt("", "my-api");

test("a stream starts once and ends once, for any calls after its end", async () => {
	const builder = new MessageBuilder(model);
	builder.start();
	const index = builder.openText();
	builder.append(index, "said");
	builder.done("stop");
	builder.append(index, " too late");
	builder.abort();
	builder.fail({ kind: "unknown", message: "too late" });
	builder.done("length");
	const { events, message } = await receive(builder.stream);
	expect(events.map(({ type }) => type)).toEqual(["start", "text_start", "text_delta", "text_end", "done"]);
	expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "said" }] });
	expect(message.failure).toBeUndefined();
});

test("a failure closes open blocks, and marks an interrupted call", async () => {
	const builder = new MessageBuilder(model);
	builder.append(builder.openThinking(), "hm");
	builder.append(builder.openToolCall("1", "write"), '{"path":"a","text":"unfin');
	builder.fail({ kind: "network", message: "gone" });
	const { events, message } = await receive(builder.stream);
	expect(events.map(({ type }) => type).slice(-3)).toEqual(["thinking_end", "toolcall_end", "error"]);
	expect(message).toMatchObject({ stopReason: "error", errorMessage: "gone", failure: { kind: "network" } });
	expect(message.content[1]).toMatchObject({
		arguments: { path: "a", text: "unfin" },
		malformed: expect.any(String),
	});
});

test("deltas are merged only within a block", async () => {
	const builder = new MessageBuilder(model);
	const [one, two] = [builder.openToolCall("1", "a"), builder.openToolCall("2", "a")];
	for (const [index, delta] of [
		[one, '{"x"'],
		[one, ":1}"],
		[two, "{}"],
		[one, " "],
	] as const) {
		builder.append(index, delta);
	}
	builder.done("toolUse");
	const { events } = await receive(builder.stream);
	const deltas = events.flatMap((event) => ("delta" in event ? [[event.contentIndex, event.delta]] : []));
	expect(deltas).toEqual([
		[0, '{"x":1}'],
		[1, "{}"],
		[0, " "],
	]);
});

test("an answer without an end fails at its bound, with the partial text", async () => {
	const builder = new MessageBuilder(model);
	const index = builder.openText();
	const megabyte = "x".repeat(1024 * 1024);
	let appended = 0;
	while (!builder.ended && appended < 2 * limits.answerChars) {
		builder.append(index, megabyte);
		appended += megabyte.length;
	}
	const message = await builder.stream.result();
	expect(message).toMatchObject({ stopReason: "error", failure: { kind: "unknown" } });
	expect(message.errorMessage).toContain(String(limits.answerChars));
	const [block] = message.content;
	expect(block?.type === "text" && block.text.length).toBe(limits.answerChars);
});

test("a reader that waits gets what one chunk brought as one delta, in the order of the blocks", async () => {
	const builder = new MessageBuilder(model);
	const received = receive(builder.stream);
	const [thinking, text] = [builder.openThinking(), builder.openText()];
	// The reader has read everything so far, and waits.
	while (!builder.stream.isIdle) await Promise.resolve();
	builder.batch(() => {
		for (const word of ["One", " and", " two."]) builder.append(text, word);
		builder.append(thinking, "Hm");
		builder.append(thinking, "m.");
		builder.append(text, " Three.");
		builder.close(thinking);
	});
	builder.done("stop");
	const { events, message } = await received;
	const deltas = events.flatMap((event) => ("delta" in event ? [event.delta] : []));
	expect(deltas).toEqual(["One and two.", "Hmm.", " Three."]);
	expect(message.content).toMatchObject([{ thinking: "Hmm." }, { text: "One and two. Three." }]);
});
