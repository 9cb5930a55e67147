/** What looks after a command continues where one kind of it fails. */
import { expect, test } from "bun:test";

import { disarmedBy, keptBy, lookerAt, type Looker } from "./lookers.ts";

const failing: Looker = {
	keep() {
		throw new Error("closed");
	},
	disarm() {
		throw new Error("closed");
	},
};

test("a looker that fails keeps no other from remembering and looking, and is reported", () => {
	const calls: string[] = [];
	const other: Looker = {
		keep: () => void calls.push("keep"),
		disarm(isComplete) {
			calls.push(`disarm ${isComplete}`);
			return [{ what: "found", mayRunOutside: false }];
		},
	};
	const kept = keptBy([failing, other]).map(({ what }) => what);
	const found = disarmedBy([failing, other], false).map(({ what }) => what);
	expect(kept).toEqual([expect.stringContaining("closed")]);
	expect(found).toEqual([expect.stringContaining("closed"), "found"]);
	expect(calls).toEqual(["keep", "disarm false"]);
});

test("a path that fails keeps no other from being looked at", () => {
	const looker = lookerAt(["a", "b"], (path) => {
		if (path === "a") throw new Error("closed");
		return [{ what: path, mayRunOutside: false }];
	});
	expect(disarmedBy([looker]).map(({ what }) => what)).toEqual([expect.stringContaining("closed"), "b"]);
});
