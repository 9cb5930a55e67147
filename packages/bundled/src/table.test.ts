/** Which runs load which of the extensions that ship with Tau. */
import { expect, test } from "bun:test";

import { shippedExtensions, type RunFacts } from "./table.ts";

const ids = (run: Partial<RunFacts>): string[] =>
	shippedExtensions({ mode: "tui", mayHavePast: true, wantsExtensions: true, ...run }).map(({ id }) => id);

test("interactive mode loads mu, what has no user loads no loop, and every run that may open an old session can restore shortened results", () => {
	expect(ids({})).toEqual(["mu", "loop", "mu-restore"]);
	expect(ids({ mode: "rpc" })).toEqual(["loop", "mu-restore"]);
	expect(ids({ mode: "print" })).toEqual(["mu-restore"]);
	expect(ids({ wantsExtensions: false })).toEqual(["mu-restore"]);
});

test("a new session in print mode loads nothing", () => {
	expect(ids({ mode: "print", mayHavePast: false })).toEqual([]);
});

test("each can be loaded", async () => {
	const all = shippedExtensions({ mode: "tui", mayHavePast: true, wantsExtensions: true });
	for (const { load } of all) expect(await load()).toBeFunction();
});
