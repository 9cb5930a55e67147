/** The provider's cache is kept alive during long tools, only if the user wants that, and within a bound. */
import { expect, test } from "bun:test";

import { cacheLifetimeMs, type Model } from "@tau/ai";
import { playModel } from "@tau/ai/testing";
import { persistence } from "@tau/session";
import { SessionManager } from "@tau/log";
import { delay } from "@tau/utils";

import { look } from "../../../../test/support/compaction.ts";
import { cachedText } from "../../../../test/support/prefix.ts";
import { testModel, testSession } from "../../../../test/support/session.ts";
import { budgetGuard, type Budget } from "./budget-guard.ts";
import { cacheKeepAlive, type KeepAliveParts } from "./cache-keep-alive.ts";

const calling = { answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }] } };
const usage = { input: 3, output: 1, cacheRead: 500 };

async function opened(parts: KeepAliveParts, budget: Budget = {}) {
	const ping = { when: { bodyContains: '"max_tokens":1,' }, answer: { blocks: [{ text: "x" }], usage } };
	const played = await playModel({ steps: [{ ...ping, times: "always" }, calling, "Done."] });
	const released = Promise.withResolvers<void>();
	const started = Promise.withResolvers<void>();
	const tool = {
		...look,
		execute: async (_: string, __: unknown, signal: AbortSignal) => {
			started.resolve();
			signal.addEventListener("abort", () => released.resolve(), { once: true });
			await released.promise;
			return { content: [{ type: "text" as const, text: "seen it" }] };
		},
	};
	const log = SessionManager.inMemory("/work");
	const session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		tools: [tool],
		thinking: "off",
		behaviors: [persistence(log), budgetGuard(budget), cacheKeepAlive(log, parts)],
	});
	return {
		played,
		session,
		log,
		started: started.promise,
		release: released.resolve,
		async [Symbol.asyncDispose]() {
			await session[Symbol.asyncDispose]();
			await played.close();
		},
	};
}

test("a long tool is bridged by requests with the same prefix, up to the bound, and their cost is recorded", async () => {
	await using on = await opened({ most: () => 2, lifetimeMs: () => 10 });
	const running = on.session.prompt({ text: "go" });
	await on.played.waitForEnd(3);
	on.release();
	await running;
	const [first, second, third, fourth] = on.played.requests;
	if (!first || !second || !third || !fourth) throw new Error("requests are missing");
	expect(cachedText(second)).toBe(cachedText(first));
	expect(cachedText(third)).toBe(cachedText(first));
	expect(fourth.rawBody).toContain("seen it");
	expect(on.played.requests).toHaveLength(4);
	const paid = on.log.getEntries().filter(({ type }) => type === "usage");
	expect(paid).toMatchObject([
		{ kind: "keep-alive", usage: { cacheRead: 500 } },
		{ kind: "keep-alive", usage: { cacheRead: 500 } },
	]);
	expect(on.session.usage.totals.cacheRead).toBe(1000);
	expect(on.session.prefix.breaks).toEqual([]);
	expect(on.session.state.messages).toHaveLength(4);
});

test("none is sent without the setting, or where the provider documents no lifetime", async () => {
	for (const parts of [
		{ most: () => 0, lifetimeMs: () => 1 },
		{ most: () => 5, lifetimeMs: () => undefined },
	]) {
		await using on = await opened(parts);
		const running = on.session.prompt({ text: "go" });
		await on.started;
		// Longer than the lifetime: a timer that was started later has fired.
		await delay(10);
		on.release();
		await running;
		expect(on.played.requests).toHaveLength(2);
	}
});

test("stopping the run stops it too", async () => {
	await using on = await opened({ most: () => 24, lifetimeMs: () => 10 });
	const running = on.session.prompt({ text: "go" });
	await on.played.waitForRequest(2);
	on.session.abort();
	await running;
	const { length } = on.played.requests;
	await on.session.waitForIdle();
	expect(on.played.requests).toHaveLength(length);
});

test.each<[string, Partial<Model>, Parameters<typeof cacheLifetimeMs>[1], number | undefined]>([
	["Anthropic keeps a prefix for five minutes", { api: "anthropic-messages" }, "short", 300_000],
	["Anthropic keeps it for an hour if asked", { api: "anthropic-messages" }, "long", 3_600_000],
	["Bedrock keeps it for five minutes", { api: "bedrock-converse-stream" }, "short", 300_000],
	["nothing is kept if it was not asked for", { api: "anthropic-messages" }, "none", undefined],
	["OpenAI keeps it as long as it likes", { api: "openai-responses" }, "short", undefined],
	["Gemini keeps it as long as it likes", { api: "google-generative-ai" }, "short", undefined],
	[
		"a gateway to Anthropic keeps it for five minutes",
		{ api: "openai-completions", compat: { cacheControlFormat: "anthropic" } },
		"short",
		300_000,
	],
])("%s", (_, change, retention, expected) => {
	const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
	expect(cacheLifetimeMs(testModel({ cost, ...change }), retention)).toBe(expected);
});

test("a spent budget sends no more of them", async () => {
	await using on = await opened({ most: () => 5, lifetimeMs: () => 10 }, { maxTokens: 600 });
	const running = on.session.prompt({ text: "go" });
	// Each counts 504 tokens.
	await on.played.waitForEnd(3);
	await delay(50);
	on.release();
	await running;
	expect(on.log.getEntries().filter(({ type }) => type === "usage")).toHaveLength(2);
});
