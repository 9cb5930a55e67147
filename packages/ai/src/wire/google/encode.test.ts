/** The bodies that Google expects, written by hand and checked against the vendor's types. */
import {
	FunctionCallingConfigMode,
	ThinkingLevel,
	Type,
	type Content,
	type GenerationConfig,
	type Tool,
	type ToolConfig,
} from "@google/genai";
import { describe, expect, test } from "bun:test";

import { modelAt } from "../../testing/asking.ts";
import type { Context, Model, StreamOptions, ThinkingLevelMap, ToolChoice } from "../../types.ts";
import { bodyCheck, fullContext, readTool } from "../testing/bodies.ts";
import { answer, audio, call, image, result, text, thinking, user } from "../testing/messages.ts";
import { notes } from "../notes/index.ts";
import { makeUpId } from "./call-ids.ts";
import { encode, encodeVertex } from "./encode.ts";
import { googleGenerativeAi, googleVertex } from "./index.ts";

interface Body {
	systemInstruction?: Content;
	contents: Content[];
	tools?: Tool[];
	toolConfig?: ToolConfig;
	generationConfig?: GenerationConfig;
}

const model = modelAt("", "google-generative-ai");
const levels: ThinkingLevelMap = {
	off: null,
	minimal: null,
	low: "low",
	medium: "MEDIUM",
	high: "high",
	xhigh: null,
};
const newer = modelAt("", "google-generative-ai", { reasoning: true, thinkingLevelMap: levels });
const picture = { inlineData: { mimeType: "image/png", data: "iVBO" } };
const signature = "c2lnbmVk";

const expectBody = bodyCheck<Body>(encode, model);

function contentsOf(messages: Context["messages"], to: Model = model): unknown {
	return encode(to, { messages }, {}).contents;
}

test("a prompt", () => {
	expectBody({ contents: [{ role: "user", parts: [{ text: "hello" }] }] }, { messages: [user("hello")] });
});

test("a system prompt, tools, pictures, parallel calls with a failed one, and the next prompt", () => {
	expectBody(
		{
			systemInstruction: { parts: [{ text: "Be brief." }] },
			contents: [
				{ role: "user", parts: [{ text: "what is this?" }, picture] },
				{
					role: "model",
					parts: [
						{ text: "Let me look." },
						{ functionCall: { id: "t1", name: "read", args: { path: "a" } } },
						{ functionCall: { id: "t2", name: "read", args: {} } },
					],
				},
				{
					role: "user",
					parts: [
						{
							functionResponse: {
								id: "t1",
								name: "read",
								response: { output: `it is\n${notes.imageBelow}` },
							},
						},
						{ functionResponse: { id: "t2", name: "read", response: { error: "no path" } } },
						picture,
					],
				},
				{ role: "user", parts: [{ text: "go on" }] },
			],
			tools: [
				{
					functionDeclarations: [
						{
							name: "read",
							description: "Reads a file",
							parameters: {
								type: Type.OBJECT,
								properties: { path: { type: Type.STRING } },
								required: ["path"],
							},
						},
						{ name: "ls", description: "", parametersJsonSchema: { type: "object", properties: {} } },
					],
				},
			],
			generationConfig: { maxOutputTokens: 1000, temperature: 0 },
		},
		{ ...fullContext(), tools: [readTool, { name: "ls", description: "", parameters: { type: "object" } }] },
		{ maxTokens: 1000, temperature: 0 },
	);
});

test("a newer model gets the images of a result inside it", () => {
	const messages = [
		user("a"),
		answer(call("1", "look"), call("2", "look")),
		result("1", text("x"), image),
		result("2"),
	];
	expect(contentsOf(messages, newer)).toMatchObject([
		{ role: "user" },
		{ role: "model" },
		{
			role: "user",
			parts: [
				{ functionResponse: { id: "1", name: "look", response: { output: "x" }, parts: [picture] } },
				{ functionResponse: { id: "2", name: "look", response: { output: notes.noOutput } } },
			],
		},
	]);
});

test("audio is a part of its own", () => {
	const hearing = modelAt("", "google-generative-ai", { input: ["text", "audio"] });
	expect(contentsOf([user(text("what is said?"), audio)], hearing)).toEqual([
		{
			role: "user",
			parts: [{ text: "what is said?" }, { inlineData: { mimeType: "audio/wav", data: "UklG" } }],
		},
	]);
});

test("a result with only an image has no text", () => {
	const messages = [user("a"), answer(call("1", "look")), result("1", image)];
	const shown = { functionResponse: { id: "1", name: "look", response: { output: "" }, parts: [picture] } };
	expect(contentsOf(messages, newer)).toMatchObject([{}, {}, { role: "user", parts: [shown] }]);
});

test("an interrupted answer and the next one are one turn, as a call may not follow the model's own", () => {
	const cut = { ...answer(text("I was")), stopReason: "aborted" as const };
	const contents = contentsOf([user("a"), cut, answer(call("1"))]);
	expect(contents).toMatchObject([
		{ role: "user" },
		{ role: "model", parts: [{ text: "I was" }, { functionCall: { name: "tool" } }] },
		{ role: "user", parts: [{ functionResponse: { response: { error: notes.neverRan } } }] },
	]);
});

describe("signatures", () => {
	const message = answer(
		thinking("hm", signature),
		{ ...text("so"), textSignature: signature },
		{ ...call("1"), thoughtSignature: signature },
		call("2"),
	);

	test("each is sent back on its own part", () => {
		expect(contentsOf([user("a"), message], newer)).toMatchObject([
			{ role: "user" },
			{
				role: "model",
				parts: [
					{ text: "hm", thought: true, thoughtSignature: signature },
					{ text: "so", thoughtSignature: signature },
					{ functionCall: { id: "1", name: "tool", args: {} }, thoughtSignature: signature },
					{ functionCall: { id: "2", name: "tool", args: {} } },
				],
			},
			{ role: "user" },
		]);
		expect(JSON.stringify(contentsOf([user("a"), message], newer)).split(signature)).toHaveLength(4);
	});

	test("none is sent to another model, and neither are foreign ids", () => {
		const written = JSON.stringify(
			contentsOf([user("a"), { ...message, model: "other" }, result("1"), result("2")]),
		);
		expect(written).not.toContain(signature);
		expect(written).not.toContain('"id"');
	});

	test("a newer model gets a marker for unsigned calls, once in each step", () => {
		const foreign = { ...answer(call("1"), call("2")), model: "other" };
		const contents = JSON.stringify(contentsOf([user("a"), foreign, answer(call("3"))], newer));
		expect(contents.split("skip_thought_signature_validator")).toHaveLength(3);
		expect(JSON.stringify(contentsOf([user("a"), foreign]))).not.toContain("thoughtSignature");
	});

	test.each(["reasoning_content", "abc", "not base64!!", "=abc"])(
		"%p is not a signature and is not sent",
		(bad) => {
			expect(JSON.stringify(contentsOf([user("a"), answer(thinking("hm", bad), text("so"))]))).not.toContain(
				bad,
			);
		},
	);

	test("empty thinking without a signature is omitted", () => {
		expect(contentsOf([user("a"), answer(thinking(""), text("so"))])).toMatchObject([
			{ role: "user" },
			{ role: "model", parts: [{ text: "so" }] },
		]);
	});
});

test("a generated id is not sent", () => {
	const id = makeUpId();
	expect(JSON.stringify(contentsOf([user("a"), answer(call(id)), result(id, text("x"))]))).not.toContain(id);
});

describe("tool choice", () => {
	const tools = [{ name: "ls", description: "", parameters: {} }];
	test.each<[ToolChoice | undefined, ToolConfig | undefined]>([
		[undefined, undefined],
		["auto", undefined],
		["none", { functionCallingConfig: { mode: FunctionCallingConfigMode.NONE } }],
		["required", { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } }],
		[
			{ name: "ls" },
			{ functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["ls"] } },
		],
	])("%j is %j", (toolChoice, expected) => {
		const options = toolChoice === undefined ? {} : { toolChoice };
		expect(encode(model, { messages: [user("a")], tools }, options).toolConfig).toEqual(expected);
	});

	test("is omitted without tools", () => {
		expect(encode(model, { messages: [user("a")] }, { toolChoice: "required" })).not.toHaveProperty(
			"toolConfig",
		);
	});
});

describe("thinking", () => {
	function configOf(options: StreamOptions, thinkingLevelMap?: ThinkingLevelMap, reasoning = true): unknown {
		const to = { ...model, maxTokens: 65_536, reasoning, ...(thinkingLevelMap ? { thinkingLevelMap } : {}) };
		const { generationConfig } = encode(to, { messages: [user("a")] }, options);
		return (generationConfig as GenerationConfig | undefined)?.thinkingConfig;
	}

	test.each([
		["minimal", 1024],
		["low", 2048],
		["medium", 8192],
		["high", 24_576],
		["xhigh", 24_576],
	] as const)("%s is a budget of %d tokens for a model without named levels", (reasoning, thinkingBudget) => {
		expect(configOf({ reasoning })).toEqual({ includeThoughts: true, thinkingBudget });
	});

	test("the user's budget overrides the model's, and the model's overrides ours", () => {
		const map = { high: "32768" };
		expect(configOf({ reasoning: "high" }, map)).toMatchObject({ thinkingBudget: 32_768 });
		const own = { reasoning: "high", thinkingBudgets: { high: 5000 } } as const;
		expect(configOf(own, map)).toMatchObject({ thinkingBudget: 5000 });
		expect(configOf({ reasoning: "high", maxTokens: 9216 })).toMatchObject({ thinkingBudget: 8192 });
	});

	test.each([
		["minimal", ThinkingLevel.LOW],
		["low", ThinkingLevel.LOW],
		["medium", ThinkingLevel.MEDIUM],
		["high", ThinkingLevel.HIGH],
		["xhigh", ThinkingLevel.HIGH],
	] as const)("%s is %s for a model with named levels", (reasoning, thinkingLevel) => {
		expect(configOf({ reasoning }, levels)).toEqual({ includeThoughts: true, thinkingLevel });
	});

	test.each<[ThinkingLevelMap | undefined, unknown]>([
		[undefined, undefined],
		[{ off: null }, undefined],
		[{ off: "0" }, { thinkingBudget: 0 }],
		[levels, { thinkingLevel: ThinkingLevel.LOW }],
		[{ ...levels, off: "MINIMAL" }, { thinkingLevel: ThinkingLevel.MINIMAL }],
	])("off, for a model with %j, is %j", (map, expected) => {
		expect(configOf({ reasoning: "off" }, map)).toEqual(expected);
		expect(configOf({}, map)).toEqual(expected);
	});

	test("a model that does not reason gets no thinking field, because it would reject it", () => {
		expect(configOf({ reasoning: "high" }, levels, false)).toBeUndefined();
	});
});

test("extra fields are merged with the existing ones", () => {
	const compat = { extraBody: { generationConfig: { topK: 3 }, safetySettings: [] } };
	const body = encode(
		{ ...model, compat },
		{ messages: [user("a")] },
		{ temperature: 1, serviceTier: "flex" },
	);
	expect(body).toMatchObject({
		generationConfig: { topK: 3, temperature: 1 },
		safetySettings: [],
		serviceTier: "flex",
	});
});

test("Vertex gets valid labels for billing, and the Gemini API has no labels", () => {
	const options = { metadata: { team: "a-1", Team: "x", user: "A", role: "a b", count: 3, "": "x" } };
	const context = { messages: [user("a")] };
	expect(encodeVertex(model, context, options).labels).toEqual({ team: "a-1" });
	expect(encodeVertex(model, context, {})).not.toHaveProperty("labels");
	expect(encode(model, context, options)).not.toHaveProperty("labels");
	const own = { ...model, compat: { extraBody: { labels: { team: "b" } } } };
	expect(encodeVertex(own, context, options).labels).toEqual({ team: "b" });
});

test("the address names the model, and on Vertex the project, unless there is a key", () => {
	const to = { ...model, id: "gemini-x@1" };
	expect(googleGenerativeAi.path(to, {})).toBe("/models/gemini-x%401:streamGenerateContent?alt=sse");
	expect(googleVertex.path(to, {})).toBe(
		"/v1/projects/{project}/locations/{location}/publishers/google/models/gemini-x%401:streamGenerateContent?alt=sse",
	);
	expect(googleVertex.path(to, { apiKey: "k" })).toBe(
		"/v1/publishers/google/models/gemini-x%401:streamGenerateContent?alt=sse",
	);
});
