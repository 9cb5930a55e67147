/** Extensions that do not return while they load, or while they are asked about a prompt, seen by the user at the terminal. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "../interactive/driver.ts";
import { launch } from "../support/launch.ts";

test("an extension that hangs while loading is named, and the first prompt is answered without it", async () => {
	await using home = await launch({ steps: ["Here."] });
	const file = join(home.home, "..", "stuck.ts");
	writeFileSync(file, "export default () => new Promise(() => {});");
	await using tau = await openTau({ steps: [] }, { home, args: ["-e", file] });
	await tau.until("Extension stuck is still loading");
	tau.type("hello\r");
	await tau.until("Here.");
});

test("a prompt that an extension holds comes back to the editor with escape", async () => {
	await using home = await launch({ steps: ["Here."] });
	const file = join(home.home, "..", "holds.ts");
	writeFileSync(
		file,
		`export default (pi) => pi.on("input", ({ text }) => text.startsWith("hold") ? new Promise(() => {}) : undefined);`,
	);
	await using tau = await openTau({ steps: [] }, { home, args: ["-e", file] });
	await tau.until("played-1");
	tau.type("hold this\r");
	await tau.until("is blocking on the input event");
	tau.press("escape");
	await tau.until("The prompt was not sent");
	await tau.untilDraft("hold this");
	tau.press("ctrlC");
	await tau.untilGone("hold this");
	tau.type("hello\r");
	await tau.until("Here.");
	expect(home.played.requests).toHaveLength(1);
});
