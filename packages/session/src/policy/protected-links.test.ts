/** Settings and secrets of the home directory that are links into a project are protected there. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import { bash, outcomeOf, useDirectories, write, type Setup } from "../../../../test/support/policy.ts";

let base = "";
let home = "";
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-links-test-")));
	({ home, project } = useDirectories(base));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const auto: Setup = { mode: "auto", boundary: "none" };

function put(path: string): void {
	mkdirSync(dirname(join(project, path)), { recursive: true });
	writeFileSync(join(project, path), "k\n");
}

function link(name: string, target: string): void {
	mkdirSync(dirname(join(home, name)), { recursive: true });
	symlinkSync(join(project, target), join(home, name));
}

test("a file of the project that is a start-up file or settings of git is not written unasked", async () => {
	for (const path of ["rc", "cfg/config", "gc", "a"]) put(path);
	link(".bashrc", "rc");
	link(".config/git", "cfg");
	link(".gitconfig", "gc");
	link(".config/fish/config.fish", "fish");
	for (const path of ["rc", "cfg/config", "gc", "fish"])
		expect([path, await outcomeOf(auto, write(path))]).toEqual([path, "ask"]);
	for (const command of ["echo x >> rc", "cp a gc", "mv a fish"])
		expect([command, await outcomeOf(auto, bash(command))]).toEqual([command, "ask"]);
	for (const command of ["cat rc gc", "echo x > a"])
		expect([command, await outcomeOf(auto, bash(command))]).toEqual([command, "allow"]);
	expect(await outcomeOf(auto, write("a"))).toBe("allow");
});

test("secrets that are in the project are not read unasked, by their names or by a search", async () => {
	put("sshd/id_rsa");
	put("src/a");
	link(".ssh", "sshd");
	for (const command of [
		"cat sshd/id_rsa",
		"grep -r k .",
		"grep -r k sshd",
		"cat ssh*/id_rsa",
		"mv src sshd/x",
	])
		expect([command, await outcomeOf(auto, bash(command))]).toEqual([command, "ask"]);
	expect(await outcomeOf(auto, bash("cat src/a"))).toBe("allow");
});
