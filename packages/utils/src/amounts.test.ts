/** Amounts are easy to read at a glance. */
import { expect, test } from "bun:test";

import { plural } from "./amounts.ts";

test("a count has its thousands apart, as Intl writes them", () => {
	for (const count of [0, 1, 12, 999, 1000, 12_345, 100_000, 1_234_567, 98_765_432_100])
		expect(plural(count, "file")).toBe(
			`${new Intl.NumberFormat("en-US").format(count)} ${count === 1 ? "file" : "files"}`,
		);
	expect(plural(2, "entry", "entries")).toBe("2 entries");
});
