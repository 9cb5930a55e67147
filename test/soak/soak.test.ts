/** A short soak: every kind of work several times, with aborts, faults, compactions and new sessions. */
// takes 26 s
import { expect, test } from "bun:test";

import { isFullDepth } from "../support/depth.ts";
import { soak } from "./soak.ts";
import { kindsOfWork } from "./turns.ts";

const rounds = isFullDepth ? 6 : 4;

test("after each kind of work was done several times, nothing more is open than after the first time", async () => {
	const samples = await soak({ turns: rounds * kindsOfWork, every: kindsOfWork });
	const [, second, ...later] = samples;
	for (const sample of later) {
		expect(sample.files).toBeLessThanOrEqual((second?.files ?? 0) + 2);
		expect(sample.processes).toBeLessThanOrEqual((second?.processes ?? 0) + 1);
		expect(sample.temporary).toBeLessThanOrEqual((second?.temporary ?? 0) + 5);
	}
	expect(later.length).toBe(rounds - 2);
});
