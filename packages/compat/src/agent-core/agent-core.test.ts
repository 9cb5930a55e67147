/** The exports of pi's agent package work as its documentation says. */
import { describe, expect, test } from "bun:test";

import type { AgentEvent, AgentMessage } from "@tau/agent";
import type { AssistantMessage, Context } from "@tau/ai";

import { agentExports } from "../agent-core.ts";
import { fauxAssistantMessage, fauxText, fauxToolCall, registerFauxProvider } from "../ai/faux.ts";
import { Agent } from "./agent.ts";
import { agentLoop, agentLoopContinue, runAgentLoop, runToolCall } from "./loop.ts";
import { streamProxy } from "./proxy.ts";
import type { PiTool } from "./types.ts";
import * as values from "./values.ts";

type Step = Parameters<ReturnType<typeof registerFauxProvider>["setResponses"]>[0][number];

function played(...steps: Step[]) {
	const faux = registerFauxProvider();
	faux.setResponses(steps);
	const [model] = faux.models;
	if (!model) throw new Error("no model");
	return { model, faux, [Symbol.dispose]: () => faux.unregister() };
}

const user = (content: string): AgentMessage => ({ role: "user", content, timestamp: 0 });

function tool(name: string, more: Partial<PiTool> = {}): PiTool {
	return {
		name,
		description: "",
		parameters: { type: "object", properties: { at: { type: "string" } } },
		execute: async (_, { at }) => ({ content: [{ type: "text", text: `at ${String(at)}` }], details: {} }),
		...more,
	};
}

const texts = (messages: readonly AgentMessage[]): string[] =>
	messages.map(
		(message) => `${message.role}: ${JSON.stringify("content" in message ? message.content : "")}`,
	);

describe("an agent", () => {
	test("answers, runs tools, emits all events in order, and keeps the conversation", async () => {
		using model = played(
			fauxAssistantMessage(fauxToolCall("look", { at: "here" })),
			fauxAssistantMessage("done"),
		);
		const agent = new Agent({
			initialState: { model: model.model, systemPrompt: "Be brief.", tools: [tool("look")] },
		});
		const received: string[] = [];
		const stop = agent.subscribe(async (event, signal) => {
			expect(signal).toBe(agent.signal as AbortSignal);
			if (event.type !== "message_update") received.push(event.type);
		});
		await agent.prompt("hi");
		stop();
		const turns = [
			"agent_start turn_start message_start message_end message_start message_end",
			"tool_execution_start tool_execution_end message_start message_end turn_end",
			"turn_start message_start message_end turn_end agent_end",
		];
		expect(received.join(" ")).toBe(turns.join(" "));
		expect(agent.state.messages.map(({ role }) => role)).toEqual([
			"user",
			"assistant",
			"toolResult",
			"assistant",
		]);
		expect(agent.state.isStreaming).toBe(false);
	});

	test("is steered after the turn, without losing a call, and followed up at the end", async () => {
		using model = played(
			fauxAssistantMessage([fauxToolCall("look", { at: "a" }), fauxToolCall("look", { at: "b" })]),
			fauxAssistantMessage("steered"),
			fauxAssistantMessage("followed"),
		);
		const agent = new Agent({ initialState: { model: model.model } });
		agent.state.tools = [
			tool("look", {
				executionMode: "sequential",
				execute: async (_, { at }) => {
					if (at === "a") agent.steer(user("wait"));
					return { content: [{ type: "text", text: `at ${String(at)}` }] };
				},
			}),
		];
		agent.followUp(user("and then?"));
		expect(agent.hasQueuedMessages()).toBe(true);
		await agent.prompt("hi");
		expect(texts(agent.state.messages.filter(({ role }) => role !== "assistant"))).toEqual([
			'user: [{"type":"text","text":"hi"}]',
			'toolResult: [{"type":"text","text":"at a"}]',
			'toolResult: [{"type":"text","text":"at b"}]',
			'user: "wait"',
			'user: "and then?"',
		]);
	});

	test("that is busy rejects a second prompt, can be aborted, and is then idle", async () => {
		const started = Promise.withResolvers<void>();
		using model = played(fauxAssistantMessage(fauxToolCall("wait", {})));
		const agent = new Agent({ initialState: { model: model.model } });
		agent.state.tools = [
			tool("wait", {
				execute: (_id, _params, signal) =>
					new Promise((_, reject) => {
						started.resolve();
						signal?.addEventListener("abort", () => reject(new Error("stopped")));
					}),
			}),
		];
		const run = agent.prompt("hi");
		await started.promise;
		expect(agent.state.pendingToolCalls.size).toBe(1);
		await expect(agent.prompt("again")).rejects.toThrow("already processing");
		agent.abort();
		await agent.waitForIdle();
		await run;
		expect(agent.state.isStreaming).toBe(false);
		agent.reset();
		expect(agent.state.messages).toEqual([]);
	});

	test("reports why an answer failed, and continues from there", async () => {
		using model = played(
			fauxAssistantMessage([], { stopReason: "error", errorMessage: "no luck" }),
			fauxAssistantMessage("now"),
		);
		const agent = new Agent({ initialState: { model: model.model } });
		await agent.prompt("hi");
		expect(agent.state.errorMessage).toBe("no luck");
		agent.state.messages = agent.state.messages.slice(0, -1);
		await agent.continue();
		expect(agent.state.messages.at(-1)).toMatchObject({ content: [fauxText("now")] });
		await expect(agent.continue()).rejects.toThrow("assistant");
	});

	test("sends the messages as its functions transform them", async () => {
		const contexts: Context[] = [];
		const agent = new Agent({
			convertToLlm: async (messages) => messages.filter((message) => message.role === "user"),
			transformContext: async (messages) => [user("before"), ...messages],
			getApiKey: async (provider) => `key of ${provider}`,
			streamFn: async (model, context, options) => {
				contexts.push(context);
				expect(options?.apiKey).toBe(`key of ${model.provider}`);
				using one = played(fauxAssistantMessage("hi"));
				return one.faux.stream(model, context, options);
			},
		});
		using model = played();
		agent.state.model = model.model;
		await agent.prompt(user("hi"));
		expect(texts(contexts[0]?.messages ?? [])).toEqual(['user: "before"', 'user: "hi"']);
	});
});

describe("the loop", () => {
	test("emits its events and returns the added messages", async () => {
		using model = played(fauxAssistantMessage("hello"));
		const context = { systemPrompt: "", messages: [user("before")], tools: [] };
		const stream = agentLoop([user("hi")], context, { model: model.model });
		const received: AgentEvent["type"][] = [];
		for await (const { type } of stream) received.push(type);
		expect(received.at(-1)).toBe("agent_end");
		expect((await stream.result()).map(({ role }) => role)).toEqual(["user", "assistant"]);
		expect(context.messages).toHaveLength(1);
		expect(() => agentLoopContinue({ messages: [] }, { model: model.model })).toThrow("no messages");
	});

	test("calls hooks for each call, with the answer that contains it", async () => {
		const call = fauxToolCall("look", { at: "x" });
		using model = played(
			fauxAssistantMessage([call, fauxToolCall("look", { at: "secret" })]),
			fauxAssistantMessage("done"),
		);
		const seen: unknown[] = [];
		const added = await runAgentLoop(
			[user("hi")],
			{ messages: [], tools: [tool("look")] },
			{
				model: model.model,
				beforeToolCall: async ({ assistantMessage, args }) => {
					seen.push(assistantMessage.content.length);
					return (args as { at: string }).at === "secret" ? { block: true, reason: "not that" } : undefined;
				},
				afterToolCall: async ({ result }) => ({ content: [...result.content, fauxText("seen")] }),
			},
			() => {},
		);
		expect(seen).toEqual([2, 2]);
		const results = added.filter((message) => message.role === "toolResult");
		expect(results.map(({ content, isError }) => [content, isError])).toEqual([
			[[fauxText("at x"), fauxText("seen")], false],
			[[fauxText("not that")], true],
		]);
	});

	test("ends if all calls of an answer terminate, or if shouldStopAfterTurn says so", async () => {
		const ends = tool("end", { execute: async () => ({ content: [], details: {}, terminate: true }) });
		using one = played(fauxAssistantMessage(fauxToolCall("end", {})), fauxAssistantMessage("never"));
		const context = { messages: [], tools: [ends, tool("look")] };
		const ran = await runAgentLoop([user("hi")], context, { model: one.model }, () => {});
		expect(ran.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"]);
		using two = played(fauxAssistantMessage(fauxToolCall("look", {})), fauxAssistantMessage("never"));
		const stopped = await runAgentLoop(
			[user("hi")],
			context,
			{
				model: two.model,
				shouldStopAfterTurn: async ({ toolResults }) => toolResults.length > 0,
				getSteeringMessages: () => {
					throw new Error("What waits stays where it is.");
				},
			},
			() => {},
		);
		expect(stopped).toHaveLength(3);
	});

	test("rejects with the error of a hook that throws", async () => {
		using model = played(fauxAssistantMessage("hello"));
		const failing = () => Promise.reject(new Error("broken hook"));
		const config = { model: model.model, shouldStopAfterTurn: failing };
		await expect(agentLoop([user("hi")], { messages: [] }, config).result()).rejects.toThrow("broken hook");
		using again = played(fauxAssistantMessage("hello"));
		const agent = new Agent({ initialState: { model: again.model }, prepareNextTurn: failing });
		await expect(agent.prompt("hi")).rejects.toThrow("broken hook");
		await agent.waitForIdle();
		expect(agent.state.isStreaming).toBe(false);
	});

	test("continues with another model if prepareNextTurn returns one", async () => {
		using one = played(fauxAssistantMessage(fauxToolCall("look", {})));
		using two = played(fauxAssistantMessage("from two"));
		const added = await runAgentLoop(
			[user("hi")],
			{ messages: [], tools: [tool("look")] },
			{ model: one.model, prepareNextTurn: () => ({ model: two.model }) },
			() => {},
		);
		expect((added.at(-1) as AssistantMessage).api).toBe(two.model.api);
	});
});

test("a request goes through a proxy, and the answer is reassembled", async () => {
	const events = [
		{ type: "start" },
		{ type: "text_start", contentIndex: 0 },
		{ type: "text_delta", contentIndex: 0, delta: "hel" },
		{ type: "text_delta", contentIndex: 0, delta: "lo" },
		{ type: "text_end", contentIndex: 0 },
		{ type: "toolcall_start", contentIndex: 1, id: "c1", toolName: "look" },
		{ type: "toolcall_delta", contentIndex: 1, delta: '{"at":1}' },
		{ type: "toolcall_end", contentIndex: 1 },
		{ type: "done", reason: "toolUse", usage: { input: 3, output: 4, cacheRead: 0, cacheWrite: 0 } },
	];
	const requests: unknown[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			requests.push([new URL(request.url).pathname, request.headers.get("authorization")]);
			if (((await request.json()) as { options: { maxTokens?: number } }).options.maxTokens === 1)
				return new Response("no", { status: 500, statusText: "Broken" });
			return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
		},
	});
	try {
		using model = played();
		const options = { authToken: "t", proxyUrl: server.url.href };
		const message = await streamProxy(model.model, { messages: [] }, options).result();
		expect(message).toMatchObject({
			content: [fauxText("hello"), { id: "c1", name: "look", arguments: { at: 1 } }],
			stopReason: "toolUse",
			usage: { input: 3, output: 4 },
		});
		expect(requests).toEqual([["/api/stream", "Bearer t"]]);
		const failed = await streamProxy(model.model, { messages: [] }, { ...options, maxTokens: 1 }).result();
		expect(failed.errorMessage).toContain("500");
	} finally {
		await server.stop(true);
	}
});

test("custom messages of an application are created and converted", () => {
	const all = agentExports() as Record<string, (...args: unknown[]) => unknown>;
	const at = "2026-01-01T00:00:00Z";
	const made = [
		all.createBranchSummaryMessage?.("there", "e1", at),
		all.createCustomMessage?.("mine", "hi", true, undefined, at),
	];
	expect(made).toMatchObject([
		{ role: "branchSummary", fromId: "e1", timestamp: Date.parse(at) },
		{ role: "custom", customType: "mine", display: true },
	]);
	const run = { role: "bashExecution", command: "ls", output: "a.txt", exitCode: 0, cancelled: false };
	expect(all.bashExecutionToText?.({ ...run, truncated: false, timestamp: 0 })).toContain("a.txt");
	const skill = { name: "pdf", content: "Read it.", filePath: "/s/SKILL.md" };
	expect(all.formatSkillInvocation?.(skill, "page 2")).toMatch(/pdf.*Read it\..*page 2/s);
	expect(all.sanitizeBinaryOutput?.("a\u001B[31mb")).toBe("ab");
});

test("helper values and functions", () => {
	expect(values.getOrThrow(values.ok(1))).toBe(1);
	expect(() => values.getOrThrow(values.err(new Error("no")))).toThrow("no");
	expect(new values.FileError("not_found", "gone", "/a")).toMatchObject({
		name: "FileError",
		code: "not_found",
		path: "/a",
	});
	expect(values.substituteArgs("$1 and ${@:2} of $@, $9", ["a", "b", "$1"])).toBe("a and b $1 of a b $1, ");
	expect(values.parseCommandArgs(`a "b c"`)).toEqual(["a", "b c"]);
	const [said] = (agentExports().convertToLlm as (messages: AgentMessage[]) => { content: unknown }[])([
		values.createCompactionSummaryMessage("so far", 10, "2026-01-01T00:00:00Z"),
	]);
	expect(said?.content).toBe(`${values.COMPACTION_SUMMARY_PREFIX}so far${values.COMPACTION_SUMMARY_SUFFIX}`);
});

describe("a tool call made by a tool", () => {
	const assistantMessage = fauxAssistantMessage("x");
	const context = { messages: [] };

	test("is validated like one of a model", async () => {
		const run = (name: string, args: Record<string, unknown>, block = false) =>
			runToolCall(fauxToolCall(name, args), {
				tools: [tool("look"), tool("fail", { execute: () => Promise.reject(new Error("broken")) })],
				assistantMessage,
				context,
				beforeToolCall: async () => ({ block, reason: "not now" }),
				afterToolCall: async ({ result }) => ({ content: [...result.content, fauxText("after")] }),
			});
		expect((await run("look", { at: "x" })).result.content).toEqual([fauxText("at x"), fauxText("after")]);
		const failures = [run("none", {}), run("look", { at: [] }), run("look", {}, true), run("fail", {})];
		const reported = (await Promise.all(failures)).map(({ isError, result: { content } }) => [
			isError,
			content[0],
		]);
		expect(reported).toEqual([
			[true, fauxText('There is no tool "none".')],
			[true, fauxText(expect.stringContaining("Bad arguments for look"))],
			[true, fauxText("not now")],
			[true, fauxText("broken")],
		]);
	});
});

test("the size of a context is the usage of the last answer plus an estimate of the rest", () => {
	const answered = fauxAssistantMessage("x");
	answered.usage.totalTokens = 100;
	const estimate = values.estimateContextTokens([user("a"), answered, user("b".repeat(400))]);
	expect(estimate).toMatchObject({ usageTokens: 100, lastUsageIndex: 1 });
	expect(estimate.trailingTokens).toBeGreaterThan(50);
	expect(estimate.tokens).toBe(100 + estimate.trailingTokens);
});
