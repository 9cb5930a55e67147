/** The headers that Anthropic and its gateways expect, as they arrive there. */
import { describe, expect, test } from "bun:test";

import { receive, hello, playedModel, setEnv } from "../../testing/asking.ts";
import { stream } from "../../stream.ts";
import { playModel } from "../../testing/index.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";

const tools = [{ name: "ls", description: "Lists", parameters: {} }];
const withTools: Context = { ...hello, tools };
const interleaved = "interleaved-thinking-2025-05-14";
const fineGrained = "fine-grained-tool-streaming-2025-05-14";
const oauth = "oauth-2025-04-20";

async function received(context: Context, options: StreamOptions, change: Partial<Model> = {}) {
	await using played = await playModel({ steps: ["hi"] });
	const model = playedModel(played, "anthropic-messages", { reasoning: true, ...change });
	await receive(stream(model, context, options));
	return (await played.waitForRequest(1)).headers;
}

async function betas(context: Context, options: StreamOptions, change?: Partial<Model>) {
	return (await received(context, options, change))["anthropic-beta"]?.split(/, ?/) ?? [];
}

describe("betas", () => {
	const eagerless = { compat: { supportsEagerToolInputStreaming: false } };

	test.each<[string, Context, StreamOptions, Partial<Model>, string[]]>([
		["nothing special", withTools, {}, {}, []],
		["thoughts between calls", withTools, { reasoning: "high" }, {}, [interleaved]],
		["thoughts without tools", hello, { reasoning: "high" }, {}, []],
		["too few tokens to think", withTools, { reasoning: "high", maxTokens: 500 }, {}, []],
		["no thoughts", withTools, { reasoning: "off" }, {}, []],
		[
			"an effort instead of a budget",
			withTools,
			{ reasoning: "high" },
			{ compat: { forceAdaptiveThinking: true } },
			[],
		],
		["the older streaming of tools", withTools, {}, eagerless, [fineGrained]],
		["the older streaming without tools", hello, {}, eagerless, []],
		["both", withTools, { reasoning: "high" }, eagerless, [interleaved, fineGrained]],
		["a token of a login", hello, { apiKey: "sk-ant-oat01-x" }, {}, [oauth]],
		[
			"all",
			withTools,
			{ reasoning: "low", apiKey: "sk-ant-oat01-x" },
			eagerless,
			[interleaved, fineGrained, oauth],
		],
	])("%s", async (_name, context, options, change, expected) => {
		expect(await betas(context, options, change)).toEqual(expected);
	});

	test("interleaved thinking can be disabled", async () => {
		using _ = setEnv({ PI_NO_INTERLEAVED_THINKING: "1" });
		expect(await betas(withTools, { reasoning: "high" })).toEqual([]);
	});
});

test("a key is sent as a key, and the token of a login as a token", async () => {
	const key = await received(hello, { apiKey: "sk-ant-api03-x" });
	expect(key).toMatchObject({ "x-api-key": "sk-ant-api03-x", "anthropic-version": "2023-06-01" });
	expect(key).not.toHaveProperty("authorization");
	const token = await received(hello, { apiKey: "sk-ant-oat01-x" });
	expect(token["authorization"]).toBe("Bearer sk-ant-oat01-x");
	expect(token).not.toHaveProperty("x-api-key");
});
