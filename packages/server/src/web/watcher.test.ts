/** What browsers are told while no page is open. */
import { expect, test } from "bun:test";

import { changeOf } from "./watcher.ts";

test("a new question and the end of a run are told, once each", () => {
	const idle = { waiting: 0, isBusy: false };
	const busy = { waiting: 0, isBusy: true };
	const asking = { waiting: 1, isBusy: true };
	expect(changeOf(undefined, idle)).toBeUndefined();
	expect(changeOf(idle, busy)).toBeUndefined();
	expect(changeOf(busy, asking)).toBe("waiting");
	expect(changeOf(asking, asking)).toBeUndefined();
	expect(changeOf(asking, { waiting: 2, isBusy: true })).toBe("waiting");
	expect(changeOf(asking, busy)).toBeUndefined();
	expect(changeOf(busy, idle)).toBe("ended");
	expect(changeOf(idle, idle)).toBeUndefined();
	// One that waits since before anybody wanted to be told.
	expect(changeOf(undefined, asking)).toBe("waiting");
});
