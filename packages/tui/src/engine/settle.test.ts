/** Which rows of a block that still changes may become history. */
import { expect, test } from "bun:test";

import { engineLimits } from "../limits.ts";
import { Settling } from "./settle.ts";

const lines = (count: number, mark = "row") => Array.from({ length: count }, (_, at) => `${mark} ${at}`);

test("an answer that streams in settles up to its last rows", () => {
	const settling = new Settling();
	settling.watch(lines(3));
	expect(settling.watch([...lines(9), "the open"])).toBe(10 - engineLimits.appendTail);
	expect(settling.watch([...lines(9), "the open row grows", "and goes on"])).toBe(
		11 - engineLimits.appendTail,
	);
});

test("a block that rewrites itself holds all rows back until it has not changed for a while", () => {
	const settling = new Settling();
	settling.watch(lines(10));
	settling.watch(lines(12));
	expect(settling.watch(lines(12, "other"))).toBe(0);
	let settled = 0;
	for (let frame = 0; frame <= engineLimits.rearmFrames; frame++) {
		settled = settling.watch(lines(13 + frame, "other"));
	}
	expect(settled).toBeGreaterThan(10);
});

test("instructions above a ticking tree settle although the tree keeps changing", () => {
	const settling = new Settling();
	let settled = 0;
	for (let tick = 0; tick <= engineLimits.stableFrames; tick++) {
		settled = settling.watch([...lines(20), `tick ${tick}`, `tock ${tick}`, `cost ${tick}`]);
	}
	expect(settled).toBe(20);
});

test("a row that changes after it has settled never settles again, so that it is not written repeatedly", () => {
	const settling = new Settling();
	const frame = (cost: number, tick: number) => [
		...lines(5),
		`cost ${cost}`,
		...lines(5),
		`tick ${tick}`,
		`${tick}`,
		`${tick}`,
	];
	let tick = 0;
	const keepStill = (cost: number) => {
		let settled = 0;
		for (let count = 0; count <= 2 * engineLimits.stableFrames; count++)
			settled = settling.watch(frame(cost, tick++));
		return settled;
	};
	expect(keepStill(1)).toBe(11);
	expect(keepStill(2)).toBe(5);
	expect(keepStill(2)).toBe(5);
});

test("colors do not count as a change", () => {
	const settling = new Settling();
	settling.watch(lines(10));
	expect(settling.watch(lines(14).map((row) => `\x1b[31m${row}\x1b[0m`))).toBe(14 - engineLimits.appendTail);
});
