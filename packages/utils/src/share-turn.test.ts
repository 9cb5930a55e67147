/** Work of many sessions that comes at once is divided, so that input is read in between. */
import { expect, test } from "bun:test";

import { shareTurn } from "./share-turn.ts";

/** Keeps the thread busy for longer than one turn may last. */
function work(): void {
	const until = performance.now() + 5;
	while (performance.now() < until);
}

test("pieces of work that come at once have a turn each, in order", async () => {
	let turn = 0;
	let isOver = false;
	const count = (): void => {
		turn++;
		if (!isOver) setImmediate(count);
	};
	setImmediate(count);
	const ran: { at: number; turn: number }[] = [];
	await Promise.all(
		Array.from({ length: 10 }, async (_, at) => {
			await shareTurn(4);
			ran.push({ at, turn });
			work();
		}),
	);
	isOver = true;
	expect(ran.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
	expect(new Set(ran.map((each) => each.turn)).size).toBe(10);
});

test("work in a turn with time left does not wait", async () => {
	const turn = Promise.withResolvers<void>();
	setImmediate(turn.resolve);
	await turn.promise;
	expect(shareTurn()).toBeUndefined();
	work();
	const waits = shareTurn();
	expect(waits).toBeInstanceOf(Promise);
	await waits;
});
