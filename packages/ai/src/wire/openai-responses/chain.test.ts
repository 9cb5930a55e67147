/** A stored conversation is continued if it is the same one, and sent completely otherwise. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";

import { modelAt, setEnv } from "../../testing/asking.ts";
import type { Json } from "../../json.ts";
import type { AssistantMessage, Message, Model, StreamOptions } from "../../types.ts";
import { answer, call, result, text, user } from "../testing/messages.ts";
import { limits } from "./limits.ts";
import { openaiResponses } from "./index.ts";

const model = modelAt("", "openai-responses");
const first = { ...answer(text("yes"), call("c|fc", "ls")), responseId: "resp_1" };
const userItem = (label: string) => ({ role: "user", content: [{ type: "input_text", text: label }] });

let session = 0;
let environment: Disposable;
beforeEach(() => {
	// Every test has a new conversation.
	session++;
	environment = setEnv({ TAU_OPENAI_STATEFUL: "1" });
});
afterEach(() => environment[Symbol.dispose]());

function begin(): Message {
	return user(`conversation ${session}`);
}

function send(messages: Message[], options: StreamOptions = {}, target: Model = model): Json {
	return openaiResponses.encode(target, { systemPrompt: "Be brief.", messages }, options) as Json;
}

test("only new messages are sent after a stored answer", () => {
	const turns = [begin()];
	expect(send(turns)).toMatchObject({
		store: true,
		instructions: "Be brief.",
		input: [userItem(`conversation ${session}`)],
	});
	turns.push(first, result("c|fc", text("a.ts")), user("go on"));
	const body = send(turns);
	expect(body).toMatchObject({ store: true, instructions: "Be brief.", previous_response_id: "resp_1" });
	expect(body.input).toMatchObject([
		{ type: "function_call_output", call_id: "c", output: "a.ts" },
		userItem("go on"),
	]);
	turns.push({ ...answer(text("done")), responseId: "resp_2" }, user("thanks"));
	expect(send(turns)).toMatchObject({ previous_response_id: "resp_2", input: [userItem("thanks")] });
});

describe("the whole conversation is sent", () => {
	function expectWhole(body: Json, items: number): void {
		expect(body).not.toHaveProperty("previous_response_id");
		expect(body.input).toHaveLength(items);
	}

	const next = [result("c|fc", text("a.ts")), user("go on")];

	test("when it was not stored in this process", () => {
		expectWhole(send([begin(), first, ...next]), 5);
	});

	test("when the messages before the answer have changed, as after a compaction", () => {
		send([user("long ago"), begin()]);
		expectWhole(send([begin(), first, ...next]), 5);
	});

	test("when another key, model or server is used", () => {
		send([begin()], { apiKey: "one" });
		expectWhole(send([begin(), first, ...next], { apiKey: "two" }), 5);
		expectWhole(send([begin(), first, ...next], { apiKey: "one" }, { ...model, baseUrl: "https://b" }), 5);
		const other = { ...model, id: "played-2" };
		send([begin()]);
		expectWhole(send([begin(), { ...first, model: other.id }, ...next], {}, other), 5);
	});

	test.each<[string, Partial<AssistantMessage>]>([
		["has no id", { responseId: "" }],
		["was cut short", { stopReason: "length" }],
		["is of another model", { model: "other-1" }],
	])("when the last answer %s", (_name, change) => {
		send([begin()]);
		expectWhole(send([begin(), { ...first, ...change }, ...next]), 5);
	});

	test("when the last answer was interrupted, although the one before is stored", () => {
		send([begin()]);
		const broken = { ...answer(text("I wa")), stopReason: "aborted" as const, responseId: "resp_2" };
		expectWhole(send([begin(), first, ...next, broken, user("again")]), 7);
	});

	test("when nothing is new", () => {
		send([begin()]);
		expectWhole(send([begin(), { ...answer(text("yes")), responseId: "resp_1" }]), 2);
	});

	test("when so many others came in between that it was dropped", () => {
		send([begin()]);
		for (let other = 0; other < limits.storedInputs; other++) send([user(`other ${session} ${other}`)]);
		expectWhole(send([begin(), first, ...next]), 5);
	});
});

test("without the variable nothing is stored or continued", () => {
	send([begin()]);
	environment[Symbol.dispose]();
	const body = send([begin(), first, result("c|fc", text("a")), user("b")]);
	expect(body).toMatchObject({ store: false, input: { length: 6 } });
	expect(body).not.toHaveProperty("previous_response_id");
	expect(body).not.toHaveProperty("instructions");
});
