/** The bodies that the Chat Completions API wants, written out by hand and checked against the vendor's types. */
import { describe, expect, test } from "bun:test";
import type OpenAI from "openai";

import { modelAt } from "../../asking.test.ts";
import type { Compat, Context, Model, StreamOptions } from "../../types.ts";
import { answer, call, image, result, text, thinking, user } from "../messages.test.ts";
import { notes } from "../notes/index.ts";
import { encode } from "./encode.ts";

type Body = OpenAI.ChatCompletionCreateParamsStreaming;

const model = modelAt("", "openai-completions");
const picture = { type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } } as const;

function expectBody(
	body: Body,
	context: Context,
	options: StreamOptions = {},
	change: Partial<Model> = {},
): void {
	expect(encode({ ...model, ...change }, context, options)).toEqual({ ...body });
}

test("a prompt", () => {
	expectBody(
		{
			model: "played-1",
			stream: true,
			stream_options: { include_usage: true },
			messages: [{ role: "user", content: "hello" }],
		},
		{ messages: [user("hello")] },
	);
});

test("a system prompt, tools, pictures, parallel calls with a failed one, and the next prompt", () => {
	const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
	expectBody(
		{
			model: "played-1",
			stream: true,
			stream_options: { include_usage: true },
			max_completion_tokens: 1000,
			temperature: 0,
			tools: [{ type: "function", function: { name: "read", description: "Reads a file", parameters } }],
			messages: [
				{ role: "system", content: "Be brief." },
				{ role: "user", content: [{ type: "text", text: "what is this?" }, picture] },
				{
					role: "assistant",
					content: "Let me look.",
					tool_calls: [
						{ id: "t1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
						{ id: "t2", type: "function", function: { name: "read", arguments: "{}" } },
					],
				},
				{ role: "tool", tool_call_id: "t1", content: `it is\n${notes.imageBelow}` },
				{ role: "tool", tool_call_id: "t2", content: "no path" },
				{ role: "user", content: [picture] },
				{ role: "user", content: "go on" },
			],
		},
		{
			systemPrompt: "Be brief.",
			tools: [{ name: "read", description: "Reads a file", parameters }],
			messages: [
				user(text("what is this?"), image),
				answer(thinking("hm"), text("Let me look."), call("t1", "read", { path: "a" }), call("t2", "read")),
				result("t1", text("it is"), image),
				{ ...result("t2", text("no path")), isError: true },
				user("go on"),
			],
		},
		{ maxTokens: 1000, temperature: 0 },
	);
});

test("an answer of calls alone has no text, one of thinking alone is left out, a result of nothing says so", () => {
	const messages = [user("a"), answer(thinking("hm")), user("b"), answer(call("1", "ls")), result("1")];
	expect(encode(model, { messages }, {}).messages).toEqual([
		{ role: "user", content: "a" },
		{ role: "user", content: "b" },
		{
			role: "assistant",
			content: null,
			tool_calls: [{ id: "1", type: "function", function: { name: "ls", arguments: "{}" } }],
		},
		{ role: "tool", tool_call_id: "1", content: notes.noOutput },
	]);
});

describe("what differs between vendors", () => {
	const context: Context = { systemPrompt: "Be brief.", messages: [user("hi")], tools: [] };
	const options: StreamOptions = { maxTokens: 9, reasoning: "high" };
	const bodyWith = (compat: Compat, change: Partial<Model> = {}) =>
		encode({ ...model, reasoning: true, ...change, compat }, context, options);

	test.each<[Compat, object]>([
		[{}, { reasoning_effort: "high", max_completion_tokens: 9 }],
		[{ maxTokensField: "max_tokens" }, { max_tokens: 9 }],
		[{ supportsStore: true }, { store: false }],
		[{ openRouterRouting: { only: ["a"] } }, { provider: { only: ["a"] } }],
		[{ vercelGatewayRouting: { order: ["b"] } }, { providerOptions: { gateway: { order: ["b"] } } }],
		[{ extraBody: { top_k: 3 } }, { top_k: 3 }],
		[
			{ supportsDeveloperRole: true },
			{
				messages: [
					{ role: "developer", content: "Be brief." },
					{ role: "user", content: "hi" },
				],
			},
		],
	])("%j adds %j", (compat, expected) => {
		expect(bodyWith(compat)).toMatchObject(expected);
	});

	test.each<[Compat, string]>([
		[{}, "store"],
		[{}, "tools"],
		[{}, "temperature"],
		[{ supportsReasoningEffort: false }, "reasoning_effort"],
		[{ supportsUsageInStreaming: false }, "stream_options"],
		[{ maxTokensField: "max_tokens" }, "max_completion_tokens"],
	])("%j has no %s", (compat, field) => {
		expect(bodyWith(compat)).not.toHaveProperty(field);
	});

	test("a model that does not reason is neither asked to nor has a developer", () => {
		const body = bodyWith({ supportsDeveloperRole: true }, { reasoning: false });
		expect(body).not.toHaveProperty("reasoning_effort");
		expect(body.messages).toMatchObject([{ role: "system" }, { role: "user" }]);
	});

	test.each([
		["off", undefined],
		["minimal", "minimal"],
		["medium", "medium"],
		["xhigh", "high"],
	] as const)("thinking %s is effort %p", (reasoning, effort) => {
		const body = encode({ ...model, reasoning: true }, context, { reasoning });
		expect(body["reasoning_effort"]).toBe(effort);
	});
});
