/** A directory of the project on PATH: what a command finds there is code of the project, whatever its name. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { bash, callOf, outcomeOf, useDirectories, type Setup } from "../../../../test/support/policy.ts";

let base = "";
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-planted-test-")));
	({ project } = useDirectories(base));
	mkdirSync(join(project, "bin"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const auto = (...searchPath: string[]): Setup => ({ mode: "auto", boundary: "none", searchPath });

function plant(name: string): void {
	writeFileSync(join(project, "bin", name), "#!/bin/sh\n");
	chmodSync(join(project, "bin", name), 0o755);
}

test("a program of the project that has the name of a known one is asked about", async () => {
	plant("tree");
	symlinkSync(join(project, "bin"), join(base, "link"));
	for (const directory of [join(project, "bin"), "bin", "./bin", join(base, "link")]) {
		const setup = auto("/usr/bin", directory);
		expect(await outcomeOf(setup, bash("tree -L 2"))).toBe("ask");
		expect(await outcomeOf(setup, bash("tree && ls"))).toBe("ask");
		expect(await outcomeOf(setup, bash("ls -l"))).toBe("allow");
		expect(await outcomeOf(setup, bash("/usr/bin/tree"))).toBe("allow");
	}
	expect(await outcomeOf(auto("/usr/bin"), bash("tree"))).toBe("allow");
	expect(await outcomeOf({ ...auto("bin"), boundary: "sandbox" }, bash("tree"))).toBe("allow");
});

test("so is a known one that would start it", async () => {
	plant("gzip");
	plant("node");
	plant("dpkg-query");
	plant("gcc");
	for (const command of ["dpkg -l", "dpkg -S /bin/ls", "go env"])
		expect([command, await outcomeOf(auto("bin", "/usr/bin"), bash(command))]).toEqual([command, "ask"]);
	for (const command of ["tar tzf a.tgz", "zcat a.gz", "zgrep x a.gz", "npm ls", "/usr/bin/npm -v"])
		expect([command, await outcomeOf(auto("bin", "/usr/bin"), bash(command))]).toEqual([command, "ask"]);
	expect(await outcomeOf(auto("bin"), bash("cat a | sort"))).toBe("allow");
});

test("so is one that the shell finds since a command has changed its PATH", async () => {
	plant("tree");
	const call = (searchPath?: string[]): ReturnType<typeof bash> =>
		callOf({ name: "bash" }, [
			{ kind: "exec", command: "tree", cwd: project, ...(searchPath ? { searchPath } : {}) },
		]);
	expect(await outcomeOf(auto("/usr/bin"), call())).toBe("allow");
	expect(await outcomeOf(auto("/usr/bin"), call([join(project, "bin"), "/usr/bin"]))).toBe("ask");
	expect(await outcomeOf(auto("/usr/bin"), call(["/usr/bin"]))).toBe("allow");
});

test("so is a command that puts one there itself", async () => {
	const setup = auto("bin");
	for (const command of [
		"cp a bin/w; w",
		"echo x > bin/w; chmod +x bin/w; w",
		"mv tools/w bin; w",
		"rsync -a new/ bin",
	])
		expect([command, await outcomeOf(setup, bash(command))]).toEqual([command, "ask"]);
	expect(await outcomeOf(setup, bash("touch src.txt"))).toBe("allow");
});
