/** Cells in the transcript: their code is shown, with colors, above what they print. */
import { expect, test } from "bun:test";

import { openTau } from "./driver.ts";

test("a cell is shown with its code and its output", async () => {
	const code = "import math\nradius = 2\nround(math.pi * radius ** 2)";
	const call = { toolCall: { name: "eval", arguments: { language: "python", code } } };
	await using tau = await openTau({ steps: [{ answer: { blocks: [call] } }, "Thirteen."] });
	await tau.until("played-1");
	tau.type("area?\r");
	await tau.until("Thirteen.");
	expect(tau.screen()).toContain("eval python: import math");
	expect(tau.screen()).not.toContain("radius = 2");
	tau.press("ctrlO");
	await tau.until("radius = 2");
	expect(tau.screen()).toMatch(/import math\s+radius = 2\s+round\(math\.pi \* radius \*\* 2\)\s+13/);
});
