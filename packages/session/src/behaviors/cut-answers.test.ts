/** An answer that reaches the output limit is continued, a few times; a full context is promoted or compacted first. */
import { describe, expect, test } from "bun:test";

import type { Scenario, Step } from "@tau/ai/testing";

import {
	look,
	playedCompaction,
	summing,
	type CompactionFixtureOptions,
} from "../../../../test/support/compaction.ts";
import { testModel } from "../../../../test/support/session.ts";
import type { SessionEvent } from "../run/behavior.ts";

const openFixture = (steps: Scenario["steps"], options: CompactionFixtureOptions = {}) =>
	playedCompaction({ steps }, options);

const cut = (text: string, usage = { input: 10, output: 10 }): Step => ({
	answer: { blocks: text === "" ? [{ thinking: "hm" }] : [{ text }], stopReason: "length", usage },
});
const summary: Step = { when: summing, answer: "Greek.", times: "always" };
const full = { input: 9000, output: 100 };

/** An entry of the log has a time of its own. */
function withoutTimes(messages: readonly object[]): object[] {
	return messages.map((message) => ({ ...message, timestamp: undefined }));
}

function ends(events: readonly SessionEvent[]): SessionEvent[] {
	return events.filter(({ type }) => type === "budget_exhausted");
}

describe("an answer that reaches the output limit", () => {
	test("is continued where it stopped", async () => {
		await using on = await openFixture([cut("One, two,"), "three."]);
		await on.session.prompt({ text: "Count." });
		expect(on.played.requests).toHaveLength(2);
		expect(on.played.requests[1]?.rawBody).toContain("Continue exactly where it stopped");
		expect(on.played.requests[1]?.rawBody).toContain("One, two,");
		expect(on.session.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
		expect(ends(on.events)).toEqual([]);
		expect(withoutTimes(on.session.state.messages)).toEqual(
			withoutTimes(on.log.buildSessionContext().messages),
		);
	});

	test("is continued also if it is empty, and its thinking is not sent back", async () => {
		await using on = await openFixture([cut(""), "Done."]);
		await on.session.prompt({ text: "Count." });
		expect(on.played.requests).toHaveLength(2);
		expect(on.played.requests[1]?.rawBody).toContain("before you wrote anything");
		expect(on.played.requests[1]?.rawBody).not.toContain('"hm"');
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
	});

	test.each(["One.", ""])("again and again (%p) ends the run with its cause", async (text) => {
		await using on = await openFixture([{ ...cut(text), times: "always" }]);
		await on.session.prompt({ text: "Count." });
		expect(on.played.requests).toHaveLength(4);
		expect(ends(on.events)).toMatchObject([{ limit: "length", message: expect.stringContaining("4 times") }]);
		if (text === "")
			expect(on.session.state.messages.at(-1)).toMatchObject({
				stopReason: "error",
				failure: { kind: "output_limit" },
			});
		// The next prompt starts to count anew.
		on.played.setScenario({ steps: [cut("Four,"), "five."] });
		await on.session.prompt({ text: "Go on." });
		expect(on.session.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
	});

	test("is not continued after an abort", async () => {
		await using on = await openFixture([cut("One, two,"), "never"]);
		on.session.subscribe((event) => {
			if (event.type === "message_end" && event.message.role === "assistant") on.session.abort();
		});
		await on.session.prompt({ text: "Count." });
		expect(on.played.requests).toHaveLength(1);
	});

	test("with a full context is continued after a compaction", async () => {
		await using on = await openFixture([summary, cut("One, two,", full), "three."]);
		await on.session.prompt({ text: "Count." });
		expect(on.events.find(({ type }) => type === "auto_compaction_start")).toMatchObject({
			reason: "incomplete",
			willRetry: true,
		});
		expect(on.events.findIndex(({ type }) => type === "compaction_end")).toBeGreaterThan(0);
		const last = on.played.requests.at(-1)?.rawBody ?? "";
		for (const text of ["Greek.", "One, two,", "Continue exactly"]) expect(last).toContain(text);
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "three." }] });
	});
});

describe("a model that names a larger one", () => {
	const promoting = (baseUrl: string): CompactionFixtureOptions["settings"] => ({
		larger: ({ id }) =>
			id === "large" ? undefined : testModel({ id: "large", contextWindow: 100_000, baseUrl }),
	});
	const large = { body: { model: "large" } };

	async function play(steps: Scenario["steps"]) {
		const settings: NonNullable<CompactionFixtureOptions["settings"]> = {};
		const on = await openFixture(steps, { settings, session: { tools: [look] } });
		// Settings are read each time.
		Object.assign(on.settings, promoting(on.played.anthropicUrl));
		return on;
	}

	test("is replaced by it after an overflow, and nothing is compacted", async () => {
		await using on = await play([{ fault: { overflow: true } }, "Eta!"]);
		await on.session.prompt({ text: "eta?" });
		expect(on.played.requests).toHaveLength(2);
		expect(on.played.requests[1]).toMatchObject(large);
		expect(on.played.requests[1]?.rawBody).toContain("alpha!");
		expect(on.session.model.id).toBe("large");
		expect(on.events.filter(({ type }) => type === "compaction_start")).toEqual([]);
		expect(on.events.find(({ type }) => type === "notice")).toMatchObject({
			message: expect.stringContaining("Continuing with"),
		});
	});

	test("is replaced by it between two turns, without a break of the run", async () => {
		await using on = await play([
			{ answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }], usage: full } },
			"Done.",
		]);
		await on.session.prompt({ text: "eta?" });
		expect(on.played.requests[1]).toMatchObject(large);
		expect(on.events.filter(({ type }) => type === "agent_start")).toHaveLength(1);
	});

	test("is replaced by it after a full answer; the larger one is compacted when it is full", async () => {
		await using on = await play([summary, { answer: { blocks: [{ text: "Eta!" }], usage: full } }, "Theta!"]);
		await on.session.prompt({ text: "eta?" });
		await on.session.prompt({ text: "theta?" });
		expect(on.played.requests).toHaveLength(2);
		expect(on.played.requests[1]).toMatchObject(large);
	});
});
