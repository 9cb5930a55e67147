/** The guarantees of a draft for every writer of an answer, including the demo model and extensions. */
import { expect, test } from "bun:test";

import { Draft } from "./draft.ts";
import { limits } from "./limits.ts";
import { hear, modelAt } from "./testing/asking.ts";

const model = modelAt("", "my-api");

test("a stream starts once and ends once, for any calls after its end", async () => {
	const draft = new Draft(model);
	draft.start();
	const index = draft.openText();
	draft.append(index, "said");
	draft.done("stop");
	draft.append(index, " too late");
	draft.abort();
	draft.fail({ kind: "unknown", message: "too late" });
	draft.done("length");
	const { events, message } = await hear(draft.stream);
	expect(events.map(({ type }) => type)).toEqual(["start", "text_start", "text_delta", "text_end", "done"]);
	expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "said" }] });
	expect(message.failure).toBeUndefined();
});

test("a failure closes open blocks, and marks an interrupted call", async () => {
	const draft = new Draft(model);
	draft.append(draft.openThinking(), "hm");
	draft.append(draft.openToolCall("1", "write"), '{"path":"a","text":"unfin');
	draft.fail({ kind: "network", message: "gone" });
	const { events, message } = await hear(draft.stream);
	expect(events.map(({ type }) => type).slice(-3)).toEqual(["thinking_end", "toolcall_end", "error"]);
	expect(message).toMatchObject({ stopReason: "error", errorMessage: "gone", failure: { kind: "network" } });
	expect(message.content[1]).toMatchObject({
		arguments: { path: "a", text: "unfin" },
		malformed: expect.any(String),
	});
});

test("deltas are merged only within a block", async () => {
	const draft = new Draft(model);
	const [one, two] = [draft.openToolCall("1", "a"), draft.openToolCall("2", "a")];
	for (const [index, delta] of [
		[one, '{"x"'],
		[one, ":1}"],
		[two, "{}"],
		[one, " "],
	] as const) {
		draft.append(index, delta);
	}
	draft.done("toolUse");
	const { events } = await hear(draft.stream);
	const deltas = events.flatMap((event) => ("delta" in event ? [[event.contentIndex, event.delta]] : []));
	expect(deltas).toEqual([
		[0, '{"x":1}'],
		[1, "{}"],
		[0, " "],
	]);
});

test("an answer without an end fails at its bound, with the partial text", async () => {
	const draft = new Draft(model);
	const index = draft.openText();
	const megabyte = "x".repeat(1024 * 1024);
	let appended = 0;
	while (!draft.ended && appended < 2 * limits.answerChars) {
		draft.append(index, megabyte);
		appended += megabyte.length;
	}
	const message = await draft.stream.result();
	expect(message).toMatchObject({ stopReason: "error", failure: { kind: "unknown" } });
	expect(message.errorMessage).toContain(String(limits.answerChars));
	const [block] = message.content;
	expect(block?.type === "text" && block.text.length).toBe(limits.answerChars);
});
