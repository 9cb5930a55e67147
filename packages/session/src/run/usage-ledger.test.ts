/** The cost of a session is known in total, by model and by turn, also after a resume. */
import { expect, test } from "bun:test";

import type { AgentMessage } from "@tau/agent";
import type { AssistantMessage } from "@tau/ai";
import { playModel } from "@tau/ai/testing";

import { testModel, testSession } from "../../../../test/support/session.ts";
import { limits } from "./limits.ts";
import { turnsOf, UsageLedger } from "./usage-ledger.ts";

function answer(model: string, tokens: number, more: Partial<AssistantMessage> = {}): AssistantMessage {
	const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	return {
		role: "assistant",
		content: [],
		api: "anthropic-messages",
		provider: "played",
		model,
		stopReason: "stop",
		timestamp: tokens,
		usage: { ...none, output: tokens, totalTokens: tokens, cost: { ...none, total: tokens / 64 } },
		...more,
	};
}

function ledgerOf(messages: readonly AgentMessage[]): UsageLedger {
	return new UsageLedger(() => turnsOf(messages));
}

test("a resumed conversation has its earlier usage, by model and by turn", () => {
	const ledger = ledgerOf([
		answer("a", 10),
		{ role: "user", content: "x", timestamp: 0 },
		answer("b", 5),
		answer("a", 1),
	]);
	expect(ledger.totals).toMatchObject({ output: 16, totalTokens: 16, cost: { total: 0.25 } });
	expect(ledger.byModel().map(({ model, answers, usage }) => [model, answers, usage.totalTokens])).toEqual([
		["a", 2, 11],
		["b", 1, 5],
	]);
	expect(ledger.byTurn().map(({ usage }) => usage.totalTokens)).toEqual([10, 5, 1]);
});

test("a failed answer counts as far as it was charged", () => {
	const ledger = ledgerOf([answer("a", 3, { stopReason: "error" })]);
	expect(ledger.byTurn()).toMatchObject([{ stopReason: "error" }]);
	expect(ledger.totals.totalTokens).toBe(3);
});

test("requests outside of turns count to the session and its model only", () => {
	const ledger = new UsageLedger();
	ledger.add("title", answer("small", 7));
	expect(ledger.totals.totalTokens).toBe(7);
	expect(ledger.byTurn()).toEqual([]);
	expect(ledger.byModel()).toHaveLength(1);
});

test("a file of another program may contain anything", () => {
	const odd = [
		{ ...answer("a", 1), usage: undefined },
		{ ...answer("a", 1), usage: { output: "x", cost: null } },
	];
	// The contents of a log are not checked against the types.
	const ledger = ledgerOf(odd as unknown as AssistantMessage[]);
	expect(ledger.totals).toMatchObject({ totalTokens: 0, cost: { total: 0 } });
});

test("the newest turns are kept, and the totals include all", () => {
	const ledger = ledgerOf(Array.from({ length: limits.ledgerTurns + 5 }, () => answer("a", 1)));
	expect(ledger.byTurn()).toHaveLength(limits.ledgerTurns);
	expect(ledger.totals.totalTokens).toBe(limits.ledgerTurns + 5);
});

test("usage is counted during a run", async () => {
	await using played = await playModel({ steps: ["One.", "Two."] });
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }));
	await session.prompt({ text: "a" });
	const first = session.usage.totals.totalTokens;
	await session.prompt({ text: "b" });
	expect(first).toBeGreaterThan(0);
	expect(session.usage.totals.totalTokens).toBeGreaterThan(first);
	expect(session.usage.byTurn()).toHaveLength(2);
});

test("a long log is counted in many turns of the event loop, and at once for who cannot wait", async () => {
	const answers = 20 * limits.ledgerSlice;
	const log = function* () {
		for (let at = 0; at < answers; at++) {
			// As long as reading a line takes on a slow disk.
			for (const began = performance.now(); performance.now() - began < 0.05;);
			yield* turnsOf([answer("a", 1)]);
		}
	};
	const ledger = new UsageLedger(log);
	let turns = 0;
	const key = setInterval(() => turns++, 0);
	const counting = ledger.count();
	expect(ledger.isCounted).toBe(false);
	await ledger.count();
	await counting;
	clearInterval(key);
	expect(turns).toBeGreaterThan(5);
	expect(ledger.isCounted).toBe(true);
	expect(ledger.totals.totalTokens).toBe(answers);

	const other = new UsageLedger(log);
	const rest = other.count();
	other.add("title", answer("a", 5));
	expect(other.totals.totalTokens).toBe(answers + 5);
	await rest;
	expect(other.totals.totalTokens).toBe(answers + 5);
});
