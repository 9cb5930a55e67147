import { expect, test } from "bun:test";
import fc from "fast-check";
import { samples } from "../../../../test/support/depth.ts";
import { modelAt } from "./asking.ts";
import type { AssistantContent, Message, StopReason } from "../types.ts";
import {
	answer,
	call as callOf,
	image,
	result,
	text,
	thinking,
	user as userMessage,
} from "../wire/testing/messages.ts";
import { openaiResponses } from "../wire/openai-responses/index.ts";
import { refuseResponsesRequest } from "./openai-responses-request.ts";

const call = { type: "function_call", call_id: "c1", name: "ls", arguments: "{}" };
const output = { type: "function_call_output", call_id: "c1", output: "a" };
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2Vj" };
const assistant = { type: "message", role: "assistant", id: "msg_1", content: [] };
const user = { role: "user", content: "hi" };

function refusal(input: unknown, more: object = {}): string | undefined {
	return refuseResponsesRequest("/v1/responses", { model: "m", input, ...more });
}

test("valid requests are accepted", () => {
	expect(refusal("hi")).toBeUndefined();
	expect(refusal([user, reasoning, assistant, call, output, user])).toBeUndefined();
	expect(
		refusal([user, reasoning, reasoning, call, output].with(2, { ...reasoning, id: "rs_2" })),
	).toBeUndefined();
	expect(refusal([output], { previous_response_id: "resp_1" })).toBeUndefined();
	expect(refusal("hi", { max_output_tokens: 16 })).toBeUndefined();
});

test.each<[string, unknown, object?]>([
	["'input'", undefined],
	["empty array", []],
	[">= 16", "hi", { max_output_tokens: 15 }],
	["No tool output found for function call c1.", [user, call]],
	["No tool call found for function call output with call_id c1.", [user, output]],
	["No tool call found for function call output with call_id c1.", [user, output, call]],
	["'rs_1' of type 'reasoning' was provided without its required following item", [user, reasoning]],
	["without its required following item", [reasoning, user]],
	["'input[0].summary'", [{ type: "reasoning", id: "rs_1" }, assistant]],
	["'input[0].content': array too long", [{ ...reasoning, content: [] }, assistant]],
	["Duplicate item found with id msg_1", [assistant, assistant]],
	["'input[1].id': string too long", [user, { ...assistant, id: "x".repeat(65) }]],
	["'input[0].call_id': string too long", [{ ...call, call_id: "x".repeat(65) }]],
])("a request that the vendor would reject is rejected: %s", (reason, input, more = {}) => {
	expect(refusal(input, more)).toContain(reason);
});

test("a body that is missing, or names no model, is refused", () => {
	expect(refuseResponsesRequest("/v1/responses", undefined)).toContain("could not parse");
	expect(refuseResponsesRequest("/v1/responses", { input: "hi" })).toContain("'model'");
});

test.each<[object, string | undefined]>([
	[{}, undefined],
	[{ instructions: "" }, "Instructions are required"],
	[{ store: true }, "Store must be set to false"],
	[{ stream: false }, "Stream must be set to true"],
	[{ max_output_tokens: 99 }, "Unsupported parameter: max_output_tokens"],
	[{ temperature: 0 }, "Unsupported parameter: temperature"],
	[{ input: [user, call] }, "No tool output found for function call c1."],
])("the service for subscriptions is stricter: %j", (change, expected) => {
	const body = { model: "m", input: [user], instructions: "Be brief.", store: false, stream: true };
	expect(refuseResponsesRequest("/backend-api/codex/responses", { ...body, ...change })).toBe(expected);
});

const ids = fc.constantFrom(
	"c1|fc_1",
	"c1|fc_2",
	"c2",
	"functions.ls:0",
	`c3|${"x".repeat(80)}`,
	"y".repeat(80),
	"",
);
const words = fc.constantFrom("", " ", "words");
const signatures = fc.constantFrom(
	undefined,
	"c2ln",
	"msg_1",
	...["rs_1", "rs_2"].map((id) => JSON.stringify({ ...reasoning, id })),
);
const block: fc.Arbitrary<AssistantContent> = fc.oneof(
	fc.tuple(words, signatures).map(([content, signature]) => ({
		...text(content),
		...(signature ? { textSignature: signature } : {}),
	})),
	fc.tuple(words, signatures).map(([thought, signature]) => thinking(thought, signature)),
	ids.map((id) => callOf(id)),
);
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
	fc.constantFrom(userMessage("hi"), userMessage(text("look"), image)),
	fc.tuple(ids, words).map(([id, content]) => result(id, text(content), image)),
	fc
		.tuple(
			fc.array(block, { maxLength: 5 }),
			fc.constantFrom({}, { model: "other-1" }),
			fc.constantFrom<StopReason>("stop", "toolUse", "length", "error", "aborted"),
		)
		.map(([content, from, stopReason]) => ({ ...answer(...content), ...from, stopReason })),
);

test("for any conversation, the vendor accepts our encoding of it", () => {
	fc.assert(
		fc.property(fc.array(anyMessage, { maxLength: 8 }), (messages) => {
			const model = modelAt("", "openai-responses", { reasoning: true });
			const body = openaiResponses.encode(model, { messages: [...messages, userMessage("go on")] }, {});
			expect(refuseResponsesRequest("/v1/responses", body)).toBeUndefined();
		}),
		{ numRuns: samples(2000) },
	);
});
