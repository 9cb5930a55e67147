/** The bodies that the Anthropic Messages API expects, written by hand and checked against the vendor's types. */
import { describe, expect, test } from "bun:test";
import type Anthropic from "@anthropic-ai/sdk";

import { modelAt, setEnv } from "../../testing/asking.ts";
import type { Context, Model, StreamOptions, ToolResultMessage } from "../../types.ts";
import { bodyCheck, fullContext, readParameters } from "../testing/bodies.ts";
import { answer, call, image, result, text, thinking, user } from "../testing/messages.ts";
import { notes } from "../notes/index.ts";
import { encode } from "./encode.ts";

/** The vendor's newest models accept no temperature, so its types have none; the older ones still do. */
type Body = Anthropic.MessageCreateParamsStreaming & { temperature?: number };

const model = modelAt("", "anthropic-messages", { reasoning: true });
const cache_control = { type: "ephemeral" } as const;

const expectBody = bodyCheck<Body>(encode, model);

test("a prompt", () => {
	expectBody(
		{
			model: "played-1",
			max_tokens: 8192,
			stream: true,
			messages: [{ role: "user", content: [{ type: "text", text: "hello", cache_control }] }],
		},
		{ messages: [user("hello")] },
	);
});

test("a system prompt, tools, a picture, thinking, parallel calls with a failed one, and the next prompt", () => {
	expectBody(
		{
			model: "played-1",
			max_tokens: 1000,
			stream: true,
			temperature: 0,
			system: [{ type: "text", text: "Be brief.", cache_control }],
			tools: [
				{
					name: "read",
					description: "Reads a file",
					input_schema: readParameters,
					eager_input_streaming: true,
					cache_control,
				},
			],
			messages: [
				{
					role: "user",
					content: [
						{ type: "text", text: "what is this?" },
						{
							type: "image",
							source: { type: "base64", media_type: "image/png", data: "iVBO" },
							cache_control,
						},
					],
				},
				{
					role: "assistant",
					content: [
						{ type: "thinking", thinking: "hm", signature: "c2ln" },
						{ type: "redacted_thinking", data: "b3Bh" },
						{ type: "text", text: "Let me look." },
						{ type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
						{ type: "tool_use", id: "t2", name: "read", input: {} },
					],
				},
				{
					role: "user",
					content: [
						{
							type: "tool_result",
							tool_use_id: "t1",
							content: [
								{ type: "text", text: "it is" },
								{ type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
							],
						},
						{
							type: "tool_result",
							tool_use_id: "t2",
							content: [{ type: "text", text: "no path" }],
							is_error: true,
						},
						{ type: "text", text: "go on", cache_control },
					],
				},
			],
		},
		fullContext(thinking("hm", "c2ln"), { ...thinking("", "b3Bh"), redacted: true }),
		{ maxTokens: 1000, temperature: 0 },
	);
});

describe("thinking", () => {
	test.each([
		["minimal", 50_000, 1024],
		["low", 50_000, 2048],
		["medium", 50_000, 8192],
		["high", 50_000, 16_384],
		["xhigh", 50_000, 32_768],
		["xhigh", 4000, 2976],
	] as const)(
		"%s of %p tokens has a budget of %p, and no temperature beside it",
		(reasoning, maxTokens, budget) => {
			const body = encode({ ...model, maxTokens }, { messages: [user("hi")] }, { reasoning, temperature: 1 });
			expect(body.thinking).toEqual({ type: "enabled", budget_tokens: budget });
			expect(body).not.toHaveProperty("temperature");
		},
	);

	test.each([
		["off", true, 50_000],
		["high", false, 50_000],
		["high", true, 2000],
		[undefined, true, 50_000],
	] as const)("%p (model reasons: %p) of %p tokens has none", (reasoning, reasons, maxTokens) => {
		const options = reasoning === undefined ? {} : { reasoning };
		const body = encode({ ...model, reasoning: reasons, maxTokens }, { messages: [user("hi")] }, options);
		expect(body).not.toHaveProperty("thinking");
	});

	test("without a signature is not sent back", () => {
		const body = encode(model, { messages: [user("a"), answer(thinking("hm")), user("b")] }, {});
		expect(body.messages).toEqual([
			{
				role: "user",
				content: [
					{ type: "text", text: "a" },
					{ type: "text", text: "b", cache_control },
				],
			},
		]);
	});
});

describe("an effort instead of a budget", () => {
	const adaptive = { compat: { forceAdaptiveThinking: true } };

	test.each([
		[{}, "minimal", "low"],
		[{}, "low", "low"],
		[{}, "high", "high"],
		[{}, "xhigh", "high"],
		[{ xhigh: "xhigh" }, "xhigh", "xhigh"],
		[{ max: "max" }, "max", "max"],
		[{ minimal: null, low: null }, "minimal", "medium"],
	] as const)("%j maps %s to %s", (thinkingLevelMap, reasoning, effort) => {
		expectBody(
			{
				model: "played-1",
				max_tokens: 8192,
				stream: true,
				messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control }] }],
				thinking: { type: "adaptive", display: "summarized" },
				output_config: { effort },
			},
			{ messages: [user("hi")] },
			{ reasoning, temperature: 1 },
			{ ...adaptive, thinkingLevelMap },
		);
	});

	test.each([
		[{}, "off", { type: "disabled" }],
		[{ off: "none" }, "off", { type: "disabled" }],
		[{ off: null }, "off", undefined],
		[{}, undefined, undefined],
	] as const)("%j maps %p to %j", (thinkingLevelMap, reasoning, expected) => {
		const options = reasoning === undefined ? {} : { reasoning };
		const body = encode({ ...model, ...adaptive, thinkingLevelMap }, { messages: [] }, options);
		expect(body["thinking"]).toEqual(expected);
		expect(body).not.toHaveProperty("output_config");
	});

	test("a model that does not reason gets no thinking field", () => {
		const body = encode({ ...model, ...adaptive, reasoning: false }, { messages: [] }, { reasoning: "high" });
		expect(body).not.toHaveProperty("thinking");
	});
});

test("a budget below the API's minimum is raised to it", () => {
	const options: StreamOptions = { reasoning: "low", thinkingBudgets: { low: 100 } };
	expect(encode({ ...model, maxTokens: 1200 }, { messages: [] }, options)).toMatchObject({
		thinking: { budget_tokens: 1024 },
		max_tokens: 1200,
	});
});

test("non-interleaved thinking has its tokens on top of the answer's", () => {
	const big = { ...model, maxTokens: 20_000 };
	const options: StreamOptions = { reasoning: "medium", maxTokens: 4000 };
	expect(encode(big, { messages: [] }, options)).toMatchObject({
		max_tokens: 4000,
		thinking: { budget_tokens: 2976 },
	});
	using _ = setEnv({ TAU_NO_INTERLEAVED_THINKING: "1" });
	expect(encode(big, { messages: [] }, options)).toMatchObject({
		max_tokens: 12_192,
		thinking: { budget_tokens: 8192 },
	});
	expect(encode(big, { messages: [] }, { ...options, reasoning: "xhigh" })).toMatchObject({
		max_tokens: 20_000,
		thinking: { budget_tokens: 18_976 },
	});
});

const tools = [{ name: "ls", description: "Lists", parameters: { type: "object", properties: {} } }];

describe("the choice of tools", () => {
	test.each<[StreamOptions["toolChoice"], boolean | undefined, Anthropic.ToolChoice | undefined]>([
		[undefined, undefined, undefined],
		["auto", undefined, { type: "auto" }],
		["none", undefined, { type: "none" }],
		["required", undefined, { type: "any" }],
		[{ name: "ls" }, undefined, { type: "tool", name: "ls" }],
		[undefined, true, undefined],
		[undefined, false, { type: "auto", disable_parallel_tool_use: true }],
		["none", false, { type: "none" }],
		["required", false, { type: "any", disable_parallel_tool_use: true }],
		[{ name: "ls" }, false, { type: "tool", name: "ls", disable_parallel_tool_use: true }],
	])("%j with parallel calls %p is %j", (toolChoice, parallelTools, expected) => {
		const compat = parallelTools === undefined ? {} : { parallelTools };
		const options = toolChoice === undefined ? {} : { toolChoice };
		const body = encode({ ...model, compat }, { messages: [user("hi")], tools }, options);
		expect(body["tool_choice"]).toEqual(expected);
		expect(encode({ ...model, compat }, { messages: [user("hi")] }, options)).not.toHaveProperty(
			"tool_choice",
		);
	});

	test.each<[Partial<Model>, object]>([
		[{}, { tool_choice: { type: "any" } }],
		[
			{ compat: { forceAdaptiveThinking: true } },
			{ tool_choice: { type: "any" }, thinking: { type: "disabled" } },
		],
		[
			{ compat: { forceAdaptiveThinking: true }, thinkingLevelMap: { off: null } },
			{ tool_choice: { type: "auto" }, thinking: { type: "adaptive" } },
		],
	])("a tool is not forced upon a model that thinks: %j", (change, expected) => {
		const options: StreamOptions = { toolChoice: "required", reasoning: "high" };
		const body = encode({ ...model, ...change }, { messages: [user("hi")], tools }, options);
		expect(body).toMatchObject(expected);
		if (!change.compat) expect(body).not.toHaveProperty("thinking");
	});
});

test("a choice between objects is one object for the API", () => {
	const parameters = {
		anyOf: [
			{ type: "object", properties: { a: { type: "string" } }, required: ["a"] },
			{ type: "object", properties: { b: { type: "string" } }, required: ["b"] },
		],
	};
	const body = encode(model, { messages: [], tools: [{ name: "t", description: "", parameters }] }, {});
	expect(body["tools"]).toMatchObject([{ input_schema: { type: "object", properties: { a: {}, b: {} } } }]);
});

describe("the cache", () => {
	const context: Context = {
		systemPrompt: "Be brief.",
		tools: [...tools, { name: "ps", description: "Processes", parameters: {} }],
		messages: [
			user("a"),
			answer(call("1"), call("2")),
			result("1", text("x")),
			result("2", text("y")),
			answer(text("b"), thinking("hm", "s")),
		],
	};
	const marks = (change: Partial<Model>, options: StreamOptions) =>
		[
			...JSON.stringify(encode({ ...model, ...change }, context, options)).matchAll(
				/"cache_control":({.*?})/g,
			),
		].map(([, mark]) => mark);

	test("is marked on the system prompt, the last tool and the last two user turns, never on thinking", () => {
		const body = encode(model, context, {});
		expect(body).toMatchObject({
			system: [{ cache_control }],
			tools: [{ name: "ls" }, { name: "ps", cache_control }],
			messages: [
				{ content: [{ text: "a", cache_control }] },
				{ role: "assistant" },
				{ content: [{ tool_use_id: "1" }, { tool_use_id: "2", cache_control }] },
				{ role: "assistant" },
			],
		});
		expect(marks({}, {})).toHaveLength(4);
	});

	test.each<[Partial<Model>, StreamOptions, number, string]>([
		[{}, { cacheRetention: "short" }, 4, '{"type":"ephemeral"}'],
		[{}, { cacheRetention: "long" }, 4, '{"type":"ephemeral","ttl":"1h"}'],
		[{}, { cacheRetention: "none" }, 0, ""],
		[
			{ compat: { supportsLongCacheRetention: false } },
			{ cacheRetention: "long" },
			4,
			'{"type":"ephemeral"}',
		],
		[{ compat: { supportsCacheControlOnTools: false } }, {}, 3, '{"type":"ephemeral"}'],
	])("%j with %j has %d marks: %s", (change, options, count, mark) => {
		expect(marks(change, options)).toEqual(Array.from({ length: count }, () => mark));
	});
});

describe("what differs between vendors", () => {
	const context: Context = { messages: [user("a"), answer(thinking("hm"), thinking(" "), text("b"))], tools };

	test("a server that signs nothing gets its thinking back", () => {
		const body = encode({ ...model, compat: { allowEmptySignature: true } }, context, {});
		expect(body["messages"]).toMatchObject([
			{ role: "user" },
			{ content: [{ type: "thinking", thinking: "hm", signature: "" }, { text: "b" }] },
		]);
		expect(JSON.stringify(encode(model, context, {}))).not.toContain("hm");
	});

	test("a server without eager tool streaming does not get the flag", () => {
		const compat = { supportsEagerToolInputStreaming: false };
		expect(JSON.stringify(encode({ ...model, compat }, context, {}))).not.toContain("eager");
	});

	const referring = { supportsToolReferences: true };
	const search = { ...result("c1", text("You can call: ls")), foundTools: ["gone", "ls"] };
	const searched: Context = {
		tools: [{ name: "find", description: "Finds", parameters: {} }, ...tools],
		messages: [user("a"), answer(call("c1", "find", {})), search],
	};

	test("tools that a search has found are declared by its result, and not cached before it", () => {
		expectBody(
			{
				model: "played-1",
				max_tokens: 8192,
				stream: true,
				tools: [
					{
						name: "find",
						description: "Finds",
						input_schema: { type: "object", properties: {} },
						eager_input_streaming: true,
						cache_control,
					},
					{
						name: "ls",
						description: "Lists",
						input_schema: { type: "object", properties: {} },
						eager_input_streaming: true,
						defer_loading: true,
					},
				],
				messages: [
					{ role: "user", content: [{ type: "text", text: "a", cache_control }] },
					{ role: "assistant", content: [{ type: "tool_use", id: "c1", name: "find", input: {} }] },
					{
						role: "user",
						content: [
							{
								type: "tool_result",
								tool_use_id: "c1",
								content: [{ type: "tool_reference", tool_name: "ls" }],
								cache_control,
							},
						],
					},
				],
			},
			searched,
			{},
			{ compat: referring },
		);
	});

	test.each<[string, Partial<Model>, Context]>([
		["a gateway", { baseUrl: "https://gateway.example" }, searched],
		["a model that is marked", { compat: { supportsToolReferences: false } }, searched],
		["a request without other tools", { compat: referring }, { ...searched, tools }],
		[
			"a result with notes",
			{ compat: referring },
			withResult({ ...search, content: [text("ls"), text("b is down")] }),
		],
		[
			"a result that was removed",
			{ compat: referring },
			withResult({ ...search, elided: { tokens: 1, at: 0 } }),
		],
	])("%s gets text and plain declarations", (_, facts, sent) => {
		const body = JSON.stringify(encode({ ...model, ...facts }, sent, {}));
		expect(body).not.toContain("defer_loading");
		expect(body).not.toContain("tool_reference");
	});

	function withResult(message: ToolResultMessage): Context {
		return { ...searched, messages: [...searched.messages.slice(0, -1), message] };
	}

	test("a model without a temperature gets none", () => {
		const options = { temperature: 0.5 };
		expect(encode(model, context, options)).toMatchObject(options);
		const compat = { supportsTemperature: false };
		expect(encode({ ...model, compat }, context, options)).not.toHaveProperty("temperature");
	});
});

test.each([
	["auto", "auto"],
	["priority", "auto"],
	["standard_only", "standard_only"],
	["default", "standard_only"],
	["flex", undefined],
	["constructor", undefined],
])("the service tier %s is %p", (serviceTier, expected) => {
	expect(encode(model, { messages: [] }, { serviceTier })["service_tier"]).toBe(expected);
});

test("of the metadata only a valid user id is sent", () => {
	const metadata = { user_id: "u-1", project: "secret" };
	expect(encode(model, { messages: [] }, { metadata })["metadata"]).toEqual({ user_id: "u-1" });
	expect(encode(model, { messages: [] }, { metadata: { user_id: 7 } })).not.toHaveProperty("metadata");
});

test("no more tokens than the model's maximum are requested", () => {
	expect(encode(model, { messages: [] }, { maxTokens: 1_000_000 }).max_tokens).toBe(8192);
});

test("an empty result is a result, and a call without one gets one", () => {
	const messages = [user("go"), answer(call("1"), call("2")), result("1", text(" "))];
	const { content } = (encode(model, { messages }, {}).messages as Body["messages"])[2] ?? {};
	expect(content).toEqual([
		{ type: "tool_result", tool_use_id: "1", content: [] },
		{
			type: "tool_result",
			tool_use_id: "2",
			content: [{ type: "text", text: notes.neverRan }],
			is_error: true,
			cache_control,
		},
	]);
});

test("an empty list of tools is omitted, and a provider's extra fields are added", () => {
	const extra = { compat: { extraBody: { service_tier: "standard_only" } } };
	const body = encode({ ...model, ...extra }, { messages: [user("hi")], tools: [] }, {});
	expect(body).not.toHaveProperty("tools");
	expect(body.service_tier).toBe("standard_only");
});

test("an id that the API refuses is rewritten, for the call and for its result", () => {
	const messages = [user("go"), answer(call("call_1|fc_2")), result("call_1|fc_2")];
	expect(encode(model, { messages }, {}).messages).toMatchObject([
		{},
		{ content: [{ type: "tool_use", id: "call_1_fc_2" }] },
		{ content: [{ type: "tool_result", tool_use_id: "call_1_fc_2" }] },
	]);
});

test("encoding does not modify the conversation", () => {
	const messages = [user(text("a"), image), answer(thinking("x", "s"), call("1")), result("1", text("r"))];
	const before = structuredClone(messages);
	encode(model, { messages }, {});
	expect(messages).toEqual(before);
});
