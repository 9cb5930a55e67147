/** A copy is judged by where it ends up, under the name of its source and behind links; what is deleted, by what it contains. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { bash, outcomeOf, useDirectories } from "../../../../test/support/policy.ts";

// Below the home directory, because the directories for temporary files may be written to.
let base = "";
let home = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-policy-test-")));
	({ home } = useDirectories(base));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test("a copy into a directory is judged by the names that it gets there", async () => {
	const project = join(base, "project");
	mkdirSync(join(project, "bin"));
	mkdirSync(join(project, "new/.tau"), { recursive: true });
	mkdirSync(join(project, "new/.git/hooks"), { recursive: true });
	for (const name of ["x", "new/.mcp.json", "new/y"]) writeFileSync(join(project, name), "x");
	symlinkSync(join(home, ".bashrc"), join(project, "bin/x"));
	symlinkSync(join(home, ".bashrc"), join(project, "xaa"));
	for (const command of [
		"cp x bin",
		"cp x bin/",
		"cp -t bin x",
		"install -m 644 x bin",
		"cp new/* bin",
		"split -b 1 x",
		"csplit x 1",
		"cp -r new/.tau .",
		"cp new/.mcp.json .",
		"cp -t . new/.mcp.json",
		"install new/.mcp.json .",
		"cp -r new/.git .",
		"cp -rT new .",
		"cp -r new/. .",
		"cp -r new/../new/.git .",
	])
		expect([command, await outcomeOf({ mode: "auto" }, bash(command))]).toEqual([command, "ask"]);
	for (const command of ["cp x y", "cp new/y .", "cp new/y src"])
		expect([command, await outcomeOf({ mode: "auto" }, bash(command))]).toEqual([command, "allow"]);
});

test("regression: a directory with a repository behind many files is not deleted unasked", async () => {
	const build = join(base, "project/build");
	for (const name of ["a/.git", "dist", "node_modules/x/.git"])
		mkdirSync(join(build, name), { recursive: true });
	Bun.spawnSync(["sh", "-c", "seq 1 6000 | xargs touch"], { cwd: build });
	expect(await outcomeOf({ mode: "auto" }, bash("rm -r build"))).toBe("ask");
	expect(await outcomeOf({ mode: "auto" }, bash("rm -r build/dist"))).toBe("allow");
	mkdirSync(Buffer.concat([Buffer.from(`${build}/dist/`), Buffer.from([0xff])]));
	expect(await outcomeOf({ mode: "auto" }, bash("rm -r build/dist"))).toBe("ask");
});
