/** A recording shows which functions took the time, in forms that people and other tools read. */
import { expect, test } from "bun:test";

import { CpuProfile, workProfile } from "./cpu-profile.ts";

function takesTime(): number {
	let sum = 0;
	for (let at = 0; at < 2e7; at++) sum += Math.sqrt(at);
	return sum;
}

test("the function that took the time is in the stacks, the table and the graph", async () => {
	using profile = await CpuProfile.start();
	takesTime();
	const { folded, summary, svg = "", totalMs, sampleCount } = await profile.stop();
	expect(folded).toMatch(/takesTime \(cpu-profile\.test\.ts:\d+\) \d+$/m);
	expect(summary).toContain("takesTime");
	expect(svg).toContain("takesTime");
	expect(svg).toStartWith("<svg");
	expect(totalMs).toBeGreaterThan(0);
	expect(sampleCount).toBeGreaterThan(0);
});

const node = (id: number, functionName: string, children: number[] = [], url = ""): object => ({
	id,
	callFrame: { functionName, url, lineNumber: 4, columnNumber: 0, scriptId: "1" },
	children,
});

test("stacks are counted, and hostile names break neither the lines nor the graph", () => {
	const nodes = [
		node(1, "(root)", [2]),
		node(2, "outer", [3, 4]),
		node(3, "a;b\nc", [], "/src/x.ts"),
		node(4, '<script>"&\u0007'),
	];
	const recorded = { nodes, samples: [3, 3, 4, 2], startTime: 0, endTime: 5000 } as never;
	const { folded, svg = "", summary, totalMs, sampleCount } = workProfile(recorded);
	expect(folded).toBe('outer 1\nouter;<script>"&\u0007 1\nouter;a b c (x.ts:5) 2\n');
	expect(svg).not.toContain("<script>");
	expect(svg).not.toContain("\u0007");
	expect(summary).toContain("| 50.0 % | 2 | a b c (x.ts:5) |");
	expect({ totalMs, sampleCount }).toEqual({ totalMs: 5, sampleCount: 4 });
});

test("an empty recording is no error", () => {
	const empty = { nodes: [node(1, "(root)")], samples: [], startTime: 0, endTime: 0 } as never;
	expect(workProfile(empty)).toMatchObject({ folded: "", svg: undefined, sampleCount: 0 });
});
