/** Starting git outside of its one function is caught, and mentioning git is not. */
import { describe, expect, test } from "bun:test";
import { gitStarts } from "./checks/git.ts";
import { problemsIn, report } from "./fixture.ts";
import { repository } from "./tree.ts";

describe("git", () => {
	test("the repository starts git in one place", async () => {
		expect(await report(gitStarts, repository)).toBe("");
	});

	const starts = [
		`Bun.spawn(["git", "status"]);`,
		`Bun.spawnSync(["/usr/bin/git", ...args], { cwd });`,
		`spawn("git", args);`,
		`execFile("git.exe", []);`,
		`import { exec } from "node:child_process"; exec("git status");`,
		"await $`git status ${path}`;",
		"await Bun.$`git diff`;",
		`const program = "git"; Bun.spawn([program]);`,
		`runProgram({ command: ["git", "status"] });`,
		`runShell({ command: "git status --porcelain" });`,
		`await run(["git", ...words]);`,
		`await host.exec("git", ["branch"], { cwd });`,
		`export const command = ["git", "status"];`,
	];
	test.each(starts)("%s is caught", async (source) => {
		const problems = await problemsIn(gitStarts, { "packages/tui/src/a.ts": `\n${source}` });
		expect(problems).toEqual([
			expect.stringMatching(/^packages\/tui\/src\/a\.ts:2 starts git: use runGit of @tau\/sys/),
		]);
	});

	test("the function itself, tests, scripts and mentions of git pass", async () => {
		const files = {
			"packages/sys/src/git/run-git.ts": `const git = Bun.which("git"); Bun.spawn([git]);`,
			"packages/sys/src/git/run-git.test.ts": `Bun.spawnSync(["git", "init"]);`,
			"packages/agent/examples/a.ts": `pi.exec("git", ["status"]);`,
			"scripts/a.ts": `Bun.spawn(["git", "status"]);`,
			"packages/tui/src/words.ts": `/x/.exec(text); const source = { kind: "git" }; f("git failed: x", [1], table["git"]);`,
			"packages/tui/src/list.ts": `// spawn git\nconst segments = ["cwd", "git"]; join(base, "git", host);`,
			"packages/tui/src/spawn.ts": `Bun.spawn(["rg", ".git", "github"]); f("a git repository");`,
		};
		expect(await problemsIn(gitStarts, files)).toEqual([]);
	});
});
