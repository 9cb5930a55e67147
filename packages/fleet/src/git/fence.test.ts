/** The fence in the repository: of two workers with a task, only the later one pushes, and nothing else is left. */
import { afterAll, beforeAll, expect } from "bun:test";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { limits } from "../limits.ts";
import { Fence, LeaseLost, removeFences } from "./fence.ts";
import { Mirror, packMirrors, trimMirrors } from "./mirror.ts";
import { WorkTree } from "./work-tree.ts";

const test = needs("git");
const base = mkdtempSync(join(tmpdir(), "tau-fleet-fence-"));
const origin = join(base, "origin");
const env = { PATH: process.env.PATH ?? "", HOME: base };
const { signal } = new AbortController();
let commit = "";

function git(...args: string[]): string {
	const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
	const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd: origin, env });
	if (exitCode !== 0) throw new Error(stderr.toString());
	return stdout.toString().trim();
}

beforeAll(() => {
	// It runs before tests that are all skipped, too.
	if (Bun.which("git") === null) return;
	mkdirSync(origin);
	git("init", "--quiet", "--initial-branch=main");
	writeFileSync(join(origin, "a.txt"), "a\n");
	git("add", ".");
	git("commit", "--quiet", "-m", "Start");
	commit = git("rev-parse", "HEAD");
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A worker with a lease: its own clone, and a tree in which it has changed something. */
async function worker(taskId: string, lease: number, { isHeld = true, retriedAfter = 0 } = {}) {
	const directory = join(base, `${taskId}-${lease}`);
	mkdirSync(directory);
	const where = { env, signal, scratch: directory };
	const mirror = await Mirror.open(join(base, `mirrors-${taskId}-${lease}`), origin, where);
	await mirror.bring(commit, { bundle: undefined, scratch: directory, signal });
	const branch = `tau/${taskId}-${lease}`;
	const tree = await WorkTree.create({ mirror, directory, commit, branch, env, signal });
	writeFileSync(join(tree.path, "made.txt"), `by ${lease}\n`);
	const facts = { mirror, taskId, lease, retriedAfter, signal };
	const fence = await Fence.take({ ...facts, isHeld: async () => isHeld });
	return {
		tree,
		fence,
		publish: async () => (fence instanceof Fence ? await fence.publish(await tree.commit("Made")) : fence),
	};
}

test("a worker that lost its lease cannot push, and the later one leaves one branch", async () => {
	const old = await worker("one", 1);
	const fresh = await worker("one", 2);
	await expect(old.publish()).rejects.toThrow(LeaseLost);
	expect(await fresh.publish()).toBe("tau/one-2");
	expect(git("for-each-ref", "--format=%(refname)", "refs/heads/tau", "refs/tau")).toBe(
		"refs/heads/tau/one-2",
	);
	expect(git("show", "tau/one-2:made.txt")).toBe("by 2");
	// It comes back after the task is done.
	await expect(old.publish()).rejects.toThrow(LeaseLost);
	expect(git("for-each-ref", "--format=%(refname)", "refs/heads/tau", "refs/tau")).toBe(
		"refs/heads/tau/one-2",
	);
	git("fsck", "--strict");
});

test("a branch of a worker that was lost between its push and its report is the result", async () => {
	expect(await (await worker("two", 1)).publish()).toBe("tau/two-1");
	expect(await (await worker("two", 2)).publish()).toMatchObject({ branch: "tau/two-1" });
	expect(git("branch", "--list", "tau/two-*").trim()).toBe("tau/two-1");
	// The user has seen it and wants the task to be done anew.
	expect(await (await worker("two", 3, { retriedAfter: 2 })).publish()).toBe("tau/two-3");
});

test("without the lease no fence is taken, and a task without a branch leaves none", async () => {
	await expect(worker("three", 1, { isHeld: false })).rejects.toThrow(LeaseLost);
	const { fence } = await worker("three", 2);
	if (fence instanceof Fence) await fence.release(signal);
	expect(git("for-each-ref", "refs/tau")).toBe("");
});

test("the fence of a task that is over is removed for its lost worker, and no other", async () => {
	await worker("five", 1);
	await worker("six", 1);
	await removeFences({ cwd: base, env, signal }, origin, ["five", "seven"]);
	expect(git("for-each-ref", "--format=%(refname)", "refs/tau")).toBe("refs/tau/fence/six");
	await removeFences({ cwd: base, env, signal }, origin, ["five", "six"]);
	expect(git("for-each-ref", "refs/tau")).toBe("");
});

test("changes of a tree are applied to another, also binary ones and deletions", async () => {
	const first = await worker("four", 1);
	writeFileSync(join(first.tree.path, "bytes.bin"), new Uint8Array([0, 255, 10, 13, 0]));
	rmSync(join(first.tree.path, "a.txt"));
	const patch = await first.tree.patch();
	// One that could not be stored is given again.
	expect((await first.tree.patch())?.bytes).toEqual(patch?.bytes ?? new Uint8Array());
	patch?.done();
	expect(await first.tree.patch()).toBeUndefined();
	const second = await worker("four", 2);
	rmSync(join(second.tree.path, "made.txt"));
	await second.tree.apply(patch?.bytes ?? new Uint8Array());
	expect(await Bun.file(join(second.tree.path, "bytes.bin")).bytes()).toEqual(
		new Uint8Array([0, 255, 10, 13, 0]),
	);
	expect(await Bun.file(join(second.tree.path, "a.txt")).exists()).toBe(false);
	expect(await Bun.file(join(second.tree.path, "made.txt")).text()).toBe("by 1\n");
});

test("regression: what a task writes into the files of its tree reaches neither the clone of the worker nor the user's repository", async () => {
	const { tree } = await worker("hostile", 1);
	const push = Bun.spawnSync(["git", "push", "origin", "HEAD:refs/heads/x"], { cwd: tree.path, env });
	expect(push.exitCode).not.toBe(0);
	const objects = join(tree.path, ".git/objects");
	const files = readdirSync(objects, { recursive: true, withFileTypes: true }).filter((each) =>
		each.isFile(),
	);
	expect(files.length).toBeGreaterThan(0);
	for (const { parentPath, name } of files) {
		chmodSync(join(parentPath, name), 0o600);
		writeFileSync(join(parentPath, name), "garbage");
	}
	git("fsck", "--strict");
	git(
		"--git-dir",
		join(base, "mirrors-hostile-1", readdirSync(join(base, "mirrors-hostile-1"))[0] ?? ""),
		"fsck",
	);
});

test("a branch in the way of a new one, a lock of a killed git and a commit that is an option are no trouble", async () => {
	const mirrors = join(base, "mirrors-old");
	const scratch = join(base, "scratch");
	mkdirSync(scratch);
	git("branch", "topic");
	const mirror = await Mirror.open(mirrors, origin, { env, signal, scratch });
	git("branch", "-D", "topic");
	git("checkout", "--quiet", "-b", "topic/one");
	git("commit", "--quiet", "--allow-empty", "-m", "One");
	const head = git("rev-parse", "HEAD");
	git("checkout", "--quiet", "main");
	const lock = join(mirror.path, "packed-refs.lock");
	const fresh = join(mirror.path, "refs/heads/main.lock");
	for (const file of [lock, fresh]) writeFileSync(file, "");
	utimesSync(lock, 0, 0);
	trimMirrors(mirrors);
	// A git that still runs has the other one.
	expect([existsSync(lock), existsSync(fresh)]).toEqual([false, true]);
	rmSync(fresh);
	await mirror.bring(head, { bundle: undefined, scratch, signal });
	expect(git("--git-dir", mirror.path, "rev-parse", "topic/one")).toBe(head);
	const hostile = mirror.bring("--upload-pack=true", { bundle: undefined, scratch, signal });
	await expect(hostile).rejects.toThrow("not the name of one");
	const pwned = join(base, "pwned");
	for (const repo of [
		`ext::touch ${pwned}`,
		`--upload-pack=touch ${pwned}`,
		`ssh://-oProxyCommand=touch ${pwned}/x`,
	])
		await expect(Mirror.open(mirrors, repo, { env, signal, scratch })).rejects.toThrow("git clone failed");
	expect(existsSync(pwned)).toBe(false);
	// Nothing unfinished is beside the clones.
	expect(readdirSync(mirrors)).toHaveLength(1);
});

test("clones of a worker do not grow without end, and those stay that were used last", async () => {
	const mirrors = join(base, "mirrors-many");
	const scratch = join(base, "scratch-many");
	mkdirSync(scratch);
	const mirror = await Mirror.open(mirrors, origin, { env, signal, scratch });
	// Packs of earlier tasks become one.
	const packs = (): string[] =>
		readdirSync(join(mirror.path, "objects/pack")).filter((name) => name.endsWith(".pack"));
	for (let at = 0; at <= limits.packs; at++) {
		const object = git(
			"--git-dir",
			mirror.path,
			"commit-tree",
			`${commit}^{tree}`,
			"-p",
			commit,
			"-m",
			String(at),
		);
		const to = join(mirror.path, "objects/pack/pack");
		Bun.spawnSync(["git", "--git-dir", mirror.path, "pack-objects", "--quiet", to], {
			env,
			stdin: Buffer.from(`${object}\n`),
		});
	}
	expect(packs().length).toBeGreaterThan(limits.packs);
	await packMirrors(mirrors, { env, signal });
	expect(packs().length).toBeLessThan(3);
	await mirror.bring(commit, { bundle: undefined, scratch, signal });
	// Of many clones, those stay that were used last.
	for (let at = 0; at < limits.repositories; at++) {
		mkdirSync(join(mirrors, `${at.toString(36)}z.git`));
		utimesSync(join(mirrors, `${at.toString(36)}z.git`), at, at);
	}
	trimMirrors(mirrors);
	expect(readdirSync(mirrors)).toHaveLength(limits.repositories);
	expect([existsSync(mirror.path), existsSync(join(mirrors, "0z.git"))]).toEqual([true, false]);
});
