/** A program that a command could have planted is never the one that Tau starts. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { commandsWrite, hostProgram, hostSearchPath } from "./host-programs.ts";

let base = "";
beforeEach(() => void (base = realpathSync(mkdtempSync(join(tmpdir(), "tau-programs-")))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

function program(path: string): string {
	const full = join(base, path);
	mkdirSync(dirname(full), { recursive: true });
	writeFileSync(full, "#!/bin/sh\n");
	chmodSync(full, 0o755);
	return full;
}

const search = (...names: string[]): string => names.map((name) => join(base, name)).join(":");

test("directories of a project on PATH are skipped while its session is open", () => {
	const [planted, own] = [program("project/.venv/bin/git"), program("system/git")];
	const path = search("project/.venv/bin", "system");
	expect(hostProgram("git", path)).toBe(planted);
	{
		using _open = commandsWrite(() => [join(base, "project")]);
		expect(hostProgram("git", path)).toBe(own);
		expect(hostSearchPath(path)).toBe(join(base, "system"));
		expect(hostProgram("git", search("project/.venv/bin"))).toBeUndefined();
		expect(hostProgram(planted)).toBeUndefined();
	}
	expect(hostProgram("git", path)).toBe(planted);
});

test("links do not lead into the project: neither an entry of PATH nor a program", () => {
	program("project/bin/rg");
	const own = program("system/rg");
	mkdirSync(join(base, "links"));
	symlinkSync(join(base, "project/bin"), join(base, "entry"));
	symlinkSync(join(base, "project/bin/rg"), join(base, "links/rg"));
	symlinkSync(join(base, "project"), join(base, "shortcut"));
	using _open = commandsWrite(() => [join(base, "shortcut")]);
	expect(hostProgram("rg", search("entry", "links", "shortcut/bin", "system"))).toBe(own);
});

test("relative entries, files that cannot be executed and directories are skipped", () => {
	const own = program("system/tool");
	writeFileSync(join(base, "tool"), "text");
	mkdirSync(join(base, "other/tool"), { recursive: true });
	expect(hostProgram("tool", `:.:bin:${search("", "other", "system")}`)).toBe(own);
	expect(hostProgram("no-such-program")).toBeUndefined();
});

test("the programs of the system are found wherever Tau works", () => {
	using _open = commandsWrite(() => ["/", "/usr"]);
	expect(hostProgram("sh", "/usr/bin:/bin")).toMatch(/\/bin\/sh$/);
});
