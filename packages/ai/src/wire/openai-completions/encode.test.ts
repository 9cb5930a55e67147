/** The bodies that the Chat Completions API expects, written by hand and checked against the vendor's types. */
import { describe, expect, test } from "bun:test";
import type OpenAI from "openai";

import { modelAt } from "../../testing/asking.ts";
import { list, object } from "../../json.ts";
import type { AssistantContent, Compat, Context, Message, Model, StreamOptions } from "../../types.ts";
import { bodyCheck, fullContext, readTool } from "../testing/bodies.ts";
import { answer, audio, call, image, result, text, thinking, user } from "../testing/messages.ts";
import { foreignThinking, notes } from "../notes/index.ts";
import { encode } from "./encode.ts";

type Body = OpenAI.ChatCompletionCreateParamsStreaming;

const model = modelAt("", "openai-completions");
const picture = { type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } } as const;

const expectBody = bodyCheck<Body>(encode, model);

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
	expectBody(
		{
			model: "played-1",
			stream: true,
			stream_options: { include_usage: true },
			max_completion_tokens: 1000,
			temperature: 0,
			tools: [{ type: "function", function: readTool }],
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
		fullContext(thinking("hm")),
		{ maxTokens: 1000, temperature: 0 },
	);
});

test("an answer with only calls has no text, one with only thinking is omitted, an empty result gets a note", () => {
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
		[{}, "service_tier"],
		[{ supportsReasoningEffort: false }, "reasoning_effort"],
		[{ supportsUsageInStreaming: false }, "stream_options"],
		[{ maxTokensField: "max_tokens" }, "max_completion_tokens"],
	])("%j has no %s", (compat, field) => {
		expect(bodyWith(compat)).not.toHaveProperty(field);
	});

	test("a model that does not reason gets neither an effort nor a developer message", () => {
		const body = bodyWith({ supportsDeveloperRole: true }, { reasoning: false });
		expect(body).not.toHaveProperty("reasoning_effort");
		expect(body.messages).toMatchObject([{ role: "system" }, { role: "user" }]);
	});

	test("a model without a temperature gets none, and no more than its maximum of tokens is requested", () => {
		const wished: StreamOptions = { temperature: 0.5, maxTokens: 1_000_000, serviceTier: "flex" };
		expect(encode(model, context, wished)).toMatchObject({
			temperature: 0.5,
			max_completion_tokens: 8192,
			service_tier: "flex",
		});
		const without = { ...model, compat: { supportsTemperature: false } };
		expect(encode(without, context, wished)).not.toHaveProperty("temperature");
	});
});

describe("thinking is requested in each vendor's format", () => {
	const base = encode(model, { messages: [] }, {});
	/** The fields that an option adds to a body. */
	function added(reasoning: StreamOptions["reasoning"], change: Partial<Model>): object {
		const body = encode(
			{ ...model, reasoning: true, ...change },
			{ messages: [] },
			reasoning === undefined ? {} : { reasoning },
		);
		return Object.fromEntries(Object.entries(body).filter(([field]) => !(field in base)));
	}

	test.each<[Compat["thinkingFormat"], object, object]>([
		["openai", { reasoning_effort: "high" }, {}],
		["openrouter", { reasoning: { effort: "high" } }, { reasoning: { effort: "none" } }],
		[
			"deepseek",
			{ thinking: { type: "enabled" }, reasoning_effort: "high" },
			{ thinking: { type: "disabled" } },
		],
		[
			"together",
			{ reasoning: { enabled: true }, reasoning_effort: "high" },
			{ reasoning: { enabled: false } },
		],
		["zai", { thinking: { type: "enabled" } }, { thinking: { type: "disabled" } }],
		["qwen", { enable_thinking: true }, { enable_thinking: false }],
		[
			"qwen-chat-template",
			{ chat_template_kwargs: { enable_thinking: true, preserve_thinking: true } },
			{ chat_template_kwargs: { enable_thinking: false, preserve_thinking: true } },
		],
	])("%s maps high to %j and off to %j", (thinkingFormat, high, off) => {
		const change = { compat: thinkingFormat ? { thinkingFormat } : {} };
		expect(added("high", change)).toEqual({ ...high });
		expect(added("off", change)).toEqual({ ...off });
		expect(added(undefined, change)).toEqual({});
		expect(added("high", { ...change, reasoning: false })).toEqual({});
		// A model that cannot stop thinking does not get off.
		expect(added("off", { ...change, thinkingLevelMap: { off: null } })).toEqual({});
	});

	test.each<[Compat, object]>([
		[{ thinkingFormat: "deepseek", supportsReasoningEffort: false }, { thinking: { type: "enabled" } }],
		[{ thinkingFormat: "together", supportsReasoningEffort: false }, { reasoning: { enabled: true } }],
		[
			{ thinkingFormat: "zai", supportsReasoningEffort: true },
			{ thinking: { type: "enabled" }, reasoning_effort: "max" },
		],
		[
			{ thinkingFormat: "qwen", supportsReasoningEffort: true },
			{ enable_thinking: true, reasoning_effort: "max" },
		],
		[{ thinkingFormat: "openrouter" }, { reasoning: { effort: "max" } }],
		[{}, { reasoning_effort: "max" }],
	])("%j maps the highest level to %j", (compat, expected) => {
		expect(added("max", { compat, thinkingLevelMap: { max: "max" } })).toEqual({ ...expected });
	});

	test.each([
		["off", undefined],
		["minimal", "minimal"],
		["medium", "medium"],
		["xhigh", "high"],
	] as const)("%s is effort %p", (reasoning, effort) => {
		expect(added(reasoning, {})).toEqual(effort ? { reasoning_effort: effort } : {});
	});

	test("a model with a name for off gets it", () => {
		const change = { thinkingLevelMap: { off: "none" } };
		expect(added("off", change)).toEqual({ reasoning_effort: "none" });
		expect(added("off", { ...change, compat: { thinkingFormat: "deepseek" } })).toEqual({
			thinking: { type: "disabled" },
		});
	});
});

describe("thinking is sent back in its original form", () => {
	const replayed = (compat: Compat, ...content: AssistantContent[]) =>
		list(encode({ ...model, compat }, { messages: [user("a"), answer(...content)] }, {}).messages)[1];

	test("in the field that it was read from", () => {
		const content = [thinking("h", "reasoning"), thinking("m", "reasoning"), text("b")];
		expect(replayed({}, ...content)).toEqual({ role: "assistant", content: "b", reasoning: "hm" });
		expect(replayed({}, thinking("hm", "c2ln"), text("b"))).toEqual({ role: "assistant", content: "b" });
	});

	test("with every answer, for a server that requires it", () => {
		const compat = { requiresReasoningContentOnAssistantMessages: true };
		expect(replayed(compat, thinking("hm", "reasoning"), text("b"))).toEqual({
			role: "assistant",
			content: "b",
			reasoning_content: "hm",
		});
		expect(replayed(compat, text("b"))).toMatchObject({ reasoning_content: "" });
	});

	test("as text, for a server without a field for it", () => {
		const compat = { requiresThinkingAsText: true };
		const hidden = { ...thinking("", "x"), redacted: true };
		expect(replayed(compat, thinking("hm", "reasoning"), hidden, text("b"))).toEqual({
			role: "assistant",
			content: `${foreignThinking("hm")}\nb`,
		});
	});

	test("as the details that a gateway signed, also those that pi stored with a call", () => {
		const signed = { type: "reasoning.text", text: "hm", signature: "s", index: 0 };
		const hidden = { type: "reasoning.encrypted", data: "x", id: "1" };
		const signedCall = { ...call("1", "ls"), thoughtSignature: JSON.stringify(hidden) };
		const replay = replayed(
			{},
			thinking("hm", JSON.stringify([signed])),
			thinking("more", "reasoning"),
			signedCall,
		);
		expect(replay).toMatchObject({ content: null, reasoning_details: [signed, hidden] });
		expect(replay).not.toHaveProperty("reasoning");
	});

	test.each(["[", "{}", "[]", '["x"]', '{"type":"message"}', '[{"type":"reasoning.text"},{}]', "null"])(
		"but a signature such as %s is ignored",
		(signature) => {
			expect(replayed({}, thinking("hm", signature), text("b"))).toEqual({
				role: "assistant",
				content: "b",
			});
		},
	);
});

describe("results of tools", () => {
	const turn = [user("go"), answer(call("1", "ls")), result("1", text("x"))];
	const rolesWith = (compat: Compat, ...messages: Message[]) =>
		list(encode({ ...model, compat }, { messages }, {}).messages).map((message) => object(message).role);

	test("contain the name of the tool if the server requires it", () => {
		const compat = { requiresToolResultName: true };
		const { messages } = encode({ ...model, compat }, { messages: turn }, {});
		expect(list(messages)[2]).toEqual({ role: "tool", tool_call_id: "1", name: "ls", content: "x" });
	});

	test("and their calls have ids of nine letters and digits if the server requires them", () => {
		const compat = { requiresMistralToolIds: true };
		const calls = [answer(call("toolu_01Abc", "ls"), call("AbCdEf123", "ls"))];
		const results = [result("toolu_01Abc", text("x")), result("AbCdEf123", text("y"))];
		const { messages } = encode({ ...model, compat }, { messages: [user("go"), ...calls, ...results] }, {});
		const [, assistant, first, second] = list(messages).map(object);
		const ids = list(assistant?.tool_calls).map((asking) => object(asking).id);
		for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
		expect(new Set(ids).size).toBe(2);
		expect([first?.tool_call_id, second?.tool_call_id]).toEqual(ids);
	});

	test("are followed by an answer if a user message may not come at once", () => {
		const compat = { requiresAssistantAfterToolResult: true };
		const roles = ["user", "assistant", "tool"];
		expect(rolesWith(compat, ...turn)).toEqual(roles);
		expect(rolesWith(compat, ...turn, user("b"))).toEqual([...roles, "assistant", "user"]);
		expect(rolesWith(compat, ...turn, answer(text("b")))).toEqual([...roles, "assistant"]);
		expect(rolesWith({}, ...turn, user("b"))).toEqual([...roles, "user"]);
		const seen = [user("go"), answer(call("1")), result("1", image), user("b")];
		expect(rolesWith(compat, ...seen)).toEqual([...roles, "assistant", "user", "user"]);
	});
});

describe("tools", () => {
	const parameters = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
	const tools = [{ name: "ls", description: "Lists", parameters }];
	const bodyWith = (compat: Compat, options: StreamOptions = {}) =>
		encode({ ...model, compat }, { messages: [], tools }, options);

	test.each<[StreamOptions["toolChoice"], Body["tool_choice"]]>([
		["auto", "auto"],
		["none", "none"],
		["required", "required"],
		[{ name: "ls" }, { type: "function", function: { name: "ls" } }],
	])("the choice %j is %j, and needs tools", (toolChoice, expected) => {
		const options = toolChoice === undefined ? {} : { toolChoice };
		expect(bodyWith({}, options)["tool_choice"]).toEqual(expected ?? "missing");
		expect(encode(model, { messages: [] }, options)).not.toHaveProperty("tool_choice");
	});

	test("may be restricted to one call at a time, and streamed", () => {
		expect(bodyWith({ parallelTools: false })).toMatchObject({ parallel_tool_calls: false });
		expect(bodyWith({ zaiToolStream: true })).toMatchObject({ tool_stream: true });
		for (const field of ["parallel_tool_calls", "tool_stream", "tool_choice"])
			expect(bodyWith({})).not.toHaveProperty(field);
	});

	test("are strict if the server supports it, and the schema allows it", () => {
		const strict = { name: "ls", description: "Lists", strict: true };
		const held = { ...parameters, additionalProperties: false };
		expect(bodyWith({ supportsStrictMode: true })["tools"]).toEqual([
			{ type: "function", function: { ...strict, parameters: held } },
		]);
		const loose = [{ name: "ls", description: "Lists", parameters: { ...parameters, required: [] } }];
		const compat = { supportsStrictMode: true };
		const declined = [{ name: "ls", description: "Lists", parameters, strict: false }];
		expect(encode({ ...model, compat }, { messages: [], tools: declined }, {})["tools"]).toEqual([
			{ type: "function", function: { name: "ls", description: "Lists", parameters } },
		]);
		expect(encode({ ...model, compat }, { messages: [], tools: loose }, {})["tools"]).toEqual([
			{ type: "function", function: loose[0] },
		]);
	});
});

describe("the cache", () => {
	const messages = [
		user("a"),
		answer(call("1", "ls")),
		result("1", text("x"), image),
		answer(text("b")),
		user("c"),
	];
	const context: Context = {
		systemPrompt: "Be brief.",
		messages,
		tools: [{ name: "ls", description: "Lists", parameters: {} }],
	};
	const cache_control = { type: "ephemeral" };

	test("has a key and a retention if the vendor stores conversations", () => {
		const store = { ...model, compat: { supportsStore: true } };
		const options: StreamOptions = { sessionId: "s".repeat(99), cacheRetention: "long" };
		expect(encode(store, context, options)).toMatchObject({
			prompt_cache_key: "s".repeat(64),
			prompt_cache_retention: "24h",
		});
		const short = encode(store, context, { sessionId: "s" });
		expect(short["prompt_cache_key"]).toBe("s");
		expect(short).not.toHaveProperty("prompt_cache_retention");
		const none = [
			encode(store, context, { ...options, cacheRetention: "none" }),
			encode(model, context, options),
		];
		for (const body of none) {
			expect(body).not.toHaveProperty("prompt_cache_key");
			expect(body).not.toHaveProperty("prompt_cache_retention");
		}
	});

	test("is marked in Anthropic's format, behind a gateway", () => {
		const gateway = { ...model, compat: { cacheControlFormat: "anthropic" as const } };
		expect(encode(gateway, context, {})).toMatchObject({
			tools: [{ type: "function", cache_control }],
			messages: [
				{ role: "system", content: [{ text: "Be brief.", cache_control }] },
				{ role: "user", content: [{ type: "text", text: "a" }] },
				{ role: "assistant" },
				{ role: "tool", content: [{ type: "text" }] },
				{ role: "user", content: [{ type: "image_url", cache_control }] },
				{ role: "assistant", content: "b" },
				{ role: "user", content: [{ text: "c", cache_control }] },
			],
		});
		const marks = (options: StreamOptions, compat: Compat = {}) =>
			JSON.stringify(
				encode({ ...gateway, compat: { ...gateway.compat, ...compat } }, context, options),
			).match(/"cache_control":{.*?}/g);
		expect(marks({})).toHaveLength(4);
		const long = '"cache_control":{"type":"ephemeral","ttl":"1h"}';
		expect(marks({ cacheRetention: "long" })).toEqual([long, long, long, long]);
		expect(marks({}, { supportsCacheControlOnTools: false })).toHaveLength(3);
		expect(marks({ cacheRetention: "none" })).toBeNull();
		expect(encode(model, context, {})).toEqual(encode(model, context, { cacheRetention: "none" }));
	});
});

test.each([
	["audio/wav", "wav"],
	["audio/x-wav", "wav"],
	["audio/vnd.wave", "wav"],
	["audio/mpeg", "mp3"],
	["audio/flac", "flac"],
])("audio of the type %s has the format %s", (mimeType, format) => {
	const hearing: Model = { ...model, input: ["text", "audio"] };
	const { messages } = encode(hearing, { messages: [user(text("listen"), { ...audio, mimeType })] }, {});
	expect(messages).toMatchObject([
		{
			role: "user",
			content: [
				{ type: "text", text: "listen" },
				{ type: "input_audio", input_audio: { data: "UklG", format } },
			],
		},
	]);
});

test("encoding does not modify the conversation", () => {
	const messages = [user(text("a"), image), answer(thinking("x", "s"), call("1")), result("1", text("r"))];
	const before = structuredClone(messages);
	encode({ ...model, compat: { cacheControlFormat: "anthropic" } }, { messages }, {});
	expect(messages).toEqual(before);
});
