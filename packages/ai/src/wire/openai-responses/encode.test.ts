/** The bodies that the Responses API expects, written by hand and checked against the vendor's types. */
import { describe, expect, test } from "bun:test";
import type OpenAI from "openai";

import { modelAt } from "../../testing/asking.ts";
import type { Json } from "../../json.ts";
import type { Compat, Context, Model, StreamOptions } from "../../types.ts";
import { answer, call, image, result, text, thinking, user } from "../testing/messages.ts";
import { notes } from "../notes/index.ts";
import { openaiResponses } from "./index.ts";

/**
 * The vendor's types allow an answer without an id only as a string; its own Codex sends it as here, and it is
 * accepted.
 */
interface Unnamed {
	type: "message";
	role: "assistant";
	content: { type: "output_text"; text: string }[];
	phase?: string;
}
type Item = OpenAI.Responses.ResponseInputItem | Unnamed;
type Body = Omit<OpenAI.Responses.ResponseCreateParamsStreaming, "input"> & { input: Item[] };

const model = modelAt("", "openai-responses");
const reasoner = modelAt("", "openai-responses", { reasoning: true });
const picture = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBO" } as const;

function encode(target: Model, context: Context, options: StreamOptions = {}): Json {
	return openaiResponses.encode(target, context, options) as Json;
}

function expectBody(body: Body, target: Model, context: Context, options: StreamOptions = {}): void {
	expect(encode(target, context, options)).toEqual({ ...body });
}

function expectInput(input: Item[], messages: Context["messages"], target = model): void {
	expect(encode(target, { messages }).input).toEqual(input);
}

function userItem(label: string): Item {
	return { type: "message", role: "user", content: [{ type: "input_text", text: label }] };
}

test("a prompt", () => {
	expectBody({ model: "played-1", stream: true, store: false, input: [userItem("hello")] }, model, {
		messages: [user("hello")],
	});
});

test("a system prompt, tools, pictures, parallel calls with a failed one, and the next prompt", () => {
	const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
	expectBody(
		{
			model: "played-1",
			stream: true,
			store: false,
			max_output_tokens: 1000,
			temperature: 0,
			tools: [{ type: "function", name: "read", description: "Reads a file", parameters, strict: false }],
			input: [
				{ type: "message", role: "system", content: [{ type: "input_text", text: "Be brief." }] },
				{
					type: "message",
					role: "user",
					content: [{ type: "input_text", text: "what is this?" }, picture],
				},
				{
					type: "message",
					role: "assistant",
					id: "msg_1",
					status: "completed",
					content: [{ type: "output_text", text: "Let me look.", annotations: [] }],
				},
				{ type: "function_call", id: "fc_1", call_id: "c1", name: "read", arguments: '{"path":"a"}' },
				{ type: "function_call", call_id: "c2", name: "read", arguments: "{}" },
				{
					type: "function_call_output",
					call_id: "c1",
					output: [{ type: "input_text", text: "it is" }, picture],
				},
				{ type: "function_call_output", call_id: "c2", output: "no path\nat all" },
				userItem("go on"),
			],
		},
		model,
		{
			systemPrompt: "Be brief.",
			tools: [{ name: "read", description: "Reads a file", parameters }],
			messages: [
				user(text("what is this?"), image),
				answer(
					{ ...text("Let me look."), textSignature: "msg_1" },
					call("c1|fc_1", "read", { path: "a" }),
					call("c2", "read"),
				),
				result("c1|fc_1", text("it is"), image),
				{ ...result("c2", text("no path"), text("at all")), isError: true },
				user("go on"),
			],
		},
		{ maxTokens: 1000, temperature: 0 },
	);
});

const secret: OpenAI.Responses.ResponseReasoningItem = {
	type: "reasoning",
	id: "rs_1",
	summary: [],
	encrypted_content: "c2VjcmV0",
};
const signature = JSON.stringify(secret);
const named = { ...text("yes"), textSignature: "msg_1" };
const namedItem: OpenAI.Responses.ResponseOutputMessage = {
	type: "message",
	role: "assistant",
	id: "msg_1",
	status: "completed",
	content: [{ type: "output_text", text: "yes", annotations: [] }],
};
const unnamedItem: Unnamed = {
	type: "message",
	role: "assistant",
	content: [{ type: "output_text", text: "yes" }],
};

describe("an answer is sent back", () => {
	test("with its reasoning before it, under its own ids, to its own model", () => {
		expectInput(
			[
				userItem("a"),
				secret,
				namedItem,
				{ type: "function_call", id: "fc_1", call_id: "c1", name: "ls", arguments: "{}" },
				{ type: "function_call_output", call_id: "c1", output: notes.noOutput },
			],
			[user("a"), answer(thinking("hm", signature), named, call("c1|fc_1", "ls")), result("c1|fc_1")],
		);
	});

	test("without ids and reasoning to another model", () => {
		const foreign = { ...answer(thinking("hm", signature), named, call("c1|fc_1", "ls")), model: "other-1" };
		expectInput(
			[
				unnamedItem,
				{ type: "function_call", call_id: "c1_fc_1", name: "ls", arguments: "{}" },
				{ type: "function_call_output", call_id: "c1_fc_1", output: "ok" },
			],
			[foreign, result("c1|fc_1", text("ok"))],
		);
	});

	test("without ids when it was interrupted, as its reasoning is lost", () => {
		expectInput([unnamedItem], [{ ...answer(thinking("hm", signature), named), stopReason: "aborted" }]);
	});

	test.each([
		["none", undefined],
		["of another protocol", "c2ln"],
		["of a field", "reasoning_content"],
		["without its secret", JSON.stringify({ ...secret, encrypted_content: null })],
		["of something else", JSON.stringify({ ...secret, type: "message" })],
	])("without ids after reasoning that cannot go back: signature %s", (_name, bad) => {
		expectInput([unnamedItem], [answer(thinking("hm", bad), named)]);
		expectInput(
			[unnamedItem, secret, unnamedItem],
			[answer(thinking("hm", bad), named, thinking("hm", signature), named)],
		);
	});

	test("without reasoning that no content follows", () => {
		expectInput([userItem("a"), userItem("b")], [user("a"), answer(thinking("hm", signature)), user("b")]);
		expectInput([namedItem], [answer(named, thinking("hm", signature), text(" "))]);
	});

	test("with the plain text of servers without encrypted content, but never both", () => {
		const content = [{ type: "reasoning_text" as const, text: "hm" }];
		const { encrypted_content: _, ...open } = secret;
		const both = JSON.stringify({ ...secret, content, status: "completed" });
		expectInput([secret, namedItem], [answer(thinking("hm", both), named)]);
		const onlyOpen = JSON.stringify({ ...open, content, status: null });
		expectInput([{ ...open, content }, namedItem], [answer(thinking("hm", onlyOpen), named)]);
	});

	test("with its phase", () => {
		const signed = (value: object) => answer({ ...text("yes"), textSignature: JSON.stringify(value) });
		expectInput(
			[{ ...namedItem, phase: "commentary" }],
			[signed({ v: 1, id: "msg_1", phase: "commentary" })],
		);
		expectInput([{ ...unnamedItem, phase: "final_answer" }], [signed({ v: 1, phase: "final_answer" })]);
	});

	test("without ids that are longer than the server accepts", () => {
		const long = "x".repeat(65);
		const messages = [
			answer({ ...text("yes"), textSignature: long }, call(`c1|${long}`), call(`${long}|fc_2`)),
			result(`c1|${long}`, text("1")),
			result(`${long}|fc_2`, text("2")),
		];
		const short = "x".repeat(32);
		expectInput(
			[
				unnamedItem,
				{ type: "function_call", call_id: "c1", name: "tool", arguments: "{}" },
				{ type: "function_call", call_id: short, name: "tool", arguments: "{}" },
				{ type: "function_call_output", call_id: "c1", output: "1" },
				{ type: "function_call_output", call_id: short, output: "2" },
			],
			messages,
		);
	});

	test("under its ids only once, in a conversation that was copied into itself", () => {
		const twice = answer(thinking("hm", signature), named);
		const input = encode(model, { messages: [twice, twice] }).input as { id?: string }[];
		expect(input.map(({ id }) => id)).toEqual(["rs_1", "msg_1", undefined, undefined]);
	});

	test("with every call under a unique id", () => {
		const messages = [
			answer(call("c|fc_1"), call("c|fc_2"), call("c")),
			result("c|fc_2", text("second")),
			result("c", text("third")),
			result("c|fc_1", text("first")),
		];
		const input = encode(model, { messages }).input as { call_id: string; output?: string }[];
		const ids = input.slice(0, 3).map((item) => item.call_id);
		expect(new Set(ids).size).toBe(3);
		expect(input.slice(3)).toMatchObject([
			{ call_id: ids[0], output: "first" },
			{ call_id: ids[1], output: "second" },
			{ call_id: ids[2], output: "third" },
		]);
	});
});

describe("thinking", () => {
	const context = { messages: [user("hi")] };
	const include = ["reasoning.encrypted_content"];

	test.each([
		["high", {}, { effort: "high", summary: "auto" }],
		["xhigh", {}, { effort: "high", summary: "auto" }],
		["minimal", { minimal: null }, { effort: "low", summary: "auto" }],
		["off", { off: "none" }, { effort: "none" }],
		["off", { off: null }, undefined],
		[undefined, { off: "none" }, { effort: "none" }],
	] as const)("%p with the map %j is %j", (reasoning, thinkingLevelMap, expected) => {
		const options = reasoning ? { reasoning } : {};
		const body = encode({ ...reasoner, thinkingLevelMap }, context, options);
		expect(body.reasoning).toEqual(expected);
		expect(body.include).toEqual(include);
	});

	test("is not requested of a model that does not reason, nor if effort is unsupported", () => {
		const body = encode(model, context, { reasoning: "high" });
		expect([body.reasoning, body.include]).toEqual([undefined, undefined]);
		const without = { ...reasoner, compat: { supportsReasoningEffort: false } };
		expect(encode(without, context, { reasoning: "high" })).not.toHaveProperty("reasoning");
	});
});

describe("what differs between vendors", () => {
	const parameters = { type: "object", properties: {}, additionalProperties: false };
	const context: Context = {
		systemPrompt: "Be brief.",
		messages: [user("hi")],
		tools: [{ name: "ls", description: "", parameters }],
	};
	const options: StreamOptions = { temperature: 1, cacheRetention: "long", sessionId: "s-1" };
	const bodyWith = (compat: Compat, change: Partial<Model> = {}) =>
		encode({ ...model, ...change, compat }, context, options);

	test.each<[Compat, object]>([
		[{}, { prompt_cache_retention: "24h", prompt_cache_key: "s-1", temperature: 1 }],
		[{ parallelTools: false }, { parallel_tool_calls: false }],
		[{ extraBody: { top_p: 0.5, store: true } }, { top_p: 0.5, store: true }],
		[{ supportsStrictMode: true }, { tools: [{ name: "ls", strict: true }] }],
	])("%j adds %j", (compat, expected) => {
		expect(bodyWith(compat)).toMatchObject(expected);
	});

	test.each<[Compat, string]>([
		[{}, "parallel_tool_calls"],
		[{}, "tool_choice"],
		[{}, "service_tier"],
		[{}, "metadata"],
		[{}, "instructions"],
		[{ supportsLongCacheRetention: false }, "prompt_cache_retention"],
		[{ supportsTemperature: false }, "temperature"],
	])("%j has no %s", (compat, field) => {
		expect(bodyWith(compat)).not.toHaveProperty(field);
	});

	test("a tool may ask for strict mode, or decline it", () => {
		const held = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
		const strictOf = (compat: Compat, strict?: boolean) => {
			const tool = {
				name: "ls",
				description: "",
				parameters: held,
				...(strict === undefined ? {} : { strict }),
			};
			return encode({ ...model, compat }, { ...context, tools: [tool] }).tools;
		};
		expect(strictOf({}, true)).toMatchObject([{ strict: true, parameters: { additionalProperties: false } }]);
		expect(strictOf({})).toMatchObject([{ strict: false }]);
		expect(strictOf({ supportsStrictMode: true }, false)).toMatchObject([{ strict: false }]);
		expect(strictOf({ supportsStrictMode: false }, true)).toEqual([
			{ type: "function", name: "ls", description: "", parameters: held },
		]);
	});

	test("a schema that cannot be strict is not, and a server without strict mode does not get the flag", () => {
		const loose = { type: "object", properties: { a: { type: "string" } } };
		const tools = [{ name: "ls", description: "", parameters: loose }];
		const encodeWith = (compat: Compat) => encode({ ...model, compat }, { ...context, tools }).tools;
		expect(encodeWith({ supportsStrictMode: true })).toMatchObject([{ parameters: loose, strict: false }]);
		expect(encodeWith({ supportsStrictMode: false })).toEqual([
			{ type: "function", name: "ls", description: "", parameters: loose },
		]);
	});

	test("a model that reasons has a developer message and no temperature, unless its data says otherwise", () => {
		const body = bodyWith({}, { reasoning: true });
		expect(body.input).toMatchObject([{ role: "developer" }, { role: "user" }]);
		expect(body).not.toHaveProperty("temperature");
		const other = bodyWith({ supportsDeveloperRole: false, supportsTemperature: true }, { reasoning: true });
		expect(other).toMatchObject({ temperature: 1, input: [{ role: "system" }, { role: "user" }] });
	});
});

test("the caller's request options", () => {
	const tools = [{ name: "ls", description: "", parameters: { type: "object" } }];
	const context = { messages: [user("hi")], tools };
	const metadata = { user: "me", run: 7, dry: true, deep: { a: 1 }, long: "x".repeat(600) };
	expect(encode(model, context, { toolChoice: { name: "ls" }, serviceTier: "flex", metadata })).toMatchObject(
		{
			tool_choice: { type: "function", name: "ls" },
			service_tier: "flex",
			metadata: { user: "me", run: "7", dry: "true", long: "x".repeat(512) },
		},
	);
	expect(encode(model, context, { toolChoice: "required" }).tool_choice).toBe("required");
	expect(encode(model, { ...context, tools: [] }, { toolChoice: "none" })).not.toHaveProperty("tool_choice");
	const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, "v"]));
	expect(Object.keys(encode(model, context, { metadata: many }).metadata as object)).toHaveLength(16);
});

test("the number of tokens is kept within the API's limits", () => {
	const tokens = (maxTokens: number) => encode(model, { messages: [] }, { maxTokens }).max_output_tokens;
	expect([tokens(1), tokens(100), tokens(1_000_000)]).toEqual([16, 100, 8192]);
});

test("the cache key is cut to the API's maximum, and absent when nothing is to be cached", () => {
	const context = { messages: [user("hi")] };
	const sessionId = "s".repeat(99);
	expect(encode(model, context, { sessionId }).prompt_cache_key).toBe("s".repeat(64));
	expect(encode(model, context, { sessionId, cacheRetention: "none" })).not.toHaveProperty(
		"prompt_cache_key",
	);
});

test.each<[Compat, StreamOptions, object]>([
	[{}, { sessionId: "s" }, { session_id: "s" }],
	[{}, {}, {}],
	[{}, { sessionId: "s", cacheRetention: "none" }, {}],
	[{ sendSessionIdHeader: false }, { sessionId: "s" }, {}],
	[
		{ sendSessionAffinityHeaders: true },
		{ sessionId: "s" },
		{ session_id: "s", "x-session-id": "s", "x-session-affinity": "s" },
	],
])("with %j and %j the headers are %j", (compat, options, expected) => {
	expect(openaiResponses.headers({ ...model, compat }, { messages: [] }, options)).toEqual({ ...expected });
});

test("encoding does not modify the conversation", () => {
	const messages = [user(text("a"), image), answer(thinking("x", signature), call("1|2")), result("1|2")];
	const before = structuredClone(messages);
	encode(model, { messages });
	expect(messages).toEqual(before);
});
