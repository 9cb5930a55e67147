/** A temporary provider error costs a moment, not the answer; other errors are reported at once. */
import { describe, expect, test } from "bun:test";

import type { Model } from "@tau/ai";
import { playModel, type Scenario } from "@tau/ai/testing";

import { testModel, testSession } from "../../../../test/support/session.ts";
import type { SessionEvent } from "../run/behavior.ts";
import { autoRetry } from "./auto-retry.ts";

const quick = { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1000 };

async function ask(
	steps: Scenario["steps"],
	{
		otherKey,
		onEvent,
		api,
	}: {
		otherKey?: () => boolean;
		onEvent?: (event: SessionEvent, abort: () => void) => void;
		api?: "google-generative-ai";
	} = {},
) {
	await using played = await playModel({ steps });
	const model = testModel(api ? { api, baseUrl: played.googleUrl } : { baseUrl: played.anthropicUrl });
	using session = testSession(model, {
		behaviors: [autoRetry(quick, { ...(otherKey ? { otherKey } : {}), fallback: () => undefined })],
	});
	const events: SessionEvent[] = [];
	using _ = session.subscribe((event) => {
		events.push(event);
		onEvent?.(event, () => session.abort());
	});
	await session.prompt({ text: "hi" });
	const retries = events.filter((event) => event.type.startsWith("auto_retry"));
	const { messages } = session.state;
	const types = events.map(({ type }) => type);
	return { types, retries, messages, requests: played.requests.length, last: messages.at(-1) };
}

const busy = { fault: { http: 529 } } as const;

test("an overloaded model is called again, and its failures are not in the conversation", async () => {
	const { retries, messages, requests, types } = await ask([busy, busy, "At last."]);
	expect(retries).toMatchObject([
		{ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1 },
		{ type: "auto_retry_start", attempt: 2, delayMs: 2 },
		{ type: "auto_retry_end", success: true, attempt: 2 },
	]);
	expect(requests).toBe(3);
	expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
	const order = types.filter((type) => type.startsWith("agent") || type.startsWith("auto"));
	expect(order.slice(0, 3)).toEqual(["agent_start", "agent_end", "auto_retry_start"]);
});

test("it gives up after the last attempt, with the reason", async () => {
	const { retries, requests, last } = await ask([busy, busy, busy, busy, "never"]);
	expect(requests).toBe(4);
	expect(retries.at(-1)).toMatchObject({ type: "auto_retry_end", success: false, attempt: 3 });
	expect(last).toMatchObject({ stopReason: "error", failure: { kind: "overloaded" } });
});

test("an empty answer is retried twice, and then a failure", async () => {
	const empty = { answer: { blocks: [] } };
	const thoughts = { answer: { blocks: [{ thinking: "hm" }] } };
	const { retries, requests, messages } = await ask([empty, thoughts, "At last."]);
	expect(requests).toBe(3);
	expect(retries.at(-1)).toMatchObject({ success: true });
	expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
	const never = await ask([empty, empty, empty, "never"]);
	expect(never.requests).toBe(3);
	expect(never.retries[0]).toMatchObject({ attempt: 1, maxAttempts: 2 });
	expect(never.last).toMatchObject({
		stopReason: "error",
		errorMessage: "The model's answer is empty",
		failure: { kind: "invalid_response" },
	});
});

test("a call that Gemini could not write is retried as in gemini-cli", async () => {
	const malformed = { answer: { blocks: [{ toolCall: { name: "bash", arguments: '{"a":' } }] } };
	const { requests, last } = await ask([malformed, malformed, "At last."], { api: "google-generative-ai" });
	expect(requests).toBe(3);
	expect(last).toMatchObject({ stopReason: "stop", content: [{ text: "At last." }] });
	const never = await ask([malformed, malformed, malformed, "never"], { api: "google-generative-ai" });
	expect(never.requests).toBe(3);
	expect(never.last).toMatchObject({ stopReason: "error", failure: { kind: "invalid_response" } });
});

describe("errors that waiting does not fix are not retried", () => {
	test.each([400, 401, 413] as const)("HTTP %d", async (http) => {
		const { retries, requests } = await ask([{ fault: { http } }, "never"]);
		expect({ retries, requests }).toEqual({ retries: [], requests: 1 });
	});

	test("a wait that is longer than a user would accept", async () => {
		const { retries, requests } = await ask([{ fault: { http: 429, retryAfter: 3600 } }, "never"]);
		expect({ retries, requests }).toEqual({ retries: [], requests: 1 });
	});
});

test("a rejected key is retried if another one replaces it", async () => {
	const { retries, last } = await ask([{ fault: { http: 401 } }, "With the other."], {
		otherKey: () => true,
	});
	expect(retries).toMatchObject([{ delayMs: 0 }, { success: true }]);
	expect(last).toMatchObject({ stopReason: "stop" });
});

test("an abort during the wait ends it", async () => {
	const { retries, requests, last } = await ask([{ fault: { http: 429, retryAfter: 1 } }, "never"], {
		onEvent: (event, abort) => {
			if (event.type === "auto_retry_start") abort();
		},
	});
	expect(retries.at(-1)).toMatchObject({ type: "auto_retry_end", success: false });
	expect(requests).toBe(1);
	expect(last).toMatchObject({ failure: { kind: "rate_limit" } });
});

test("a model that stays unavailable is replaced by the fallback, and the user is informed", async () => {
	const broken = { fault: { http: 529 }, times: 2, when: { bodyContains: '"model":"first"' } } as const;
	await using played = await playModel({ steps: [broken], fallback: "From the second." });
	const [first, second] = ["first", "second"].map((id) => testModel({ baseUrl: played.anthropicUrl, id }));
	if (!first || !second) throw new Error("two models are needed");
	const once = { ...quick, maxAttempts: 1 };
	const fallback = (tried: readonly Model[]) =>
		tried.some(({ id }) => id === "second") ? undefined : second;
	using session = testSession(first, { behaviors: [autoRetry(once, { fallback })] });
	const received: string[] = [];
	using _ = session.subscribe((event) => {
		if (event.type === "notice") received.push(event.message);
		if (event.type === "retry_fallback_applied") received.push(`from ${event.from} to ${event.to}`);
		if (event.type === "retry_fallback_succeeded") received.push(`with ${event.model}`);
	});
	await session.prompt({ text: "hi" });
	expect(session.state.messages.at(-1)).toMatchObject({ model: "second", stopReason: "stop" });
	expect(received.toSorted()).toEqual([
		"from played/first to played/second",
		"played/first does not answer. Continuing with played/second.",
		"with played/second",
	]);
	await session.prompt({ text: "again" });
	expect(received).toHaveLength(3);
	expect(played.requests.length).toBe(4);
});
