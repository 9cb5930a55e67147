/** The arithmetic of history and window. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { Ledger, type Heights } from "./ledger.ts";

const frame = (length: number, more: Partial<Heights> = {}): Heights => ({
	length,
	boundary: length,
	contentEnd: length,
	height: 10,
	...more,
});

test("rows that leave the screen become history, once and in order", () => {
	const ledger = new Ledger();
	expect(ledger.step(frame(8), "settled").chunk).toEqual({ from: 0, to: 0 });
	expect(ledger.step(frame(14), "settled")).toEqual({
		chunk: { from: 0, to: 4 },
		window: { from: 4, to: 14 },
	});
	expect(ledger.step(frame(15), "settled").chunk).toEqual({ from: 4, to: 5 });
});

test("rows that may still change are held back, and written when they are final", () => {
	const ledger = new Ledger();
	expect(ledger.step(frame(30, { boundary: 3 }), "settled").chunk).toEqual({ from: 0, to: 3 });
	expect(ledger.step(frame(30), "settled").chunk).toEqual({ from: 3, to: 20 });
});

test("an overlay stops commits to the history, and the rows that it hid follow later", () => {
	const ledger = new Ledger();
	expect(ledger.step(frame(30), "none").chunk).toEqual({ from: 0, to: 0 });
	expect(ledger.step(frame(30), "settled").chunk).toEqual({ from: 0, to: 20 });
});

test("a menu that opens and closes pushes nothing into the history", () => {
	const ledger = new Ledger();
	ledger.step(frame(22, { contentEnd: 20, boundary: 20 }), "settled");
	const open = ledger.step(frame(28, { contentEnd: 20, boundary: 20 }), "settled");
	expect(open).toEqual({ chunk: { from: 12, to: 12 }, window: { from: 18, to: 28 } });
	expect(ledger.step(frame(22, { contentEnd: 20, boundary: 20 }), "settled").window).toEqual({
		from: 12,
		to: 22,
	});
});

test("the last frame writes everything", () => {
	const ledger = new Ledger();
	expect(ledger.step(frame(30, { boundary: 0, contentEnd: 28 }), "all").chunk).toEqual({ from: 0, to: 20 });
});

test("whatever frames come, history only grows, never passes the boundary, and the window follows it", () => {
	const step = fc.record({
		length: fc.nat(60),
		boundary: fc.nat(60),
		contentEnd: fc.nat(60),
		height: fc.integer({ min: 1, max: 20 }),
		commits: fc.constantFrom("settled" as const, "none" as const),
	});
	fc.assert(
		fc.property(fc.array(step), (steps) => {
			const ledger = new Ledger();
			for (const { commits, ...raw } of steps) {
				const before = ledger.committed;
				const heights = {
					...raw,
					contentEnd: Math.min(raw.contentEnd, raw.length),
					boundary: Math.min(raw.boundary, raw.contentEnd, raw.length),
				};
				const { chunk, window } = ledger.step(heights, commits);
				expect(chunk.from).toBe(before);
				expect(chunk.to).toBeGreaterThanOrEqual(chunk.from);
				expect(chunk.to).toBeLessThanOrEqual(Math.max(before, heights.boundary));
				expect(window.from).toBeGreaterThanOrEqual(chunk.to);
			}
		}),
	);
});
