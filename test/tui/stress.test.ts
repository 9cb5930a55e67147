/** The short run of the stress harness; the long one is `bun test/tui/stress.ts`. */
import { expect, test } from "bun:test";

import { samples } from "../support/depth.ts";
import { runSeed, type SeedResult } from "./seed.ts";

const seeds = samples(320);
const steps = 40;

test(`every row is shown once and in order (${seeds} random runs)`, async () => {
	const failed: SeedResult[] = [];
	for (let seed = 1; seed <= seeds; seed++) {
		const result = await runSeed(seed, steps);
		if (result.error !== undefined) failed.push(result);
	}
	expect(
		failed.map(({ seed, operations, error }) => `seed ${seed}: ${operations.join(", ")}: ${error}`),
	).toEqual([]);
});
