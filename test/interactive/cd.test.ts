/** `/cd`: the conversation continues in another directory, in the same terminal. */
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "./driver.ts";

test("/cd continues the conversation with the instructions and tools of the other directory, in the same process", async () => {
	const pwd = { answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: "pwd" } } }] } };
	await using tau = await openTau(
		{ steps: ["The word is plum.", pwd, "Moved.", "More."] },
		{ settings: "sessionTitle: false\n", rows: 40 },
	);
	const other = join(tau.home.home, "other");
	mkdirSync(other);
	writeFileSync(join(other, "AGENTS.md"), "Answer like a pirate.");
	await tau.until("played-1");
	tau.type("remember the word\r");
	await tau.until("The word is plum.");
	tau.type("/cd nosuch\r");
	await tau.until("is not a directory");
	tau.type(`/cd ${other}\r`);
	// The footer names the directory, and the conversation is drawn again.
	await tau.until(/~\/other/);
	await tau.until("The word is plum.");
	tau.type("where are we\r");
	await tau.until("Moved.");
	const request = tau.home.played.requests.at(-1)?.rawBody ?? "";
	expect(request).toContain("The word is plum.");
	expect(request).toContain("Answer like a pirate.");
	expect(request).toContain(`"text":"${other}"`);
	tau.type("/cwd\r");
	await tau.until(/^.*~\/other\s*$/m);
	// The first session is left as it was.
	const { out } = await tau.home.run(["sessions", "--mode", "json"]);
	expect(out).toContain(`"cwd":"${tau.home.project}"`);
	tau.type("/exit\r");
	expect(await tau.exited).toBe(0);
});
