/** Pieces of an answer are gathered while a model writes slowly, and nobody waits for the first ones or the last. */
import { expect, test } from "bun:test";

import { limits } from "../limits.ts";
import { stream } from "../stream.ts";
import { hello, playedModel, receive } from "../testing/asking.ts";
import { playModel } from "../testing/index.ts";
import { Gathering } from "./gathering.ts";

const piece = new Uint8Array(150);

/** Whether a reader waits after each piece, at these times. */
function waits(times: readonly number[], chunk = piece): boolean[] {
	const clock = { at: 0, due: 0, run: () => {} };
	const gathering = new Gathering(new AbortController().signal, {
		now: () => clock.at,
		after(ms, run) {
			Object.assign(clock, { due: clock.at + ms, run });
			return { [Symbol.dispose]() {} };
		},
	});
	return times.map((time) => {
		clock.at = time;
		return gathering.after(chunk) !== undefined;
	});
}

test("the beginning of an answer is read at once, and what follows quickly is gathered", () => {
	const late = limits.gatherAfterMs;
	expect(waits([0, 20, 40, late - 10, late + 5, late + 10])).toEqual([
		false,
		false,
		false,
		false,
		true,
		true,
	]);
});

test("rare pieces and large ones are read at once", () => {
	const late = limits.gatherAfterMs;
	expect(waits([0, late, late + limits.gatherMs])).toEqual([false, false, false]);
	expect(waits([0, late, late + 1], new Uint8Array(limits.gatheredBytes + 1))).toEqual([false, false, false]);
});

test("an abort ends the wait", async () => {
	const controller = new AbortController();
	let now = 0;
	const never = { now: () => now, after: () => ({ [Symbol.dispose]() {} }) };
	const gathering = new Gathering(controller.signal, never);
	gathering.after(piece);
	now = limits.gatherAfterMs;
	gathering.after(piece);
	const waiting = gathering.after(piece);
	expect(waiting).toBeInstanceOf(Promise);
	controller.abort();
	await waiting;
	expect(gathering.after(piece)).toBeUndefined();
});

test("a watched answer comes whole, in fewer pieces", async () => {
	const text = "some words of an answer ".repeat(30);
	const blocks = [{ text, chunks: 150 }];
	await using played = await playModel({ steps: [{ answer: { blocks, delayMs: 8 } }] });
	const { events, message } = await receive(
		stream(playedModel(played, "anthropic-messages"), hello, { isWatched: true }),
	);
	expect(message.content).toEqual([{ type: "text", text }]);
	expect(events.filter(({ type }) => type === "text_delta").length).toBeLessThan(120);
});
