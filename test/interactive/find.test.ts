/** `/find` and the viewer: any earlier text is found again. */
import { test } from "bun:test";

import { openTau } from "./driver.ts";

test("a word of an answer, of the user or of a tool's output is found, and shown completely", async () => {
	const command = { command: "echo needle in the output; seq 5" };
	const run = { answer: { blocks: [{ toolCall: { name: "bash", arguments: command } }] } };
	const many = Array.from({ length: 40 }, (_, at) => `Paragraph ${at}.`).join("\n\n");
	await using tau = await openTau({ steps: [run, "The harbour is Kiel.", many] });
	await tau.until("played-1");
	tau.type("which harbour?\r");
	await tau.until("The harbour is Kiel.");
	tau.type("more\r");
	await tau.until("Paragraph 39.");
	tau.type("/find harbour\r");
	await tau.until(/The harbour is Kiel\. +model[^]*which harbour\? +you/);
	tau.type("\x15needle");
	await tau.until(/needle in the output +bash/);
	tau.press("enter");
	await tau.until(/ bash\n needle in the output\n 1\n/);
	tau.type("/mu-tools\r");
	await tau.until("Tool results");
	tau.type("/zzz");
	await tau.until("No results match.");
	tau.type("\x15the output");
	await tau.until(/✓ bash/);
});
