/** Full depth takes every sample, quick depth a few of them from end to end. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";

import { samples } from "./depth.ts";

const helper = join(import.meta.dir, "depth.ts");

function evaluate(expression: string, depth: string): unknown {
	const source = `import { samples, some } from ${JSON.stringify(helper)}; console.log(JSON.stringify(${expression}));`;
	const { stdout } = Bun.spawnSync([process.execPath, "-e", source], {
		env: { ...process.env, TAU_TEST_DEPTH: depth },
	});
	return JSON.parse(stdout.toString());
}

test("by default a property takes a tenth of its samples, and at least a handful", () => {
	expect(evaluate("[samples(200), samples(30), samples(3), samples(400, 70)]", "")).toEqual([20, 5, 3, 70]);
});

test("with full depth it takes all", () => {
	expect(evaluate("[samples(200), samples(30), samples(400, 70)]", "full")).toEqual([200, 30, 400]);
	expect(evaluate("some([1, 2, 3, 4, 5, 6, 7])", "full")).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("a property that names no number of samples takes a quarter of the usual ones", () => {
	let taken = 0;
	fc.assert(fc.property(fc.nat(), () => void taken++));
	expect(taken).toBe(samples(100, 25));
});

test("a few of many values are spread evenly, with both ends", () => {
	expect(evaluate("some([...Array(120).keys()], 6)", "")).toEqual([0, 24, 48, 71, 95, 119]);
	expect(evaluate("some([1, 2, 3])", "")).toEqual([1, 2, 3]);
});
