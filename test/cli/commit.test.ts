/** `tau commit` commits what it shows, with the message that the model of the role writes. */
import { afterEach, beforeEach, describe, expect } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
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

test("a dry run commits nothing", async () => {
	const { code, out } = await tau.run(["commit", "--dry-run", "--trust", "--json"]);
	expect(code).toBe(0);
	expect(JSON.parse(out)).toMatchObject({ message: "feat: add a parser\n\nIt parses.", hunks: [1, 2] });
	expect(git("status", "--porcelain")).toBe("?? README.md\n?? parser.ts");
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
