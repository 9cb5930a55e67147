/** The manual page is generated, complete, and read by man without a warning. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { commands } from "./command-table.ts";
import { sections } from "./flags.ts";
import { manPage } from "./man-page.ts";

const path = join(import.meta.dir, "../../../../docs/tau.1");

test("docs/tau.1 is the output of `bun scripts/man-page.ts`: run it if this fails", async () => {
	expect(await Bun.file(path).text()).toBe(manPage());
});

test("it has every flag and every command", () => {
	const page = manPage().replaceAll("\\-", "-");
	for (const { flags } of sections) for (const { name } of flags) expect(page).toContain(`--${name}`);
	for (const { name } of commands) expect(page).toMatch(new RegExp(`^\\.B ${name}\\b`, "m"));
});

needs("groff")("groff formats it without a warning", () => {
	const plain = ["-P-c", "-P-b", "-P-u"];
	const { stdout, stderr } = Bun.spawnSync(["groff", "-man", "-ww", "-Tutf8", "-Kutf8", ...plain, path]);
	expect(stderr.toString()).toBe("");
	expect(stdout.toString().includes("\nCOMMANDS\n")).toBe(true);
});
