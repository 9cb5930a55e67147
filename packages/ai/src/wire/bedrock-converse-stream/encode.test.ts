/** The bodies that ConverseStream expects, written by hand and checked against the vendor's types. */
import { describe, expect, test } from "bun:test";
import type { ConverseStreamRequest } from "@aws-sdk/client-bedrock-runtime";

import { modelAt } from "../../testing/asking.ts";
import { object } from "../../json.ts";
import type { Compat, Context, Model, StreamOptions } from "../../types.ts";
import { bodyCheck, fullContext, readParameters, readTool } from "../testing/bodies.ts";
import { answer, call, image, result, text, thinking, user } from "../testing/messages.ts";
import { notes } from "../notes/index.ts";
import { encode } from "./encode.ts";
import { bedrockConverseStream } from "./index.ts";

/** On the wire bytes are base64, and the model is in the path. Documents may contain anything. */
type Wire<T> = T extends Uint8Array
	? string
	: T extends object
		? { [Key in keyof T]: Key extends Documents ? unknown : Wire<T[Key]> }
		: T;
type Documents = "additionalModelRequestFields" | "input" | "json" | "$unknown";
type Body = Omit<Wire<ConverseStreamRequest>, "modelId">;

const model = modelAt("", "bedrock-converse-stream", { reasoning: true });
const cachePoint = { type: "default" } as const;
const readSpec = {
	toolSpec: { name: "read", description: "Reads a file", inputSchema: { json: readParameters } },
};

const expectBody = bodyCheck<Body>(encode, model);

test("a prompt", () => {
	expectBody(
		{
			messages: [{ role: "user", content: [{ text: "hello" }, { cachePoint }] }],
			inferenceConfig: { maxTokens: 8192 },
		},
		{ messages: [user("hello")] },
	);
});

test("a system prompt, tools, a picture, thinking, parallel calls with a failed one, and the next prompt", () => {
	expectBody(
		{
			system: [{ text: "Be brief." }, { cachePoint }],
			inferenceConfig: { maxTokens: 1000, temperature: 0 },
			toolConfig: { tools: [readSpec, { cachePoint }], toolChoice: { auto: {} } },
			messages: [
				{
					role: "user",
					content: [
						{ text: "what is this?" },
						{ image: { format: "png", source: { bytes: "iVBO" } } },
						{ cachePoint },
					],
				},
				{
					role: "assistant",
					content: [
						{ reasoningContent: { reasoningText: { text: "hm", signature: "c2ln" } } },
						{ reasoningContent: { redactedContent: "b3Bh" } },
						{ text: "Let me look." },
						{ toolUse: { toolUseId: "t1", name: "read", input: { path: "a" } } },
						{ toolUse: { toolUseId: "t2", name: "read", input: {} } },
					],
				},
				{
					role: "user",
					content: [
						{
							toolResult: {
								toolUseId: "t1",
								content: [{ text: "it is" }, { image: { format: "png", source: { bytes: "iVBO" } } }],
							},
						},
						{ toolResult: { toolUseId: "t2", content: [{ text: "no path" }], status: "error" } },
						{ text: "go on" },
						{ cachePoint },
					],
				},
			],
		},
		fullContext(thinking("hm", "c2ln"), { ...thinking("", "b3Bh"), redacted: true }),
		{ maxTokens: 1000, temperature: 0, toolChoice: "auto" },
	);
});

test("an image has the API's name of its format", () => {
	const pictures = ["png", "jpg", "jpeg"].map((name) => ({ ...image, mimeType: `image/${name}` }));
	const { messages } = encode(model, { messages: [user(...pictures)] }, { cacheRetention: "none" });
	const source = { bytes: "iVBO" };
	const content = ["png", "jpeg", "jpeg"].map((format) => ({ image: { format, source } }));
	expect(messages).toEqual([{ role: "user", content }]);
});

describe("caching", () => {
	const context: Context = {
		systemPrompt: "s",
		tools: [readTool],
		messages: [user("a"), answer(text("b")), user("c")],
	};

	function points(options: StreamOptions, change: Partial<Model> = {}): unknown[] {
		const json = JSON.stringify(encode({ ...model, ...change }, context, options));
		return [...json.matchAll(/"cachePoint":(\{[^}]*\})/g)].map(([, point]) => JSON.parse(point ?? ""));
	}

	test("points come after system, tools and the last two prompts: the API's maximum", () => {
		expect(points({})).toEqual([cachePoint, cachePoint, cachePoint, cachePoint]);
	});

	test("long retention is requested if the model supports it", () => {
		expect(points({ cacheRetention: "long" })).toContainEqual({ type: "default", ttl: "1h" });
		const compat = { supportsLongCacheRetention: false };
		expect(points({ cacheRetention: "long" }, { compat })).not.toContainEqual({ type: "default", ttl: "1h" });
	});

	test("no points without retention, for a model without a cache, and on tools that accept none", () => {
		expect(points({ cacheRetention: "none" })).toEqual([]);
		expect(points({}, { cost: { ...model.cost, cacheWrite: 0 } })).toEqual([]);
		expect(points({}, { compat: { supportsCacheControlOnTools: false } })).toHaveLength(3);
	});
});

describe("tools", () => {
	const history = [user("go"), answer(call("1", "read"), call("2", "list")), result("1"), result("2")];

	function toolsOf(context: Partial<Context>, options: StreamOptions = {}): unknown {
		const all = { messages: [user("hi")], ...context };
		return encode(model, all, { cacheRetention: "none", ...options }).toolConfig;
	}

	test.each<[StreamOptions["toolChoice"], object]>([
		["auto", { toolChoice: { auto: {} } }],
		["required", { toolChoice: { any: {} } }],
		[{ name: "read" }, { toolChoice: { tool: { name: "read" } } }],
		[undefined, {}],
	])("the choice %j", (toolChoice, expected) => {
		const options = toolChoice === undefined ? {} : { toolChoice };
		expect(toolsOf({ tools: [readTool] }, options)).toEqual({ tools: [readSpec], ...expected });
	});

	test("none are sent if none may be called", () => {
		expect(toolsOf({ tools: [readTool] }, { toolChoice: "none" })).toBeUndefined();
		expect(toolsOf({ tools: [] })).toBeUndefined();
		expect(toolsOf({})).toBeUndefined();
	});

	test("a conversation with calls is never sent without its tools", () => {
		expect(toolsOf({ tools: [readTool], messages: history }, { toolChoice: "none" })).toEqual({
			tools: [readSpec],
		});
		const json = { type: "object", properties: {} };
		expect(toolsOf({ messages: history }, { toolChoice: "required" })).toEqual({
			tools: [
				{ toolSpec: { name: "read", inputSchema: { json } } },
				{ toolSpec: { name: "list", inputSchema: { json } } },
			],
		});
	});

	test("an empty result gets a note, and a call without one gets one", () => {
		const { messages } = encode(model, { messages: history.slice(0, 3) }, { cacheRetention: "none" }) as Body;
		expect(messages?.[2]?.content).toEqual([
			{ toolResult: { toolUseId: "1", content: [{ text: notes.noOutput }] } },
			{ toolResult: { toolUseId: "2", content: [{ text: notes.neverRan }], status: "error" } },
		]);
	});

	test("ids that the API would refuse are rewritten", () => {
		const messages = [user("a"), answer(call("call:1|x", "read")), result("call:1|x", text("r"))];
		const sent = JSON.stringify(encode(model, { messages }, {}).messages);
		expect([...sent.matchAll(/"toolUseId":"([^"]*)"/g)].map(([, id]) => id)).toEqual([
			"call_1_x",
			"call_1_x",
		]);
	});
});

describe("thinking", () => {
	function fieldsOf(options: StreamOptions, compat: Compat = {}, change: Partial<Model> = {}): unknown {
		return encode({ ...model, ...change, compat }, { messages: [user("hi")] }, options)
			.additionalModelRequestFields;
	}

	test("a budget, and no temperature beside it", () => {
		const body = encode(
			{ ...model, maxTokens: 50_000 },
			{ messages: [user("hi")] },
			{ reasoning: "high", temperature: 1 },
		);
		expect(body).toMatchObject({
			inferenceConfig: { maxTokens: 50_000 },
			additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 16_384 } },
		});
		expect(object(body.inferenceConfig)).not.toHaveProperty("temperature");
	});

	test("interleaved, if there are tools", () => {
		const body = encode(
			{ ...model, maxTokens: 50_000 },
			{ messages: [user("hi")], tools: [readTool] },
			{ reasoning: "low" },
		);
		expect(body.additionalModelRequestFields).toEqual({
			thinking: { type: "enabled", budget_tokens: 2048 },
			anthropic_beta: ["interleaved-thinking-2025-05-14"],
		});
	});

	test("adaptive, with the effort of the model's data", () => {
		const compat = { forceAdaptiveThinking: true };
		const thinkingLevelMap = { xhigh: "max" };
		expect(fieldsOf({ reasoning: "xhigh" }, compat, { thinkingLevelMap })).toMatchObject({
			thinking: { type: "adaptive" },
			output_config: { effort: "max" },
		});
		expect(fieldsOf({ reasoning: "off" }, compat)).toEqual({ thinking: { type: "disabled" } });
	});

	test("an effort, for models of another vendor", () => {
		const compat: Compat = { thinkingFormat: "openai" };
		expect(fieldsOf({ reasoning: "high" }, compat)).toEqual({ reasoning_effort: "high" });
		expect(fieldsOf({}, compat)).toBeUndefined();
	});

	test.each<[string, StreamOptions, Compat, Partial<Model>]>([
		["it is not requested", {}, {}, {}],
		["it is off", { reasoning: "off" }, {}, {}],
		["the model does not think", { reasoning: "high" }, {}, { reasoning: false }],
		["the model does not support it", { reasoning: "high" }, { supportsReasoningEffort: false }, {}],
	])("none where %s", (_name, options, compat, change) => {
		expect(fieldsOf(options, compat, change)).toBeUndefined();
	});

	test("without a signature is sent back only to models that sign nothing", () => {
		const messages = [user("a"), answer(thinking("hm"), text("b"))];
		const sent = (compat: Compat) =>
			(encode({ ...model, compat }, { messages }, {}) as Body).messages?.[1]?.content;
		expect(sent({})).toEqual([{ text: "b" }]);
		expect(sent({ allowEmptySignature: true })).toEqual([
			{ reasoningContent: { reasoningText: { text: "hm" } } },
			{ text: "b" },
		]);
	});
});

test.each([
	["priority", { type: "priority" }],
	["flex", { type: "flex" }],
	["auto", undefined],
])("the service tier %s", (serviceTier, expected) => {
	expect(encode(model, { messages: [user("hi")] }, { serviceTier }).serviceTier).toEqual(expected);
});

test("missing temperature support and extra fields come from the model's data", () => {
	const compat = { supportsTemperature: false, extraBody: { performanceConfig: { latency: "optimized" } } };
	const body = encode({ ...model, compat }, { messages: [user("hi")] }, { temperature: 1 });
	expect(body.inferenceConfig).toEqual({ maxTokens: 8192 });
	expect(body.performanceConfig).toEqual({ latency: "optimized" });
});

test("ids with colons and slashes stay one segment of the path", () => {
	const at = (id: string) => bedrockConverseStream.path({ ...model, id }, {});
	expect(at("us.vendor.model-v1:0")).toBe("/model/us.vendor.model-v1%3A0/converse-stream");
	expect(at("arn:aws:bedrock:us-east-1:1:inference-profile/x")).toBe(
		"/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse-stream",
	);
});

test("encoding does not modify the conversation", () => {
	const messages = [user(text("a"), image), answer(thinking("x", "s"), call("1")), result("1", text("r"))];
	const before = structuredClone(messages);
	encode(model, { messages, tools: [readTool] }, {});
	expect(messages).toEqual(before);
});
