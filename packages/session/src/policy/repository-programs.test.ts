/** Without a boundary, `git status` is asked about where it would run what a stranger has planted. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import { bash, callOf, outcomeOf, useDirectories, type Setup } from "../../../../test/support/policy.ts";

let base = "";
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-programs-test-")));
	({ project } = useDirectories(base));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const ask: Setup = { mode: "ask", boundary: "none" };

function put(path: string, text: string): string {
	const file = join(project, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
	return file;
}

function repository(settings: string, at = ""): void {
	for (const name of ["objects", "refs"]) mkdirSync(join(project, at, ".git", name), { recursive: true });
	put(join(at, ".git/HEAD"), "ref: refs/heads/main\n");
	put(join(at, ".git/config"), settings);
}

/** An index with one path that is a repository of its own. */
function withSubmodule(name: string): void {
	const entry = Buffer.alloc((62 + name.length + 8) & ~7);
	entry.writeUInt32BE(0o160000, 24);
	entry.writeUInt16BE(name.length, 60);
	entry.write(name, 62);
	const header = Buffer.from([..."DIRC"].map((each) => each.charCodeAt(0)).concat([0, 0, 0, 2, 0, 0, 0, 1]));
	writeFileSync(join(project, ".git/index"), Buffer.concat([header, entry, Buffer.alloc(20)]));
}

const ordinary = [
	"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
	'[core]\n\thooksPath = .husky/_\n[remote "origin"]\n\turl = https://example.org/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin # as ever\n',
	'[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n',
	"[core]\n\tfsmonitor = true\n\tsshCommand = ssh -i ~/.ssh/work\n\tpager = less -FRX\n",
	'[merge "ours"]\n\tdriver = true\n[user]\n\tname = "A; B" \n\temail = a@example.org',
	"",
];

test.each(ordinary)("an ordinary repository is not asked about: %j", async (settings) => {
	repository(settings);
	expect(await outcomeOf(ask, bash("git status"))).toBe("allow");
});

const planted = [
	"[core]\n\tfsmonitor = ./evil\n",
	"[core] fsmonitor = ./evil",
	"[core]\nfsmonitor=./evil",
	"\ufeff[CORE]\r\n\tFSMonitor\t=\t./evil\r\n",
	"[core]\n\t# a comment \\\n\tfsmonitor = ./evil\n",
	"[core]\n\tx = y ; \\\n\tfsmonitor = ./evil\n",
	"[core]\n\tfsmonitor = \\\n./evil\n",
	'[core]\n\tfsmonitor = "./evil"\n',
	'[core]\n\tx = "\\"\n"\nfsmonitor = ./evil\n',
	"[diff]\n\texternal = ./evil\n",
	'[diff "x"]\n\ttextconv = ./evil\n',
	"[diff.x]\n\tcommand = ./evil\n",
	'[filter "x"]\n\tclean = ./evil\n',
	'[filter "lfs"]\n\tprocess = git-lfs filter-process && ./evil\n',
	"[gpg]\n\tprogram = ./evil\n[log]\n\tshowSignature = true\n",
	'[gpg "ssh"]\n\tprogram = ./evil\n',
	"[core]\n\tpager = less +!./evil\n",
	"[help]\n\tbrowser = x\n",
	'[browser "x"]\n\tcmd = ./evil\n',
	'[tar "tgz"]\n\tcommand = ./evil\n',
	"[core]\n\tworktree = /etc\n",
	"[include]\n\tpath = more\n",
	'[includeIf "gitdir:/"]\n\tpath = ../more\n',
	'[remote "x"]\n\tpromisor = true\n\turl = https://evil.example\n',
	"[extensions]\n\tpartialClone = x\n",
	"[gc]\n\trecentObjectsHook = ./evil\n",
	"[core\n\tfsmonitor = ./evil\n",
	'[gpg "ssh"]\n\tdefaultKeyCommand = ./evil\n',
	"[interactive]\n\tdiffFilter = ./evil\n",
	'[trailer "x"]\n\tcmd = ./evil\n',
	"[core]\n\talternateRefsCommand = ./evil\n",
];

test.each(planted)("settings that name a program are asked about: %j", async (settings) => {
	repository(settings);
	for (const name of [".git/more", "more"]) put(name, "[core]\n\tfsmonitor = ./evil\n");
	expect(await outcomeOf(ask, bash("git status"))).toBe("ask");
	expect(await outcomeOf({ ...ask, mode: "auto" }, bash("git diff"))).toBe("ask");
	expect(await outcomeOf({ ...ask, mode: "plan" }, bash("git log -p"))).not.toBe("allow");
	expect(await outcomeOf({ mode: "auto", boundary: "sandbox" }, bash("git status"))).toBe("allow");
});

test("regression: a repository that the command itself completes is asked about", async () => {
	repository("");
	// Git keeps no empty directories: that of a stranger has no refs.
	put("data/HEAD", "ref: refs/heads/main\n");
	put("data/objects/x", "");
	put("data/config", "[core]\n\tfsmonitor = ./evil\n");
	const outcome = (command: string, directory: string): Promise<string> =>
		outcomeOf(
			{ ...ask, mode: "auto" },
			callOf({ name: "bash" }, [{ kind: "exec", command, cwd: join(project, directory) }]),
		);
	for (const command of [
		"mkdir refs; git status",
		"mkdir -p refs/heads && git status",
		"mkdir -p ../data/refs; git log",
		"touch refs; git status",
		"cp config refs && git status",
	])
		expect([command, await outcome(command, "data")]).toEqual([command, "ask"]);
	expect(await outcome("mkdir -p ../refs; git status", "data/objects")).toBe("ask");
	for (const command of ["mkdir x; git status", "git status", "rm -f refs; git status"])
		expect([command, await outcome(command, "data")]).toEqual([command, "allow"]);
	expect(await outcome("mkdir -p refs objects; git status", ".")).toBe("allow");
});

test("so are those of other files of the repository, and of repositories inside of it", async () => {
	const evil = "[core]\n\tfsmonitor = ./evil\n";
	repository("[extensions]\n\tworktreeConfig = true\n");
	const worktree = put(".git/config.worktree", evil);
	expect(await outcomeOf(ask, bash("git status"))).toBe("ask");
	rmSync(worktree);
	const pointer = put(".git/commondir", "../other\n");
	put("other/config", evil);
	expect(await outcomeOf(ask, bash("git status"))).toBe("ask");
	rmSync(pointer);
	expect(await outcomeOf(ask, bash("git status"))).toBe("allow");
	repository(evil, "sub");
	for (const command of ["git -C sub status", "cd sub && git diff"])
		expect(await outcomeOf(ask, bash(command))).toBe("ask");
	expect(await outcomeOf(ask, bash("git status"))).toBe("allow");
	withSubmodule("sub");
	expect(await outcomeOf(ask, bash("git status"))).toBe("ask");
	writeFileSync(join(project, ".git/index"), "DIRC of another kind");
	expect(await outcomeOf(ask, bash("git status"))).toBe("ask");
});

test("a repository that the same command adds to the index is looked into, too", async () => {
	repository("");
	repository("", "a/b");
	const auto: Setup = { mode: "auto", boundary: "none" };
	const commands = ["git add a/b && git status", "git add -A; git diff"];
	for (const command of commands)
		expect([command, await outcomeOf(auto, bash(command))]).toEqual([command, "allow"]);
	put("a/b/.git/config", "[core]\n\tfsmonitor = ./evil\n");
	for (const command of commands)
		expect([command, await outcomeOf(auto, bash(command))]).toEqual([command, "ask"]);
	expect(await outcomeOf(auto, bash("git add a/b"))).toBe("allow");
	expect(await outcomeOf(auto, bash("git status && git diff"))).toBe("allow");
});

test("hooks in the project may be those that the same command writes", async () => {
	const auto: Setup = { mode: "auto", boundary: "none" };
	repository("[core]\n\thooksPath = .husky\n");
	expect(await outcomeOf(auto, bash("cp a b && git add b"))).toBe("allow");
	mkdirSync(join(project, "x"));
	for (const command of ["cp a .husky/post-index-change && git add b", "mv x .husky && git status"])
		expect([command, await outcomeOf(auto, bash(command))]).toEqual([command, "ask"]);
});

test("a hook that git runs while it only reads is asked about, also where the settings say that hooks are", async () => {
	repository("");
	const hook = put(".git/hooks/post-index-change", "#!/bin/sh\n");
	chmodSync(hook, 0o755);
	expect(await outcomeOf(ask, bash("git status"))).toBe("ask");
	rmSync(hook);
	expect(await outcomeOf(ask, bash("git status"))).toBe("allow");
	repository("[core]\n\thooksPath = tools/hooks\n");
	put("tools/hooks/post-index-change", "#!/bin/sh\n");
	expect(await outcomeOf(ask, bash("git status"))).toBe("ask");
});

test("in a project that the user trusts its own repository is not asked about, and another one inside is", async () => {
	repository("[core]\n\tfsmonitor = ./watch\n");
	repository("[core]\n\tfsmonitor = ./evil\n", "sub");
	expect(await outcomeOf({ ...ask, isTrusted: true }, bash("git status"))).toBe("allow");
	expect(await outcomeOf({ ...ask, isTrusted: true }, bash("git -C sub status"))).toBe("ask");
});
