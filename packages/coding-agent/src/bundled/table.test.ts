/** Which runs have which of the extensions that ship with Tau. */
import { expect, test } from "bun:test";

import { shippedExtensions, type RunFacts } from "./table.ts";

const ids = (run: Partial<RunFacts>): string[] =>
	shippedExtensions({ mode: "tui", mayHavePast: true, wantsExtensions: true, ...run }).map(({ id }) => id);

test("the screen has mu, and every run that may open an old session can restore what mu has shortened", () => {
	expect(ids({})).toEqual(["mu", "mu-restore"]);
	expect(ids({ mode: "rpc" })).toEqual(["mu-restore"]);
	expect(ids({ mode: "print" })).toEqual(["mu-restore"]);
	expect(ids({ wantsExtensions: false })).toEqual(["mu-restore"]);
});

test("a new session that is only printed costs nothing", () => {
	expect(ids({ mode: "print", mayHavePast: false })).toEqual([]);
});

test("each is there when it is asked for", async () => {
	const all = shippedExtensions({ mode: "tui", mayHavePast: true, wantsExtensions: true });
	for (const { load } of all) expect(await load()).toBeFunction();
});
