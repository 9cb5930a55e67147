/** How automatic compaction makes room is the user's choice, and so is whether it happens while nobody is there. */
import { expect, test } from "bun:test";

import type { Step } from "@tau/ai/testing";

import {
	converse,
	filler,
	look,
	playedCompaction,
	summing,
	use,
	words,
} from "../../../../test/support/compaction.ts";
import { SessionManager } from "@tau/log";

const full = { input: 9000, output: 100 };
const summary: Step = { when: summing, answer: "Greek.", times: "always" };
const filled: Step = { answer: { blocks: [{ text: "Eta!" }], usage: full } };
const calling: Step = { answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }], usage: full } };
const tools = [look];

function summaries(log: SessionManager): number {
	return log.getHeads().filter(({ type }) => type === "compaction").length;
}

test("shake removes tool results that a summary would otherwise replace", async () => {
	for (const strategy of ["shake", "context-full"] as const) {
		const log = SessionManager.inMemory("/work");
		log.appendMessage({ role: "user", content: "Look.", timestamp: 1 });
		use(log, "1", "read", { path: "a" }, filler(1500));
		use(log, "2", "read", { path: "b" }, filler(1100));
		converse(log, ["alpha", "beta"], 2500);
		await using on = await playedCompaction(
			{ steps: [summary, calling, "Done."] },
			{ log, session: { tools }, settings: { strategy } },
		);
		await on.session.prompt({ text: "Go on." });
		const edits = log.getEntries().filter(({ type }) => type === "context_edit");
		expect([edits.length, summaries(on.log)]).toEqual(strategy === "shake" ? [1, 0] : [0, 1]);
	}
});

test("without autoContinue a run that was paused for a compaction waits for the next prompt", async () => {
	await using on = await playedCompaction(
		{ steps: [summary, calling, "Done."] },
		{ session: { tools }, settings: { autoContinue: false } },
	);
	await on.session.prompt({ text: "eta?" });
	expect([summaries(on.log), on.session.state.messages.at(-1)?.role]).toEqual([1, "toolResult"]);
	expect(on.events.find(({ type }) => type === "compaction_end")).toMatchObject({ willRetry: false });
	await on.session.prompt({ text: "Go on." });
	expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
});

test("without autoContinue a run continues after results were merely removed, and says when it waits", async () => {
	const log = SessionManager.inMemory("/work");
	log.appendMessage({ role: "user", content: "Look at everything.", timestamp: 1 });
	for (let n = 0; n < 7; n++) use(log, `c${n}`, "read", { path: `${n}` }, `RESULT ${filler(1000)}`);
	const own = { session: { tools }, settings: { autoContinue: false } };
	await using removed = await playedCompaction({ steps: [calling, "Done."] }, { ...own, log });
	await removed.session.prompt({ text: "eta?" });
	expect(removed.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
	await using summed = await playedCompaction({ steps: [summary, calling, "Done."] }, own);
	await summed.session.prompt({ text: "eta?" });
	const notices = summed.events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
	expect(notices).toContain("The run waits for your next prompt (compaction.autoContinue is off).");
});

test("with handoff a full answer is followed by a handoff; if that fails, by a summary", async () => {
	for (const works of [true, false]) {
		let handoffs = 0;
		await using on = await playedCompaction({ steps: [summary, filled, "Theta!"] });
		Object.assign(on.settings, {
			strategy: "handoff",
			handOff: async () => {
				handoffs++;
				if (!works) throw new Error("no key");
			},
		});
		const ended = works ? undefined : on.compacted();
		await on.session.prompt({ text: "eta?" });
		await ended;
		expect([handoffs, summaries(on.log)]).toEqual([1, works ? 0 : 1]);
		if (!works)
			expect(on.events.find(({ type }) => type === "notice")).toMatchObject({
				message: "No handoff was written: no key",
			});
	}
});

test("with handoff a run is not torn apart: between two turns a summary is made", async () => {
	await using on = await playedCompaction(
		{ steps: [summary, calling, "Done."] },
		{
			session: { tools },
			settings: { strategy: "handoff", handOff: () => Promise.reject(new Error("never")) },
		},
	);
	await on.session.prompt({ text: "eta?" });
	expect(summaries(on.log)).toBe(1);
	expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
});

test("a long conversation is compacted while it is idle, once, and a short one is not", async () => {
	const idle = { thresholdTokens: 2000, timeoutSeconds: 0.001 };
	await using on = await playedCompaction(
		{ steps: [summary, "Eta!", "Theta!"] },
		{ settings: { idle }, model: { contextWindow: 100_000 } },
	);
	const compacted = on.compacted();
	await on.session.prompt({ text: "eta?" });
	expect(await compacted).toMatchObject({ reason: "idle", willRetry: false });
	expect(on.events.find(({ type }) => type === "auto_compaction_start")).toMatchObject({ reason: "idle" });
	await on.session.prompt({ text: "theta?" });
	expect(summaries(on.log)).toBe(1);
	expect(JSON.stringify(on.session.state.messages)).not.toContain(`${words[0]}!`);
});
