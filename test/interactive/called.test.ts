/** A user calls skills and templates by name: the screen shows the typed text, the model gets the expansion. */
import { join } from "node:path";

import { expect, test } from "bun:test";

import { writeTestFile } from "../support/files.ts";
import { launch, type Launched } from "../support/launch.ts";
import { openTau } from "./driver.ts";

function writeFixture(home: Launched, path: string, text: string): void {
	writeTestFile(join(home.project, path), text);
}

test("a call is one line on the screen, after a restart and in the tree too, and its text on request", async () => {
	await using home = await launch({ steps: ["The bill is paid.", "It is fine."] });
	writeFixture(
		home,
		".tau/skills/pdf/SKILL.md",
		"---\nname: pdf\ndescription: Reads PDFs.\n---\nRun scripts/read.sh.",
	);
	writeFixture(home, ".tau/prompts/review.md", "Review $1 with care.");
	{
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("played-1");
		tau.type("/skill:pdf read the bill\r");
		await tau.until("The bill is paid.");
		tau.type("/review a.ts\r");
		await tau.until("It is fine.");
		expect(tau.screen()).toMatch(/^ ❯ \/skill:pdf read the bill *$/m);
		expect(tau.screen()).toMatch(/^ ❯ \/review a\.ts *$/m);
		expect(tau.scrollback()).not.toMatch(/scripts\/read\.sh|with care/);
		tau.press("ctrlO");
		await tau.until("Run scripts/read.sh.");
		expect(tau.screen()).toContain("Review a.ts with care.");
		tau.press("ctrlO");
		await tau.untilGone("Run scripts/read.sh.");
		tau.press("ctrlD");
		expect(await tau.exited).toBe(0);
	}
	expect(home.played.requests[1]?.rawBody).toMatch(/scripts\/read\.sh.*Review a\.ts with care\./);
	expect(home.played.requests[1]?.rawBody).not.toContain("/review");
	await using tau = await openTau({ steps: [] }, { home, args: ["-c"] });
	await tau.until("It is fine.");
	expect(tau.screen()).toMatch(/^ ❯ \/skill:pdf read the bill *$/m);
	expect(tau.screen()).toMatch(/^ ❯ \/review a\.ts *$/m);
	tau.type("/tree\r");
	await tau.until(/user: \/review a\.ts/);
	expect(tau.screen()).toContain("user: /skill:pdf read the bill");
	tau.press("up");
	await tau.until(/❯ .*\/review/);
	tau.press("enter");
	await tau.untilGone("It is fine.");
	await tau.untilDraft("/review a.ts");
});
