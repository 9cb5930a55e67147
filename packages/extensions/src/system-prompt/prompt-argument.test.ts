/** What --system-prompt and --append-system-prompt accept. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { contextFileLimits as limits } from "@tau/resources/context-files";
import { promptArgument } from "./prompt-argument.ts";

let cwd = "";
const notices: string[] = [];
const read = (value: string): Promise<string> =>
	promptArgument(value, { cwd, onNotice: (notice) => notices.push(notice) });

beforeAll(() => {
	cwd = mkdtempSync(join(tmpdir(), "tau-prompt-"));
	writeFileSync(join(cwd, "role.md"), "You are a scout.\n");
	writeFileSync(join(cwd, "long.md"), "x".repeat(limits.fileBytes + 1));
	mkdirSync(join(cwd, "docs"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

test("the path of a file is replaced by its text, relative or absolute", async () => {
	expect(await read("role.md")).toBe("You are a scout.");
	expect(await read(join(cwd, "role.md"))).toBe("You are a scout.");
});

test.each(["", "Be brief.", "docs", "role.md\nis a file", "word ".repeat(2000), "role.md/below"])(
	"other text is used as it is: %#",
	async (text) => expect(await read(text)).toBe(text),
);

test("a file that is too long is not used, and the user is informed", async () => {
	expect(await read("long.md")).toBe("");
	expect(notices).toEqual([expect.stringContaining("long.md was not used")]);
});
