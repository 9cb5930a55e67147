/** `tau commit` commits what it shows, with the message that the model of the role writes. */
import { afterEach, beforeEach, describe, expect } from "bun:test";
import { chmodSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { launch, type Launched } from "../support/launch.ts";

const test = needs("git");

let tau: Launched;
const split = {
	commits: [
		{ message: "Add the parser", hunks: [2] },
		{ message: "Add the docs", hunks: [1] },
	],
};

async function open(...steps: Parameters<typeof launch>[0]["steps"]): Promise<void> {
	tau = await launch({ steps });
	writeFileSync(
		join(tau.home, ".gitconfig"),
		"[user]\nname = t\nemail = t@t\n[init]\ndefaultBranch = main\n",
	);
	git("init", "-q");
	write("README.md", "docs\n");
	write("parser.ts", "export {};\n");
}

beforeEach(() => open("feat: add a parser\n\nIt parses."));
afterEach(() => tau[Symbol.asyncDispose]());

function git(...args: string[]): string {
	const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...args], { cwd: tau.project, env: tau.env });
	if (exitCode !== 0) throw new Error(stderr.toString());
	return stdout.toString().trim();
}

function write(path: string, text: string): void {
	writeFileSync(join(tau.project, path), text);
}

test("all changes are shown and committed", async () => {
	const { code, out } = await tau.run(["commit", "--yes", "--trust"]);
	expect(code).toBe(0);
	expect(out).toContain(
		"2 files (all changes), 1 commit\n\nfeat: add a parser\n\nIt parses.\n  README.md +1 -0\n",
	);
	expect(git("log", "--format=%B").trim()).toBe("feat: add a parser\n\nIt parses.");
	expect(git("status", "--porcelain")).toBe("");
});

test("the identity of the environment is that of the commit, as with git commit", async () => {
	const identity = {
		GIT_AUTHOR_NAME: "Ann Author",
		GIT_AUTHOR_EMAIL: "ann@example.com",
		GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
		GIT_COMMITTER_NAME: "Carl Committer",
		GIT_COMMITTER_EMAIL: "carl@example.com",
		GIT_COMMITTER_DATE: "2026-01-03T03:04:05Z",
	};
	// A directory that git must not be sent to.
	const env = { ...tau.env, ...identity, GIT_DIR: join(tau.home, "elsewhere") };
	const { code } = await tau.run(["commit", "--yes", "--trust"], { env });
	expect(code).toBe(0);
	expect(git("log", "--format=%an <%ae> %at, %cn <%ce> %ct")).toBe(
		"Ann Author <ann@example.com> 1767323045, Carl Committer <carl@example.com> 1767409445",
	);
});

test("an identity of the environment is enough without one in git's configuration", async () => {
	writeFileSync(join(tau.home, ".gitconfig"), "[user]\nuseConfigOnly = true\n");
	const [name, email] = ["Ann", "ann@example.com"];
	const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email };
	const env = { ...tau.env, ...author, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
	const { code, err } = await tau.run(["commit", "--yes", "--trust"], { env });
	expect({ code, err }).toMatchObject({ code: 0 });
	expect(git("log", "--format=%an <%ae>")).toBe("Ann <ann@example.com>");
});

test("a dry run commits nothing", async () => {
	const { code, out } = await tau.run(["commit", "--dry-run", "--trust", "--json"]);
	expect(code).toBe(0);
	expect(JSON.parse(out)).toMatchObject({ message: "feat: add a parser\n\nIt parses.", hunks: [1, 2] });
	expect(git("status", "--porcelain")).toBe("?? README.md\n?? parser.ts");
});

test("outside of a repository, commit and review say so and what to do", async () => {
	for (const command of [["commit", "--yes", "--trust"], ["review"]]) {
		const { code, err } = await tau.run(command, { cwd: tau.home });
		expect(err).toBe(
			`tau: ${realpathSync(tau.home)} is not in a git repository. Change to one, or make one with git init.\n`,
		);
		expect(code).not.toBe(0);
	}
});

describe("a split", () => {
	beforeEach(async () => {
		await tau[Symbol.asyncDispose]();
		await open(JSON.stringify(split));
	});

	test("makes the commits that it shows", async () => {
		const { code, out } = await tau.run(["commit", "--yes", "--split", "--trust"]);
		expect(code).toBe(0);
		expect(out).toContain("2 commits");
		expect(git("log", "--format=%s").split("\n")).toEqual(["Add the docs", "Add the parser"]);
		expect(git("show", "--name-only", "--format=", "HEAD~1")).toBe("parser.ts");
	});
});

test("a hook of the repository refuses, and nothing is committed", async () => {
	write(".git/hooks/pre-commit", "#!/bin/sh\necho no tests >&2; exit 1\n");
	chmodSync(join(tau.project, ".git/hooks/pre-commit"), 0o755);
	const { code, err } = await tau.run(["commit", "--yes", "--trust"]);
	expect(code).toBe(1);
	expect(err).toContain("The pre-commit hook refused the commit: no tests");
	expect(git("status", "--porcelain")).toBe("?? README.md\n?? parser.ts");
});

test("it says why it does nothing", async () => {
	expect((await tau.run(["commit"], { stdin: "ignore" })).err).toContain(
		"pass --yes to commit or --dry-run to preview",
	);
	const untrusted = await tau.run(["commit", "--yes"]);
	expect(untrusted.err).toContain("This project is not trusted: add --trust to allow it for this run.");
	expect(untrusted.code).toBe(1);
	expect((await tau.run(["commit", "--help"])).out).toContain("--trust");
	git("add", "-A");
	git("commit", "-qm", "all");
	expect((await tau.run(["commit", "--yes", "--trust"])).err).toContain("There is nothing to commit.");
});
