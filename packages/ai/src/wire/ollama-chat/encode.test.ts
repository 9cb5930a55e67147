/** The bodies that Ollama's chat API expects, written by hand. */
import { describe, expect, test } from "bun:test";

import { modelAt } from "../../testing/asking.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";
import { answer, call, image, result, text, thinking, user } from "../testing/messages.ts";
import { notes } from "../notes/index.ts";
import { encode } from "./encode.ts";
import { ollamaChat } from "./index.ts";

const model = modelAt("", "ollama-chat");
const hi: Context = { messages: [user("hi")] };

test("a prompt", () => {
	expect(encode(model, { messages: [user("hello")] }, {})).toEqual({
		model: "played-1",
		stream: true,
		messages: [{ role: "user", content: "hello" }],
	});
});

test("a system prompt, tools, pictures, thinking, parallel calls with a failed one, and the next prompt", () => {
	const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
	const body = encode(
		model,
		{
			systemPrompt: "Be brief.",
			tools: [{ name: "read", description: "Reads a file", parameters }],
			messages: [
				user(text("what is"), image, text("this?")),
				answer(thinking("hm"), text("Let me look."), call("t1", "read", { path: "a" }), call("t2", "read")),
				{ ...result("t1", text("it is"), image), toolName: "read" },
				{ ...result("t2"), toolName: "read", isError: true },
				user("go on"),
			],
		},
		{ maxTokens: 1000, temperature: 0 },
	);
	expect(body).toEqual({
		model: "played-1",
		stream: true,
		options: { num_predict: 1000, temperature: 0 },
		tools: [{ type: "function", function: { name: "read", description: "Reads a file", parameters } }],
		messages: [
			{ role: "system", content: "Be brief." },
			{ role: "user", content: "what is\nthis?", images: ["iVBO"] },
			{
				role: "assistant",
				content: "Let me look.",
				thinking: "hm",
				tool_calls: [
					{ id: "t1", function: { name: "read", arguments: { path: "a" } } },
					{ id: "t2", function: { name: "read", arguments: {} } },
				],
			},
			{ role: "tool", content: `it is\n${notes.imageBelow}`, tool_name: "read", tool_call_id: "t1" },
			{ role: "tool", content: notes.noOutput, tool_name: "read", tool_call_id: "t2" },
			{ role: "user", content: "", images: ["iVBO"] },
			{ role: "user", content: "go on" },
		],
	});
});

test("images of a result at the end of the conversation are sent", () => {
	const messages = [user("a"), answer(call("1")), result("1", image)];
	expect(encode(model, { messages }, {}).messages).toMatchObject([
		{ role: "user" },
		{ role: "assistant" },
		{ role: "tool", content: notes.imageBelow },
		{ role: "user", images: ["iVBO"] },
	]);
});

describe("thinking", () => {
	const levels = { off: null, minimal: null, xhigh: "max" };

	test.each<[string, StreamOptions, Partial<Model>, unknown]>([
		["is not set unless requested", {}, { reasoning: true }, undefined],
		["is not set for a model without it", { reasoning: "high" }, { reasoning: false }, undefined],
		["is switched on at any level", { reasoning: "low" }, { reasoning: true }, true],
		[
			"is switched on where only off has a name",
			{ reasoning: "low" },
			{ reasoning: true, thinkingLevelMap: { off: "no" } },
			true,
		],
		["is switched off", { reasoning: "off" }, { reasoning: true }, false],
		[
			"has a level if the data says so",
			{ reasoning: "high" },
			{ reasoning: true, thinkingLevelMap: levels },
			"high",
		],
		[
			"has the vendor's name for a level",
			{ reasoning: "xhigh" },
			{ reasoning: true, thinkingLevelMap: levels },
			"max",
		],
		["has the nearest level", { reasoning: "minimal" }, { reasoning: true, thinkingLevelMap: levels }, "low"],
		[
			"cannot always be switched off",
			{ reasoning: "off" },
			{ reasoning: true, thinkingLevelMap: levels },
			undefined,
		],
	])("%s", (_name, options, change, expected) => {
		expect<unknown>(encode({ ...model, ...change }, hi, options).think).toBe(expected);
	});
});

test("tools that may not be called are not sent", () => {
	const tools = [{ name: "a", description: "b", parameters: {} }];
	expect(encode(model, { ...hi, tools }, { toolChoice: "none" })).not.toHaveProperty("tools");
	expect(encode(model, { ...hi, tools: [] }, {})).not.toHaveProperty("tools");
	expect(encode(model, { ...hi, tools }, { toolChoice: "auto" })).toHaveProperty("tools");
});

test("a server's extra fields are added, and its options are merged with ours", () => {
	const compat = { extraBody: { keep_alive: "1h", options: { num_ctx: 32_768, temperature: 0.5 } } };
	expect(encode({ ...model, compat }, hi, { maxTokens: 9, temperature: 1 })).toMatchObject({
		keep_alive: "1h",
		options: { num_predict: 9, num_ctx: 32_768, temperature: 0.5 },
	});
});

test.each([
	"http://host:11434",
	"http://host:11434/",
	"http://host:11434/v1",
	"http://host:11434/v1/",
	"http://host:11434/api",
])("%s is the server", (baseUrl) => {
	expect(ollamaChat.baseUrl?.({ ...model, baseUrl }, {})).toBe("http://host:11434");
	expect(ollamaChat.path(model, {})).toBe("/api/chat");
});

test("encoding does not modify the conversation", () => {
	const messages = [user(text("a"), image), answer(thinking("x"), call("1")), result("1", text("r"))];
	const before = structuredClone(messages);
	encode(model, { messages }, {});
	expect(messages).toEqual(before);
});
