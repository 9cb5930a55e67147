/** A place in a file is opened in the form that the user's editor knows. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { editOutside, openAt, placeArguments } from "./external-editor.ts";

test.each([
	["vim", ["+12", "/p/a b.ts"]],
	["nvim -p", ["+12", "/p/a b.ts"]],
	["/usr/bin/nano", ["+12", "/p/a b.ts"]],
	["emacsclient -nw", ["+12", "/p/a b.ts"]],
	["code --wait", ["--goto", "/p/a b.ts:12"]],
	["'/opt/Cursor/cursor' --wait", ["--goto", "/p/a b.ts:12"]],
	["subl -w", ["/p/a b.ts:12"]],
	["hx", ["/p/a b.ts:12"]],
	["zed --wait", ["/p/a b.ts:12"]],
	["idea.sh", ["--line", "12", "/p/a b.ts"]],
	["kate", ["--line", "12", "/p/a b.ts"]],
	["my-own-editor", ["/p/a b.ts"]],
])("%s", (program, args) => {
	expect(placeArguments(program, "/p/a b.ts", 12)).toEqual(args);
	expect(placeArguments(program, "/p/a b.ts", Number.NaN)).toEqual(["/p/a b.ts"]);
});

test("the editor gets the file and the line as arguments, and a failure is reported", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-editor-"));
	const program = join(directory, "vim");
	writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > ${directory}/seen\n`, { mode: 0o755 });
	const env = { PATH: process.env.PATH, VISUAL: `${program} -u NONE` };
	expect(await openAt(`${directory}/a $(b).txt`, 7, env)).toEqual({ ok: true });
	expect(readFileSync(join(directory, "seen"), "utf8")).toBe(`-u\nNONE\n+7\n${directory}/a $(b).txt\n`);
	expect(await openAt("/a", 1, { PATH: process.env.PATH, EDITOR: "false" })).toEqual({
		ok: false,
		message: "false exited with code 1.",
	});
	const adds = { PATH: process.env.PATH, EDITOR: "sh -c 'echo more >> \"$0\"'" };
	expect(await editOutside("text\n", adds)).toEqual({ ok: true, text: "text\nmore\n" });
	rmSync(directory, { recursive: true });
});
