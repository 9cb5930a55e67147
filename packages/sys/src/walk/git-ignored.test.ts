/** What git ignores is known without git, and as git knows it. */
import { afterEach, beforeEach, expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { isGitIgnored } from "./git-ignored.ts";

const test = needs("git");

let base = "";
beforeEach(() => void (base = mkdtempSync(join(tmpdir(), "tau-ignored-"))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

function writeFixture(path: string, text = ""): void {
	mkdirSync(dirname(join(base, path)), { recursive: true });
	writeFileSync(join(base, path), text);
}

test.each([
	["nothing is ignored", "", false],
	["its directory", ".tau/\n", true],
	["files in it", ".tau/extensions/*.ts\n", true],
	["all but this one", "*.ts\n!a.ts\n", false],
	["nothing below an ignored directory is kept", ".tau\n!a.ts\n", true],
	["another", "b.ts\n", false],
])("%s", async (_name, rules, isIgnored) => {
	const git = (...args: string[]) =>
		Bun.spawnSync(["git", ...args], { cwd: base, env: { HOME: base, PATH: process.env.PATH } });
	writeFixture("repo/.gitignore", rules);
	writeFixture("repo/.tau/extensions/a.ts");
	git("init", "-q", "repo");
	expect(git("-C", "repo", "check-ignore", "-q", ".tau/extensions/a.ts").exitCode === 0).toBe(isIgnored);
	expect(await isGitIgnored(join(base, "repo/.tau/extensions/a.ts"))).toBe(isIgnored);
});

test("outside of a repository nothing is ignored, and other programs' ignore files do not count", async () => {
	writeFixture(".gitignore", "*");
	writeFixture("a.ts");
	expect(await isGitIgnored(join(base, "a.ts"))).toBe(false);
	writeFixture("repo/.git/HEAD", "ref: refs/heads/main\n");
	writeFixture("repo/.ignore", "*");
	writeFixture("repo/a.ts");
	expect(await isGitIgnored(join(base, "repo/a.ts"))).toBe(false);
	writeFixture("repo/.git/info/exclude", "a.ts\n");
	expect(await isGitIgnored(join(base, "repo/a.ts"))).toBe(true);
});
