/**
 * The branch is read from `.git` alone, in every layout that git creates, and directories that only look like a
 * repository do not count.
 */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { findRepository, readHead, type GitHead } from "./repository.ts";

let base = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(tmpdir(), "tau-repository-")));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function git(cwd: string, ...args: string[]): void {
	const who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always"];
	const { exitCode, stderr } = Bun.spawnSync(["git", ...who, ...args], {
		cwd,
		env: { PATH: process.env.PATH ?? "", HOME: base, GIT_CONFIG_NOSYSTEM: "1" },
	});
	if (exitCode !== 0) throw new Error(stderr.toString());
}

/** A repository with one commit, on the branch `feature/one`. */
function repository(name: string): string {
	const root = join(base, name);
	mkdirSync(root);
	git(root, "init", "-q", "-b", "feature/one");
	git(root, "commit", "-q", "--allow-empty", "-m", "first");
	return root;
}

async function headAt(directory: string): Promise<GitHead | undefined> {
	const repo = await findRepository(directory);
	return repo && (await readHead(repo));
}

const onBranch = (branch: string): GitHead => ({ branch, isDetached: false });

needs("git")("a branch, also below the root, before the first commit, and with packed refs", async () => {
	const unborn = join(base, "unborn");
	mkdirSync(unborn);
	git(unborn, "init", "-q", "-b", "trunk");
	expect(await headAt(unborn)).toEqual(onBranch("trunk"));
	const root = repository("a");
	git(root, "pack-refs", "--all");
	const below = join(root, "sub/dir");
	mkdirSync(below, { recursive: true });
	expect(await headAt(below)).toEqual(onBranch("feature/one"));
	expect(await findRepository(below)).toEqual({ root, gitDir: join(root, ".git"), prefix: "sub/dir/" });
	git(root, "checkout", "-q", "--detach");
	expect(await headAt(root)).toEqual({ isDetached: true });
});

needs("git")("a worktree and a submodule have branches of their own", async () => {
	const root = repository("main");
	git(root, "worktree", "add", "-q", "-b", "beside", join(base, "beside"));
	expect(await headAt(join(base, "beside"))).toEqual(onBranch("beside"));
	const library = repository("library");
	git(root, "submodule", "--quiet", "add", library, "lib");
	git(join(root, "lib"), "checkout", "-q", "-b", "inner");
	expect(await headAt(join(root, "lib"))).toEqual(onBranch("inner"));
	expect((await findRepository(join(root, "lib")))?.root).toBe(join(root, "lib"));
	expect(await headAt(root)).toEqual(onBranch("feature/one"));
});

needs("git")("a directory that only looks like a bare repository does not count", async () => {
	const root = repository("outer");
	git(base, "clone", "-q", "--bare", root, join(root, "bare"));
	expect(await headAt(join(root, "bare"))).toEqual(onBranch("feature/one"));
	expect((await findRepository(join(root, "bare")))?.root).toBe(root);
	cpSync(join(root, "bare"), join(base, "alone"), { recursive: true });
	expect(await findRepository(join(base, "alone"))).toBeUndefined();
});

needs("git")("a link to a directory inside is followed to the repository that it lies in", async () => {
	const root = repository("a");
	mkdirSync(join(root, "sub"));
	symlinkSync(join(root, "sub"), join(base, "link"));
	expect(await findRepository(join(base, "link"))).toMatchObject({ root, prefix: "sub/" });
});

needs("git")("HEAD may be a symbolic link, as old versions of git made it", async () => {
	const root = repository("a");
	const head = join(root, ".git/HEAD");
	unlinkSync(head);
	symlinkSync("refs/heads/feature/one", head);
	expect(await headAt(root)).toEqual(onBranch("feature/one"));
});

const heads: [text: string, head: GitHead | undefined][] = [
	["ref: refs/heads/.invalid\n", { isDetached: false }],
	["ref: refs/remotes/x\n", onBranch("remotes/x")],
	[`${"a".repeat(64)}\n`, { isDetached: true }],
	["ref: refs/heads/\x1b[31mred\n", undefined],
	["ref: refs/heads/a\u202eb\n", undefined],
	["ref: refs/heads/../../x\n", undefined],
	["ref: /etc/passwd\n", undefined],
	["hello\n", undefined],
	["", undefined],
	[`ref: refs/heads/${"x".repeat(10_000)}\n`, undefined],
];
test.each(heads)("HEAD %j is read as %j", async (text, head) => {
	for (const name of ["objects", "refs"]) mkdirSync(join(base, ".git", name), { recursive: true });
	writeFileSync(join(base, ".git/HEAD"), text);
	expect(await readHead({ gitDir: join(base, ".git") })).toEqual(head as GitHead);
	expect((await findRepository(base)) !== undefined).toBe(head !== undefined);
});

needs("git", "mkfifo")("pipes, broken pointers and half a repository do not hang or count", async () => {
	const root = repository("a");
	const inside = (name: string): string => {
		mkdirSync(join(root, name));
		return join(root, name, ".git");
	};
	writeFileSync(inside("pointer"), "gitdir: /dev/zero\n");
	writeFileSync(inside("odd"), "no pointer\n");
	mkdirSync(inside("empty"));
	const half = inside("half");
	mkdirSync(half);
	writeFileSync(join(half, "HEAD"), readFileSync(join(root, ".git/HEAD")));
	const pipe = inside("pipe");
	mkdirSync(pipe);
	Bun.spawnSync(["mkfifo", join(pipe, "HEAD")]);
	for (const name of ["pointer", "odd", "empty", "half", "pipe"])
		expect((await findRepository(join(root, name)))?.root).toBe(root);
	expect(await findRepository(join(base, "missing"))).toBeUndefined();
});
