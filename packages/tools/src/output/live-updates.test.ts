/** What a tool prints is shown while it runs, and not once more when it is over. */
import { expect, test } from "bun:test";

import { liveUpdates } from "./live-updates.ts";

test("what is over within a frame is not shown, and what lasts is shown to its last change", async () => {
	const shown: string[] = [];
	const last = Promise.withResolvers<void>();
	{
		using short = liveUpdates(() => shown.push("short"));
		short.changed();
	}
	let changes = 0;
	using long = liveUpdates(() => {
		shown.push(`long ${changes}`);
		if (changes === 3) return last.resolve();
		// The second of two changes in one pause is the one that is shown.
		long.changed();
		changes = 3;
		long.changed();
	});
	changes = 1;
	long.changed();
	await last.promise;
	expect(shown).toEqual(["long 1", "long 3"]);
});
