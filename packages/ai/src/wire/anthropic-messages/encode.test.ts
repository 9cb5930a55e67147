/** The bodies that the Anthropic Messages API wants, written out by hand and checked against the vendor's types. */
import { describe, expect, test } from "bun:test";
import type Anthropic from "@anthropic-ai/sdk";

import { modelAt } from "../../asking.test.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";
import { answer, call, image, result, text, thinking, user } from "../messages.test.ts";
import { notes } from "../notes/index.ts";
import { encode } from "./encode.ts";

/** The vendor's newest models take no temperature, so its types have none; the older ones still do. */
type Body = Anthropic.MessageCreateParamsStreaming & { temperature?: number };

const model = modelAt("", "anthropic-messages", { reasoning: true });
const cache_control = { type: "ephemeral" } as const;

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
			max_tokens: 8192,
			stream: true,
			messages: [{ role: "user", content: [{ type: "text", text: "hello", cache_control }] }],
		},
		{ messages: [user("hello")] },
	);
});

test("a system prompt, tools, a picture, thinking, parallel calls with a failed one, and the next prompt", () => {
	const parameters = {
		type: "object" as const,
		properties: { path: { type: "string" } },
		required: ["path"],
	};
	expectBody(
		{
			model: "played-1",
			max_tokens: 1000,
			stream: true,
			temperature: 0,
			system: [{ type: "text", text: "Be brief.", cache_control }],
			tools: [{ name: "read", description: "Reads a file", input_schema: parameters }],
			messages: [
				{
					role: "user",
					content: [
						{ type: "text", text: "what is this?" },
						{ type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
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
		{
			systemPrompt: "Be brief.",
			tools: [{ name: "read", description: "Reads a file", parameters }],
			messages: [
				user(text("what is this?"), image),
				answer(
					thinking("hm", "c2ln"),
					{ ...thinking("", "b3Bh"), redacted: true },
					text("Let me look."),
					call("t1", "read", { path: "a" }),
					call("t2", "read"),
				),
				result("t1", text("it is"), image),
				{ ...result("t2", text("no path")), isError: true },
				user("go on"),
			],
		},
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
	] as const)("%p (model reasons: %p) of %p tokens is none", (reasoning, reasons, maxTokens) => {
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

test("the mark for the cache stands on the last block of the user, never on thinking", () => {
	const body = encode(model, { messages: [user("a"), answer(text("b"), thinking("hm", "s"))] }, {});
	expect(body.messages).toEqual([
		{ role: "user", content: [{ type: "text", text: "a", cache_control }] },
		{
			role: "assistant",
			content: [
				{ type: "text", text: "b" },
				{ type: "thinking", thinking: "hm", signature: "s" },
			],
		},
	]);
});

test("more tokens than the model gives are not asked for", () => {
	expect(encode(model, { messages: [] }, { maxTokens: 1_000_000 }).max_tokens).toBe(8192);
});

test("a result of nothing is a result, and a call without one gets one", () => {
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

test("an empty list of tools is left out, and what a provider wants besides is added", () => {
	const extra = { compat: { extraBody: { service_tier: "standard_only" } } };
	const body = encode({ ...model, ...extra }, { messages: [user("hi")], tools: [] }, {});
	expect(body).not.toHaveProperty("tools");
	expect(body.service_tier).toBe("standard_only");
});

test("encoding changes nothing in the conversation", () => {
	const messages = [user(text("a"), image), answer(thinking("x", "s"), call("1")), result("1", text("r"))];
	const before = structuredClone(messages);
	encode(model, { messages }, {});
	expect(messages).toEqual(before);
});
