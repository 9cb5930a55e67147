/** The footer knows the branch, and that something is changed. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { factsOf, GitStatus, type GitFacts } from "./git-status.ts";

let home = "";
beforeEach(() => {
	home = realpathSync(mkdtempSync(join(tmpdir(), "tau-git-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function git(...args: string[]): Promise<void> {
	const name = ["-c", "user.name=t", "-c", "user.email=t@t"];
	const child = Bun.spawn(["git", ...name, ...args], { cwd: home, stdout: "ignore", stderr: "ignore" });
	expect(await child.exited).toBe(0);
}

async function ask(): Promise<GitFacts | undefined> {
	let told: GitFacts | undefined;
	using status = new GitStatus(
		() => home,
		(facts) => {
			told = facts;
		},
	);
	await status.refresh();
	return told;
}

test("a real repository is clean, then changed", async () => {
	await git("init", "-q", "-b", "trunk");
	writeFileSync(join(home, "a"), "1");
	await git("add", ".");
	await git("commit", "-q", "-m", "first");
	expect(await ask()).toEqual({ branch: "trunk", isDirty: false });
	writeFileSync(join(home, "a"), "2");
	expect(await ask()).toEqual({ branch: "trunk", isDirty: true });
});

test("outside a repository there is nothing to tell", async () => {
	expect(await ask()).toBeUndefined();
});

const heads: [status: string, facts: GitFacts | undefined][] = [
	["## main...origin/main [ahead 1, behind 2]\n", { branch: "main", isDirty: false }],
	["## feature/a.b\n M x\n", { branch: "feature/a.b", isDirty: true }],
	["## No commits yet on main\n?? x\n", { branch: "main", isDirty: true }],
	["## HEAD (no branch)\n", { branch: "detached", isDirty: false }],
	["", undefined],
];
test.each(heads)("%j is understood", (status, facts) => {
	expect(factsOf(status)).toEqual(facts);
});
