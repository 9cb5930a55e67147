/** A compaction is shown with everything that the model keeps, and the user can change it. */
import { expect, test } from "bun:test";

import { openTau } from "./driver.ts";

test("/compact edit changes what the model has, and ctrl+o shows it", async () => {
	const summary = { when: { bodyContains: "Reply with the summary" }, answer: "It was SOMETHING." };
	await using tau = await openTau(
		{ steps: [summary, `One. ${"word ".repeat(50)}`, `Two. ${"word ".repeat(50)}`, "Three."] },
		{ settings: "compaction:\n  keepRecentTokens: 10\nsessionTitle: false\n" },
	);
	await tau.until("played-1");
	tau.type("/compact edit\r");
	await tau.until("no summary to edit");
	tau.type("use tabs\r");
	await tau.until("One.");
	tau.type("and more\r");
	await tau.until("Two.");
	tau.type("/compact\r");
	await tau.until(/ompacted from/);
	tau.type("\u000f");
	await tau.until("use tabs");
	tau.type("/compact edit\r");
	await tau.until("What the model has");
	tau.type("EDITED ");
	tau.type("\r");
	await tau.until("summary was changed");
	tau.type("third\r");
	await tau.until("Three.");
	const { rawBody } = await tau.home.played.waitForRequest(4);
	expect(rawBody).toContain("EDITED");
	expect(rawBody).toContain("use tabs");
});
