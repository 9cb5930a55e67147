/** Context usage is exact after an answer, and estimated in between. */
import { expect, test } from "bun:test";

import type { AgentMessage } from "@tau/agent";
import type { AssistantMessage } from "@tau/ai";

import { testModel } from "../../../../test/support/session.ts";
import { contextUsage } from "./context-usage.ts";

const model = testModel({ contextWindow: 1000 });
const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function answer(totalTokens: number, more: Partial<AssistantMessage> = {}): AssistantMessage {
	return {
		role: "assistant",
		content: [{ type: "text", text: "x" }],
		api: model.api,
		provider: model.provider,
		model: model.id,
		stopReason: "stop",
		timestamp: 10,
		usage: { ...none, totalTokens, cost: { ...none, total: 0 } },
		...more,
	};
}

function user(text: string, timestamp = 1): AgentMessage {
	return { role: "user", content: text, timestamp };
}

function usageOf(messages: AgentMessage[]) {
	return contextUsage({ messages, model, systemPrompt: "", tools: [] });
}

test("after an answer it is the provider's count", () => {
	expect(usageOf([user("hi"), answer(250)])).toEqual({
		tokens: 250,
		contextWindow: 1000,
		percent: 25,
		exact: true,
	});
});

test("later messages are estimated on top", () => {
	const usage = usageOf([user("hi"), answer(250), user("x".repeat(400))]);
	expect(usage.exact).toBe(false);
	expect(usage.tokens).toBeGreaterThanOrEqual(350);
	expect(usage.tokens).toBeLessThan(370);
});

test("an aborted answer has no count", () => {
	expect(usageOf([user("hi"), answer(250), user("more"), answer(9, { stopReason: "aborted" })]).exact).toBe(
		false,
	);
});

test("the count of another model is not used", () => {
	expect(usageOf([answer(250, { model: "other" })])).toMatchObject({ tokens: 250, exact: false });
});

test("a count from before a compaction is not used", () => {
	const summary: AgentMessage = { role: "compactionSummary", summary: "s", tokensBefore: 900, timestamp: 50 };
	expect(usageOf([summary, answer(900)]).tokens).toBeLessThan(100);
});

test("before the first answer the prompt and the tools are estimated", () => {
	const empty = contextUsage({ messages: [], model, systemPrompt: "x".repeat(400), tools: [] });
	expect(empty).toMatchObject({ tokens: 100, exact: false });
});

test("without a known window there is no percentage", () => {
	const unknown = {
		messages: [answer(250)],
		model: testModel({ contextWindow: 0 }),
		systemPrompt: "",
		tools: [],
	};
	expect(contextUsage(unknown)).toMatchObject({ contextWindow: 0, percent: 0 });
});
