/** What a command does in the tree of a task stays there. */
import { afterEach, beforeEach, expect } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

import { needs } from "../../../../test/support/needs.ts";
import { Mirror } from "./mirror.ts";
import { WorkTree } from "./work-tree.ts";

const test = needs("git");
const { signal } = new AbortController();
let root = "";

beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "tau-tree-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function run(cwd: string, ...args: string[]): string {
	const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" };
	const identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
	const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...identity, ...args], { cwd, env });
	if (exitCode !== 0) throw new Error(stderr.toString());
	return stdout.toString().trim();
}

test("an object that is overwritten in a tree is neither changed in the repository nor in the next tree", async () => {
	const repo = join(root, "repo");
	mkdirSync(repo);
	run(repo, "init", "-q");
	writeFileSync(join(repo, "a"), "right\n");
	run(repo, "add", "-A");
	run(repo, "commit", "-qm", "Begin");
	const commit = run(repo, "rev-parse", "HEAD");
	const scratch = join(root, "scratch");
	mkdirSync(scratch);
	const mirror = await Mirror.open(join(root, "mirrors"), repo, { env: process.env, signal, scratch });
	const treeAt = async (name: string): Promise<WorkTree> => {
		const directory = join(root, name);
		mkdirSync(directory);
		return await WorkTree.create({ mirror, directory, commit, branch: name, env: process.env, signal });
	};
	const { path } = await treeAt("one");
	const blob = run(path, "rev-parse", "HEAD:a");
	const object = join(path, ".git/objects", blob.slice(0, 2), blob.slice(2));
	chmodSync(object, 0o600);
	writeFileSync(object, deflateSync("blob 6\0wrong\n"));
	const { path: next } = await treeAt("two");
	expect(readFileSync(join(next, "a"), "utf8")).toBe("right\n");
	expect(run(repo, "cat-file", "blob", blob)).toBe("right");
});
