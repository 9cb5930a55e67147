/** A conversation is compacted before its context is full, and again when the model reports an overflow. */
import { describe, expect, test } from "bun:test";

import type { AgentTool } from "@tau/agent";
import type { PlayedModel, Scenario, Step } from "@tau/ai/testing";

import {
	converse,
	filler,
	look,
	playedCompaction,
	summing,
	words,
	type CompactionFixtureOptions,
} from "../../../../test/support/compaction.ts";
import { testModel } from "../../../../test/support/session.ts";
import type { SessionEvent } from "../run/behavior.ts";
import { SessionManager } from "@tau/log";
import { budgetGuard } from "./budget-guard.ts";

const summary: Step = { when: summing, answer: "Greek.", times: "always" };
/** The provider counts: the window of 10,000 is nearly full. */
const full = { input: 9000, output: 100 };

const openFixture = (steps: Scenario["steps"], options: CompactionFixtureOptions = {}) =>
	playedCompaction({ steps }, options);

function eventTypes(events: readonly SessionEvent[], ...prefixes: string[]): string[] {
	return events.map(({ type }) => type).filter((type) => prefixes.some((prefix) => type.startsWith(prefix)));
}

/** Which requests were for a summary; one that took several parts counts once. */
function isSummed({ requests }: PlayedModel): boolean[] {
	const all = requests.map(({ rawBody }) => rawBody.includes(summing.bodyContains));
	return all.filter((is, index) => !is || !all[index - 1]);
}

function calling(usage = full): Step {
	return { answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }], usage } };
}

describe("an answer that fills the context", () => {
	test("is followed by a compaction in the background, and the next prompt fits", async () => {
		await using on = await openFixture([
			summary,
			{ answer: { blocks: [{ text: "Eta!" }], usage: full } },
			"Theta!",
		]);
		const compacted = on.compacted();
		await on.session.prompt({ text: "eta?" });
		expect(on.events.at(-1)?.type).not.toBe("compaction_end");
		expect(await compacted).toMatchObject({ reason: "threshold", aborted: false, willRetry: false });
		await on.session.prompt({ text: "theta?" });
		expect(isSummed(on.played)).toEqual([false, true, false]);
		expect(on.played.requests.at(-1)?.rawBody).toContain("Greek.");
		expect(on.played.requests.at(-1)?.rawBody).not.toContain("alpha!");
		expect(eventTypes(on.events, "agent", "compaction", "auto").slice(0, 6)).toEqual([
			"agent_start",
			"agent_end",
			"compaction_start",
			"auto_compaction_start",
			"compaction_end",
			"auto_compaction_end",
		]);
	});

	test("does not start one with afterAnswer: false: the next prompt does", async () => {
		await using on = await openFixture(
			[summary, { answer: { blocks: [{ text: "Eta!" }], usage: full } }, "Theta!"],
			{ settings: { afterAnswer: false } },
		);
		await on.session.prompt({ text: "eta?" });
		expect(eventTypes(on.events, "compaction")).toEqual([]);
		await on.session.prompt({ text: "theta?" });
		expect(isSummed(on.played)).toEqual([false, true, false]);
	});

	test("does not start one if the user has disabled it", async () => {
		await using on = await openFixture([{ answer: { blocks: [{ text: "Eta!" }], usage: full } }, "Theta!"], {
			settings: { enabled: false },
		});
		await on.session.prompt({ text: "eta?" });
		await on.session.prompt({ text: "theta?" });
		expect(eventTypes(on.events, "compaction")).toEqual([]);
	});

	test("does not start one if hardly anything could be removed: it would cost at every turn", async () => {
		const log = SessionManager.inMemory("/work");
		converse(log, ["alpha"], 50);
		await using on = await openFixture([{ answer: { blocks: [{ text: "Eta!" }], usage: full } }, "Theta!"], {
			log,
		});
		await on.session.prompt({ text: `eta? ${filler(7000)}` });
		await on.session.prompt({ text: "theta?" });
		expect(eventTypes(on.events, "compaction")).toEqual([]);
	});
});

describe("during a run", () => {
	const tools = [look];

	test("the context is compacted between two turns, and the model continues with its results", async () => {
		await using on = await openFixture([summary, calling(), "Done."], { session: { tools } });
		await on.session.prompt({ text: "eta?" });
		expect(isSummed(on.played)).toEqual([false, true, false]);
		const last = on.played.requests.at(-1)?.rawBody ?? "";
		for (const text of ["Greek.", "eta?", "seen it"]) expect(last).toContain(text);
		expect(on.events.find(({ type }) => type === "compaction_start")).toMatchObject({ willRetry: true });
		expect(on.events.find(({ type }) => type === "compaction_end")).toMatchObject({ willRetry: true });
		expect(eventTypes(on.events, "agent", "compaction")).toEqual([
			"agent_start",
			"agent_end",
			"compaction_start",
			"compaction_end",
			"agent_start",
			"agent_end",
		]);
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
		expect(on.session.state.messages).toEqual(on.log.buildSessionContext().messages);
	});

	test("a failure is eventTypes, not retried in this run, and does not end it", async () => {
		const refused: Step = { when: summing, fault: { http: 401 }, times: "always" };
		await using on = await openFixture([refused, calling(), calling(), "Done."], {
			session: { tools },
			settings: { afterAnswer: false },
		});
		await on.session.prompt({ text: "eta?" });
		expect(isSummed(on.played)).toEqual([false, true, false, false]);
		expect(on.events.find(({ type }) => type === "auto_compaction_end")).toMatchObject({
			result: null,
			aborted: false,
			willRetry: true,
			errorMessage: expect.stringContaining("Auto-compaction failed: "),
		});
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
	});

	test("an abort ends the compaction and the run", async () => {
		await using on = await openFixture([{ when: summing, fault: { silent: true } }, calling(), "never"], {
			session: { tools },
		});
		const prompting = on.session.prompt({ text: "eta?" });
		await on.played.waitForRequest(2);
		on.session.abort();
		await prompting;
		expect(on.played.requests).toHaveLength(2);
		expect(on.events.at(-1)).toMatchObject({ type: "auto_compaction_end", aborted: true, willRetry: false });
	});

	test("an abort while tools run starts no compaction", async () => {
		const stopping: AgentTool = {
			...look,
			execute: async () => {
				on.session.abort();
				return { content: [{ type: "text", text: "stopped" }] };
			},
		};
		await using on = await openFixture([calling()], { session: { tools: [stopping] } });
		await on.session.prompt({ text: "eta?" });
		expect(eventTypes(on.events, "compaction")).toEqual([]);
	});

	test("a spent budget is not exceeded for a summary", async () => {
		await using on = await openFixture([calling()], {
			session: { tools, behaviors: [budgetGuard({ maxTurns: 1 })] },
		});
		await on.session.prompt({ text: "eta?" });
		expect(eventTypes(on.events, "compaction", "budget")).toEqual(["budget_exhausted"]);
		expect(on.played.requests).toHaveLength(1);
	});
});

describe("a model that reports an overflow", () => {
	const tooLong: Step = { fault: { overflow: true } };

	test("is called again with a summary, and its error is not part of the conversation", async () => {
		await using on = await openFixture([summary, tooLong, "Eta!"]);
		await on.session.prompt({ text: "eta?" });
		expect(isSummed(on.played)).toEqual([false, true, false]);
		expect(on.events.find(({ type }) => type === "auto_compaction_start")).toMatchObject({
			reason: "overflow",
			willRetry: true,
		});
		expect(on.events.find(({ type }) => type === "auto_compaction_end")).toMatchObject({ willRetry: true });
		const last = on.played.requests.at(-1)?.rawBody ?? "";
		for (const text of ["Greek.", "eta?"]) expect(last).toContain(text);
		const { messages } = on.session.state;
		expect(messages.at(-1)).toMatchObject({ content: [{ text: "Eta!" }] });
		expect(messages.filter((message) => message.role === "assistant" && message.failure)).toEqual([]);
		expect(messages).toEqual(on.log.buildSessionContext().messages);
		// It is in the tree, on a branch that ends with it.
		const failures = on.log.getEntries().filter((entry) => JSON.stringify(entry).includes('"overflow"'));
		expect(failures).toHaveLength(1);
		expect(on.log.getChildren(failures[0]?.id ?? "")).toEqual([]);
	});

	test("twice is not called a third time, and the user reads what helps", async () => {
		await using on = await openFixture([summary, tooLong, tooLong, "never"]);
		await on.session.prompt({ text: "eta?" });
		expect(isSummed(on.played)).toEqual([false, true, false]);
		expect(on.events.at(-1)).toMatchObject({
			type: "notice",
			message: expect.stringContaining("new session"),
		});
		expect(on.session.state.messages.at(-1)).toMatchObject({ failure: { kind: "overflow" } });
		on.played.setScenario({ steps: [summary, tooLong, "Theta!"] });
		await on.session.prompt({ text: `theta? ${filler(500)}` });
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Theta!" }] });
	});

	test("during a run continues with the results so far", async () => {
		await using on = await openFixture([summary, calling({ input: 10, output: 1 }), tooLong, "Done."], {
			session: { tools: [look] },
		});
		await on.session.prompt({ text: "eta?" });
		expect(isSummed(on.played)).toEqual([false, false, true, false]);
		expect(on.played.requests[3]?.rawBody).toContain("seen it");
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
	});

	test("is believed also if its window is unknown", async () => {
		await using on = await openFixture([summary, tooLong, "Eta!"], { model: { contextWindow: 0 } });
		await on.session.prompt({ text: "eta?" });
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Eta!" }] });
	});

	test("although by our count there is room loses half of the context", async () => {
		await using on = await openFixture([summary, tooLong, "Eta!"], {
			model: { contextWindow: 1_000_000 },
			settings: { keepRecentTokens: 100_000 },
		});
		await on.session.prompt({ text: "eta?" });
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Eta!" }] });
		expect(on.played.requests.at(-1)?.rawBody).not.toContain("alpha!");
	});

	test("keeps its error if no summary can be made, and nothing is lost", async () => {
		await using on = await openFixture([{ when: summing, fault: { http: 401 } }, tooLong, "never"]);
		const before = on.session.state.messages.length;
		await on.session.prompt({ text: "eta?" });
		expect(on.events.find(({ type }) => type === "auto_compaction_end")).toMatchObject({
			willRetry: false,
			errorMessage: expect.stringContaining("Context overflow recovery failed: "),
		});
		expect(on.played.requests).toHaveLength(2);
		expect(on.session.state.messages).toHaveLength(before + 2);
		expect(on.session.state.messages.at(-1)).toMatchObject({ failure: { kind: "overflow" } });
	});

	test("is not compacted if the user disabled it or aborted the prompt", async () => {
		await using on = await openFixture([tooLong, "never"], { settings: { enabled: false } });
		await on.session.prompt({ text: "eta?" });
		expect(on.played.requests).toHaveLength(1);
		expect(eventTypes(on.events, "compaction")).toEqual([]);
	});
});

test("a conversation that is too long for another model is compacted before the first request to it", async () => {
	const log = SessionManager.inMemory("/work");
	converse(log, words, 2000);
	await using on = await openFixture([summary, "Eta!"], { log, model: { contextWindow: 100_000 } });
	on.session.setModel(testModel({ ...on.session.model, contextWindow: 10_000 }));
	await on.session.prompt({ text: "eta?" });
	expect(isSummed(on.played).slice(-2)).toEqual([true, false]);
	expect(on.played.requests.at(-1)?.rawBody).toContain("eta?");
	expect(eventTypes(on.events, "agent", "compaction")).toEqual([
		"compaction_start",
		"compaction_end",
		"agent_start",
		"agent_end",
	]);
});
