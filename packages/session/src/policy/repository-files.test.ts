/** File tools ask before they write what git runs, or reads as settings, outside of a `.git`. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { agentSettings, editorSettings, promptSettings } from "@tau/machines/sandbox";

import { bash, outcomeOf, useDirectories, write } from "../../../../test/support/policy.ts";

let base = "";
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(tmpdir(), "tau-repository-files-")));
	({ project } = useDirectories(base));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function settings(text: string, gitDir = join(project, ".git")): void {
	mkdirSync(gitDir, { recursive: true });
	writeFileSync(join(gitDir, "config"), text);
}

const outcome = (path: string): Promise<string> =>
	outcomeOf({ mode: "auto", boundary: "sandbox" }, write(join(project, path)));

test("hooks and settings that the repository names", async () => {
	settings("[core]\n\thooksPath = tools/hooks\n[include]\n\tpath = ../shared.cfg\n");
	expect(await outcome("tools/hooks/pre-commit")).toBe("ask");
	expect(await outcome("shared.cfg")).toBe("ask");
	expect(await outcome("tools/build.sh")).toBe("allow");
});

test("programs that settings name, and what links among the hooks lead to", async () => {
	settings("[core]\n\tfsmonitor = tools/watch\n");
	mkdirSync(join(project, ".git/hooks"));
	symlinkSync("../../tools/commit", join(project, ".git/hooks/pre-commit"));
	expect(await outcome("tools/watch")).toBe("ask");
	expect(await outcome("tools/commit")).toBe("ask");
	expect(await outcome("tools/build.sh")).toBe("allow");
});

test("regression: a directory that may bring hooks or settings along", async () => {
	settings("[core]\n\thooksPath = tools/all/hooks\n[include]\n\tpath = ../inc/git/cfg\n");
	for (const directory of ["other/all/hooks", "other/git", "tools"])
		mkdirSync(join(project, directory), { recursive: true });
	const ofCommand = (command: string): Promise<string> => outcomeOf({ mode: "auto" }, bash(command));
	for (const command of [
		"mv other/all tools/all",
		"mv other inc",
		"rmdir tools; mv other tools",
		"rm -r tools",
	])
		expect([command, await ofCommand(command)]).toEqual([command, "ask"]);
	for (const command of [
		"mv other/git tools/git",
		"mv other/git ot",
		"rm -r other",
		"mkdir tools/x",
		"touch tools/a",
	])
		expect([command, await ofCommand(command)]).toEqual([command, "allow"]);
});

test("the scripts beside husky's hooks", async () => {
	settings("[core]\n\thooksPath = .husky/_\n");
	expect(await outcome(".husky/pre-commit")).toBe("ask");
});

test("those of a worktree, whose settings are those of its repository", async () => {
	const main = join(base, "main/.git");
	settings("[core]\n\thooksPath = hooks\n", main);
	mkdirSync(join(main, "worktrees/one"), { recursive: true });
	writeFileSync(join(main, "worktrees/one/commondir"), "../..\n");
	writeFileSync(join(project, ".git"), `gitdir: ${join(main, "worktrees/one")}\n`);
	expect(await outcome("hooks/pre-commit")).toBe("ask");
	expect(await outcome("src/a.ts")).toBe("allow");
});

test("what makes a directory a repository, and what is in one", async () => {
	expect(await outcome("src/HEAD")).toBe("ask");
	expect(await outcome("src/head/index.ts")).toBe("allow");
	for (const name of ["objects", "refs"]) mkdirSync(join(project, "bare", name), { recursive: true });
	expect(await outcome("bare/config")).toBe("allow");
	writeFileSync(join(project, "bare/HEAD"), "ref: refs/heads/main\n");
	expect(await outcome("bare/config")).toBe("ask");
	expect(await outcome("bare/hooks/pre-commit")).toBe("ask");
});

test("settings from which an agent, an editor or the prompt of a shell starts programs", async () => {
	for (const path of [...agentSettings, ...editorSettings, ...promptSettings, "sub/mise.toml"])
		expect([path, await outcome(path)]).toEqual([path, "ask"]);
});

test("the same names in letters that a file system takes for them, and directories above them", async () => {
	for (const path of [
		".v\u017fcode/tasks.json",
		".mcp.j\u017fon",
		".claude/\u017fettings.json",
		".\u212airo/settings/mcp.json",
		".vs\u200dcode/tasks.json",
		".jj",
		".jj/repo",
		"_darcs",
	])
		expect([path, await outcome(path)]).toEqual([path, "ask"]);
	expect(await outcome("src/stra\u00dfe.ts")).toBe("allow");
});
