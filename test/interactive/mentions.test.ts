/** Attaching on mention: files, lines, directories and images that a prompt names are sent with it. */
import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau, type OpenTau } from "./driver.ts";

/** An image of one pixel. */
const dot =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const sent = (tau: OpenTau, at: number): string =>
	JSON.stringify((tau.home.played.requests[at]?.body as { messages: unknown } | undefined)?.messages);

test("a file, some lines, a directory and an image in the editor are attached, and named below the prompt", async () => {
	await using tau = await openTau({ steps: ["One.", "Two."] });
	const { project, home } = tau.home;
	mkdirSync(join(project, "src"));
	writeFileSync(join(project, "src/a.ts"), "first\nsecond\nthird\n");
	writeFileSync(join(project, "pic.png"), Buffer.from(dot, "base64"));
	writeFileSync(join(home, "key"), "secret of the home\n");
	symlinkSync(join(home, "key"), join(project, "link"));
	await tau.until("played-1");
	// A space closes the list of completions.
	tau.type("compare @src/a.ts:2-3 with @src/ and @pic.png, not @link or @nobody \r");
	await tau.until("One.");
	await tau.until("▸ src/a.ts:2-3 (2 lines)");
	await tau.until("▸ src/ (1 entry)");
	const first = sent(tau, 0);
	expect(first).toContain('lines=\\"2-3\\">\\nsecond\\nthird\\n<');
	expect(first).not.toContain("first");
	expect(first).toContain("this model cannot see images");
	await tau.until("played-1 does not support images");
	expect(first).not.toContain("secret of the home");
	tau.type("thanks\r");
	await tau.until("Two.");
	// The attachment is part of the conversation, and the user's own text is what is restored from it.
	expect(sent(tau, 1)).toContain("third");
	tau.press("up", "up");
	await tau.until("> compare @src/a.ts:2-3".slice(2));
});

test("a hidden file is offered after an @, and a file of the command line is shown in one line", async () => {
	await using tau = await openTau({ steps: ["One."] }, { args: ["@big.txt", "shorten it"] });
	writeFileSync(join(tau.home.project, "big.txt"), "row of the file\n".repeat(3000));
	writeFileSync(join(tau.home.project, ".hiddenrc"), "x");
	await tau.until("One.");
	await tau.until("▸ big.txt (3,000 lines)");
	expect(tau.scrollback()).not.toContain("row of the file");
	expect(sent(tau, 0)).toContain("row of the file");
	tau.type("see @hiddenr");
	await tau.until(/❯.*\.hiddenrc/);
});

test("a huge file stays a mention, and names with quotes and line breaks are one name each", async () => {
	await using tau = await openTau({ steps: ["One."] });
	const { project } = tau.home;
	writeFileSync(join(project, "huge.txt"), "x".repeat(17 * 1024 * 1024));
	mkdirSync(join(project, "odd"));
	writeFileSync(join(project, "odd", "one\ntwo"), "");
	await tau.until("played-1");
	tau.type("look at @huge.txt and @odd/ \r");
	await tau.until("One.");
	await tau.until("▸ odd/ (1 entry)");
	expect(tau.screen()).not.toContain("larger than");
	expect(sent(tau, 0)).toContain(JSON.stringify(JSON.stringify("one\ntwo")).slice(1, -1));
});

test("a name as macOS writes it is found as it is typed, on the command line and in the editor", async () => {
	await using tau = await openTau({ steps: ["One.", "Two."] }, { args: ["@it's.txt", "read it"] });
	const { project } = tau.home;
	writeFileSync(join(project, "it\u2019s.txt"), "the curly file\n");
	writeFileSync(join(project, "cafe\u0301.txt"), "decomposed\n");
	await tau.until("One.");
	expect(sent(tau, 0)).toContain("the curly file");
	tau.type("and @caf\u00e9.txt \r");
	await tau.until("Two.");
	expect(sent(tau, 1)).toContain("decomposed");
});
