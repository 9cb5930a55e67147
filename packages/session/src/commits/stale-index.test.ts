/** After a restore, git's index may still have the changes: they are found, and nothing else is. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "bun:test";

import { needs } from "../../../../test/support/needs.ts";
import { staleIndex } from "./stale-index.ts";

function repository() {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "tau-index-")));
	const git = (...args: string[]): string => {
		const identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
		return Bun.spawnSync(["git", ...identity, ...args], { cwd: root }).stdout.toString();
	};
	git("init", "-q");
	const write = (name: string, text: string): void => {
		mkdirSync(join(root, name, ".."), { recursive: true });
		writeFileSync(join(root, name), text);
	};
	const look = (names: readonly string[], isTrusted = true) =>
		staleIndex(
			{ cwd: root, env: process.env, isTrusted, signal: new AbortController().signal },
			names.map((name) => Buffer.from(join(root, name)).toString("latin1")),
		);
	return { root, git, write, look, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

needs("git")("staged deletions of files that are back are found and unstaged", async () => {
	using here = repository();
	for (const name of ["docs/ä.md", "docs/b c.md", "a.txt"]) here.write(name, "x\n");
	here.git("add", "-A");
	here.git("commit", "-qm", "first");
	here.git("rm", "-rq", "docs");
	for (const name of ["docs/ä.md", "docs/b c.md"]) here.write(name, "x\n");
	const stale = await here.look(["docs/ä.md", "docs/b c.md", "a.txt"]);
	expect(stale).toMatchObject({ deletions: 2, command: "git restore --staged ." });
	await stale?.unstage();
	expect(here.git("status", "--porcelain")).toBe("");
	expect(await here.look(["docs/ä.md"])).toBeUndefined();
});

needs("git")("what the user staged, and files that were not restored, are left alone", async () => {
	using here = repository();
	for (const name of ["mine.txt", "gone.txt", "other.txt"]) here.write(name, "x\n");
	here.git("add", "-A");
	here.git("commit", "-qm", "first");
	here.write("mine.txt", "staged\n");
	here.git("add", "mine.txt");
	here.git("rm", "-q", "gone.txt", "other.txt");
	here.write("other.txt", "x\n");
	here.write("gone.txt", "x\n");
	// The file is as it was staged, and the other one was not among the restored.
	const stale = await here.look(["mine.txt", "gone.txt"]);
	expect(stale).toMatchObject({ paths: ["gone.txt"], command: "git restore --staged gone.txt" });
	expect(await here.look(["mine.txt"])).toBeUndefined();
});

needs("git")("in a project without trust staged deletions are found without starting git", async () => {
	using here = repository();
	for (const name of ["docs/ä.md", "docs/b.md", "kept.txt", "changed.txt"]) here.write(name, "x\n");
	here.git("add", "-A");
	here.git("commit", "-qm", "first");
	here.git("config", "core.fsmonitor", "touch started; false");
	here.git("rm", "-rq", "docs");
	for (const name of ["docs/ä.md", "docs/b.md", "new.txt"]) here.write(name, "x\n");
	// A restore names the directories that it has made, too.
	const names = ["docs", "docs/ä.md", "docs/b.md", "new.txt", "kept.txt"];
	for (const isPacked of [false, true]) {
		if (isPacked) {
			here.git("gc", "-q");
			here.git("pack-refs", "--all");
		}
		rmSync(join(here.root, "started"), { force: true });
		expect(await here.look(names, false)).toMatchObject({
			paths: ["docs/ä.md", "docs/b.md"],
			deletions: 2,
			command: "git restore --staged docs/ä.md docs/b.md",
		});
		expect(existsSync(join(here.root, "started"))).toBeFalse();
	}
	here.git("config", "--unset", "core.fsmonitor");
	here.git("checkout", "-q", "--detach");
	await (await here.look(names, false))?.unstage();
	expect(here.git("status", "--porcelain")).toBe("?? new.txt\n");
	expect(await here.look(names, false)).toBeUndefined();
});

needs("git")("before the first commit, added files that are gone are unstaged too", async () => {
	using here = repository();
	here.write("new.txt", "x\n");
	here.git("add", "-A");
	rmSync(join(here.root, "new.txt"));
	const stale = await here.look(["new.txt"]);
	expect(stale).toMatchObject({ paths: ["new.txt"], deletions: 0 });
	await stale?.unstage();
	expect(here.git("status", "--porcelain")).toBe("");
});
