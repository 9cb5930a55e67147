/** Without a boundary, git runs unasked only in a repository of the kind that git makes, with settings from a closed list. */
import { afterEach, beforeEach, expect } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import {
	answering,
	bash,
	fixture,
	outcomeOf,
	useDirectories,
	type Setup,
} from "../../../../test/support/policy.ts";

const test = needs("git");
let base = "";
let home = "";
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-kinds-test-")));
	({ home, project } = useDirectories(base));
	setUp("git init -q -b main . && echo a > a && mkdir src && git add a && git commit -qm one");
	setUp("mkdir -p ~/.ssh && echo secret > ~/.netrc && echo key > ~/.ssh/id_rsa && cp a evil");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function setUp(script: string): void {
	const identity = "git config --global user.name a; git config --global user.email a@example.org;";
	const run = Bun.spawnSync(
		["bash", "-ec", `export HOME=${home} GIT_CONFIG_NOSYSTEM=1; ${identity} ${script}`],
		{
			cwd: project,
			stderr: "pipe",
		},
	);
	if (run.exitCode !== 0) throw new Error(`${script}: ${run.stderr.toString()}`);
}

const auto: Setup = { mode: "auto", boundary: "none" };

async function expectOutcome(outcome: "allow" | "ask", commands: readonly string[]): Promise<void> {
	for (const command of commands)
		expect([command, await outcomeOf(auto, bash(command))]).toEqual([command, outcome]);
}

const reading = ["git status", "git log -p", "git diff", "git show", "git blame a", "git add a"];

const ordinary: Readonly<Record<string, string>> = {
	"one that was just made": "true",
	"a clone":
		"mkdir ../o && mv .git a evil src ../o && git clone -q ../o x && mv x/.git x/a . && rmdir x && git status",
	"a shallow clone": "mv .git ../o && git clone -q --depth 1 file://$PWD/../o x && mv x/.git .",
	"a linked worktree": "git worktree add -q ../w && mv .git ../m && mv ../m .git && git -C ../w status",
	"a merge that is not finished":
		"git checkout -q -b x && echo x > a && git commit -qam x && git checkout -q main && echo y > a && git commit -qam y && (git merge -q x || true)",
	"a rebase that is not finished":
		"git checkout -q -b x && echo x > a && git commit -qam x && git checkout -q main && echo y > a && git commit -qam y && (git rebase -q x || true)",
	"a submodule":
		"git init -q ../s && git -C ../s commit -q --allow-empty -m s && git -c protocol.file.allow=always submodule --quiet add ../s sub && git commit -qm sub",
	"hooks of the user": "printf '#!/bin/sh\\n' > hook && ln -s ../../hook .git/hooks/pre-commit",
	"settings of gh and VS Code":
		"git config remote.origin.url x && git config remote.origin.gh-resolved base && git config branch.main.vscode-merge-base origin/main && git config branch.main.remote origin",
	"settings of husky":
		"mkdir -p .husky/_ && echo > .husky/_/pre-commit && git config core.hooksPath .husky/_",
	"settings of many others":
		"git config pull.rebase true && git config user.signingkey x && git config commit.gpgsign true && git config core.autocrlf input && git config diff.algorithm histogram && git config lfs.repositoryformatversion 0 && git config color.ui auto",
	"a list of what blame leaves out":
		"echo > .git-blame-ignore-revs && git config blame.ignoreRevsFile .git-blame-ignore-revs && git config --global blame.ignoreRevsFile .git-blame-ignore-revs",
	"settings of the user":
		"git config --global core.pager delta && git config --global interactive.diffFilter 'delta --color-only' && git config --global safe.directory $PWD && git config --global alias.x '!./evil' && git config --global filter.lfs.process 'git-lfs filter-process' && git config --global core.hooksPath ~/hooks && git config --global format.pretty '%h %s' && git config --global gpg.program /usr/bin/gpg && git config --global diff.jpg.textconv exiftool",
};

test.each(Object.keys(ordinary))("git runs unasked in %s", async (name) => {
	setUp(ordinary[name] ?? "");
	await expectOutcome("allow", reading);
});

test("git runs unasked in a worktree and in a submodule", async () => {
	setUp("git worktree add -q wt && git init -q ../s && git -C ../s commit -q --allow-empty -m s");
	setUp("git -c protocol.file.allow=always submodule --quiet add ../s sub");
	await expectOutcome("allow", ["git -C wt log -p", "cd wt && git status", "git -C sub log -p"]);
});

const unusual: Readonly<Record<string, string>> = {
	"an empty .git beside what is in one": "mv .git g && mv g/* . && rmdir g && mkdir .git",
	"a .git that leads nowhere beside what is in one": "mv .git g && mv g/* . && rmdir g && ln -s nowhere .git",
	"what is in a .git beside it": "cp -r .git/HEAD .git/objects .git/refs .",
	"a .git that is a link": "mv .git g && ln -s g .git",
	"a .git file that leads through a link":
		"mv .git g && mkdir -p ../o/x && ln -s ../o/x l && echo 'gitdir: l/../g' > .git",
	"a HEAD with a space before it": "echo ' ref: refs/heads/main' > .git/HEAD",
	"the shared directory of another": "cp -r .git ../o && echo ../../o > .git/commondir",
	"settings that are a link": "ln -sf ~/.netrc .git/config",
	"further settings that are a link":
		"git config extensions.worktreeConfig true && ln -s ~/.netrc .git/config.worktree",
	"refs that are a link": "ln -s ~/.netrc .git/packed-refs",
	"the state of a rebase that is a link": "mkdir .git/rebase-merge && ln -s ~/.netrc .git/rebase-merge/done",
	"the place of a worktree that is a link":
		"git worktree add -q ../w && ln -sf ~/.netrc .git/worktrees/w/gitdir",
	"objects elsewhere that are a link": "ln -s ~/.netrc .git/objects/info/alternates",
	"objects of another repository":
		"git init -q ../o && echo $PWD/../o/.git/objects > .git/objects/info/alternates",
	"signatures that are shown": "git config log.showSignature true",
	"signatures in the format": "git config format.pretty %G?",
	"a format of its own name": "git config pretty.x %G? && git config format.pretty x",
	"diffs of other repositories": "git config diff.submodule diff",
	"summaries of other repositories": "git config status.submoduleSummary true",
	"settings that are included": "git config include.path ~/.pypirc",
	"settings that are included if": "git config includeIf.gitdir:/.path ~/.pypirc",
	"a list for blame that is elsewhere": "git config blame.ignoreRevsFile ~/.netrc",
	"a list for blame that is a link": "ln -s ~/.netrc l && git config blame.ignoreRevsFile l",
	"attributes that are elsewhere": "git config core.attributesFile ~/.netrc",
	"patterns that are elsewhere": "git config core.excludesFile ~/.netrc",
	"patterns in a directory that only git knows": "git config core.excludesFile '%(prefix)/../root/x'",
	"hooks in a directory that only git knows": "git config core.hooksPath '%(prefix)/x'",
	"a monitor that is a word only without its space": "git config core.fsmonitor 'true '",
	"an extension of git-lfs": "git config lfs.extension.x.clean ./evil",
	"a comment that ends where git does not know of":
		"printf '[core]\\n# \\xe2\\x80\\xa8[gui]\\nfsmonitor = ./evil\\n' > .git/config",
	"a setting that nobody knows": "git config core.new ./evil",
	"a list for blame, of the user, that is a link":
		"ln -s ~/.netrc .git-blame-ignore-revs && git config --global blame.ignoreRevsFile .git-blame-ignore-revs",
	"hooks, by the user's settings":
		"mkdir .githooks && cp evil .githooks/post-index-change && git config --global core.hooksPath .githooks",
	"a monitor, by the user's settings": "git config --global core.fsmonitor ./mon",
	"a converter, by the user's settings": "git config --global diff.foo.textconv 'sh tools/conv'",
	"a module of python, by the user's settings": "git config --global core.fsmonitor 'python3 -m mon'",
	"a script for a shell, by the user's settings": "git config --global core.fsmonitor 'sh mon'",
	"a program that only a shell knows, by the user's settings":
		"git config --global diff.foo.textconv '$(git rev-parse --show-toplevel)/conv'",
	"objects that are links": "mkdir ../o && mv .git/objects/* ../o && ln -s $PWD/../o/* .git/objects",
	"a converter with its whole path, by the user's settings": "git config --global diff.foo.command $PWD/conv",
	"settings of the user that are a loop of links": "rm ~/.gitconfig && ln -s .gitconfig ~/.gitconfig",
	"settings of the project, by the user's":
		"git config --global include.path $PWD/gitconfig && printf '[core]\\nfsmonitor = ./evil\\n' > gitconfig",
	"hooks above what a link leads to":
		"mkdir -p d/e/f d/e/hooks && ln -s d/e/f l && git config core.hooksPath l/../hooks",
	"a work tree above what a link leads to": "ln -s ~/.ssh k && git config core.worktree ../k/..",
	"a list for blame above what a link leads to":
		"ln -s ~/.ssh k && git config blame.ignoreRevsFile k/../.netrc",
	"objects above what a link leads to": "ln -s ~/.ssh al && echo $PWD/al/../o > .git/objects/info/alternates",
	"settings of the user above what a link leads to":
		"mkdir -p d/e/f && ln -s d/e/f l && git config --global include.path $PWD/l/../inc",
	"objects of another repository, named in quotes":
		"git init -q ../o && printf '\"%s/../o/.git/obj\\\\145cts\"\\n' $PWD > .git/objects/info/alternates",
	"objects in the project that are those of another repository":
		"git init -q ../o && mkdir -p q/info && echo $PWD/../o/.git/objects > q/info/alternates && echo $PWD/q > .git/objects/info/alternates",
	"hooks in a directory whose name is not text": "git config core.hooksPath $'\\xff'",
	"a list for blame whose name is not text": "git config blame.ignoreRevsFile $'\\xff'",
	"a filter of git-lfs, which an alias replaces where it is not installed":
		"git config alias.lfs '!./evil' && git config filter.x.clean 'git lfs clean -- %f'",
	"a program of git for the user's settings, which an alias replaces":
		"git config alias.fsm '!./evil' && git config --global core.fsmonitor 'git fsm'",
	"a worktree whose name is not text":
		"git worktree add -q ../w && mv .git/worktrees/w $'.git/worktrees/\\xff'",
	"a repository whose name is no ASCII":
		"git init -q é && git -C é commit -q --allow-empty -m s && git add é 2>&1 && git -C é config core.fsmonitor ./evil",
};

test.each(Object.keys(unusual))("git is asked about where the repository has %s", async (name) => {
	setUp(unusual[name] ?? "");
	await expectOutcome("ask", ["git status", "git log -p", "git blame a"]);
	expect(await outcomeOf({ ...auto, mode: "plan" }, bash("git log -p"))).not.toBe("allow");
	expect(await outcomeOf({ mode: "auto", boundary: "sandbox" }, bash("git log -p"))).toBe("allow");
});

test("regression: git is asked about where the same command may add a repository whose name is not text", async () => {
	setUp("git init -q $'\\xff' && git -C $'\\xff' commit -q --allow-empty -m s");
	await expectOutcome("ask", ["git add -A && git status"]);
	await expectOutcome("allow", ["git status"]);
});

test("regression: so it is where there are too many files to look for repositories", async () => {
	setUp("mkdir many && cd many && seq 1 6000 | xargs touch");
	await expectOutcome("ask", ["git add -A && git status"]);
	await expectOutcome("allow", ["git status"]);
});

test("regression: files whose names are not text are searched where they are tracked, and not in directories with such names", async () => {
	setUp("printf x > $'\\xff' && git add -A && git commit -qm bytes");
	await expectOutcome("allow", ["git grep x", "git status"]);
	setUp("mkdir $'\\xfe' && echo x > $'\\xfe/id_rsa' && git add -A");
	await expectOutcome("ask", ["git grep x"]);
	await expectOutcome("allow", ["git status"]);
});

const gitlink =
	"git init -q m && git -C m commit -q --allow-empty -m o && mkdir q && git update-index --add --cacheinfo 160000,$(git -C m rev-parse HEAD),q";

test.each([
	[
		"is longer than Tau reads",
		"printf 'gitdir: ../m/.git' > q/.git && head -c 100000 /dev/zero | tr '\\0' '\\n' >> q/.git",
	],
	[
		"ends in a letter that is no blank for git",
		"mv m/.git $'q/\\u00a0' && printf 'gitdir: \\u00a0' > q/.git",
	],
])("regression: git is asked about where the .git file of a submodule %s", async (_, odd) => {
	setUp(`${gitlink} && ${odd}`);
	await expectOutcome("ask", ["git status", "git diff", "git add -A && git status"]);
});

test("regression: git is asked about where the repository of a submodule without a working tree is another one", async () => {
	setUp(`${gitlink} && git init -q ../o && mkdir .git/modules`);
	await expectOutcome("allow", ["git grep --cached x"]);
	setUp("ln -s $PWD/../o/.git .git/modules/q");
	await expectOutcome("ask", ["git grep --cached x"]);
	setUp(
		"rm .git/modules/q && git init -q --bare .git/modules/q && echo $PWD/../o/.git/objects > .git/modules/q/objects/info/alternates",
	);
	await expectOutcome("ask", ["git grep --cached x"]);
});

test("regression: git grep is asked about where a link is in the place of a tracked directory of a submodule", async () => {
	setUp(
		"git init -q s && mkdir s/d && echo x > s/d/id_rsa && git -C s add d && git -C s commit -qm d && git add s 2>&1",
	);
	await expectOutcome("allow", ["git grep x"]);
	setUp("mv s/d s/e && ln -s ~/.ssh s/d");
	await expectOutcome("ask", ["git grep x", "git grep --recurse-submodules x"]);
});

test("regression: a path behind `--` that looks like a revision is read as the file that it is", async () => {
	setUp("ln -s ~/.ssh 1:k && ln -s ~/.ssh a:k");
	await expectOutcome("ask", ["git diff HEAD:a -- :1:k/id_rsa", "git diff HEAD:a -- :a:k/id_rsa"]);
	await expectOutcome("allow", ["git show HEAD:a", "git diff HEAD:a -- :1:src/a"]);
});

test("regression: git diff is asked about where a link is above a file in conflict", async () => {
	setUp("mkdir q && echo x > q/id_rsa && git add q && git commit -qm q");
	setUp("mv q r && ln -s ~/.ssh q");
	await expectOutcome("allow", ["git diff", "git status"]);
	setUp(
		`h=$(git rev-parse HEAD:q/id_rsa) && git rm -q --cached q/id_rsa && for s in 1 2 3; do printf "100644 $h $s\\tq/id_rsa\\n"; done | git update-index --index-info`,
	);
	await expectOutcome("ask", ["git diff", "git diff --cc"]);
});

function changeIndex(change: (index: Buffer) => Buffer): void {
	const file = join(project, ".git/index");
	const index = change(readFileSync(file)).subarray(0, -20);
	writeFileSync(file, Buffer.concat([index, createHash("sha1").update(index).digest()]));
}

test("regression: git is asked about where its threads would find other entries in the index", async () => {
	const entries = `seq 1 20000 | sed "s/.*/100644 $(git hash-object a)\\tp&/"`;
	setUp(`git config index.threads 2 && ${entries} | git update-index --index-info`);
	await expectOutcome("allow", ["git status -uno"]);
	changeIndex((index) => {
		const table = index.lastIndexOf("IEOT");
		expect(table).toBeGreaterThan(0);
		index.writeUInt32BE(index.readUInt32BE(table + 12) + 8, table + 12);
		return index;
	});
	await expectOutcome("ask", ["git status -uno", "git diff --stat"]);
});

test("regression: git is asked about where its index has a repository of a mode that git does not write", async () => {
	setUp(`${gitlink} && git init -q q && git -C q config core.fsmonitor ./evil`);
	await expectOutcome("ask", ["git status"]);
	changeIndex((index) => {
		const mode = index.indexOf(Buffer.from([0, 0, 0xe0, 0]));
		index.writeUInt32BE(0o160755, mode);
		return index;
	});
	await expectOutcome("ask", ["git status", "git diff"]);
	setUp("rm -rf q/.git");
	await expectOutcome("ask", ["git status"]);
});

test.each(["../home/.netrc", ".git/../.netrc", "/home/u/.netrc", "d//x"])(
	"regression: git is asked about where its index has the path %s",
	async (path) => {
		const plain = "p".repeat(path.length);
		setUp(`echo x > ${plain} && git add ${plain}`);
		await expectOutcome("allow", ["git diff", "git status"]);
		changeIndex((index) => Buffer.from(index.toString("latin1").replace(plain, path), "latin1"));
		await expectOutcome("ask", ["git diff", "git status", "git grep x", "git add -u"]);
	},
);

test("regression: what a link in the place of .git/hooks leads to is not changed unasked", async () => {
	setUp("rm -r .git/hooks && mkdir -p scripts && ln -s ../scripts .git/hooks");
	await expectOutcome("ask", ["cp a scripts/pre-commit", "printf x > scripts/pre-push", "mv scripts other"]);
	await expectOutcome("allow", ["cp a src/pre-commit"]);
});

test("the question names the setting", async () => {
	setUp("git config core.new ./evil");
	const made = await fixture(auto);
	const shown = answering(made, undefined);
	await made.judge(bash("git status"));
	expect(JSON.stringify(shown)).toContain("the setting core.new in");
});

test("a .git of a directory inside that git does not take for one is asked about", async () => {
	setUp("mkdir -p sub/.git");
	await expectOutcome("ask", ["git -C sub status", "cd sub && git log -p"]);
	await expectOutcome("allow", ["git status"]);
});

test("a command may not change what git then uses", async () => {
	setUp(
		"mkdir -p x/git && printf '[core]\\nfsmonitor = ./evil\\n' > x/git/inc && ln -s ~/.netrc l && cp evil mon2",
	);
	setUp("git config --global blame.ignoreRevsFile revs && git config --global include.path $PWD/cfg/git/inc");
	await expectOutcome("allow", ["git blame a", "mv mon2 mon3 && git blame a"]);
	await expectOutcome("ask", [
		"mv x cfg && git status",
		"mv l revs && git blame a",
		"cp evil revs && git blame a",
	]);
});

test("so too behind a link", async () => {
	setUp("mkdir -p real/hooks && ln -s real l && git config core.hooksPath l/hooks");
	await expectOutcome("allow", ["git status"]);
	await expectOutcome("ask", ["cp evil real/hooks/post-index-change && git status"]);
});

test("diffs of repositories that only the history names are asked about where the user shows them", async () => {
	setUp("git config --global diff.submodule diff");
	await expectOutcome("allow", ["git log -p", "git diff", "git status"]);
	setUp("git init -q old/sub && git -C old/sub config diff.external ./evil");
	await expectOutcome("ask", ["git log -p", "git diff HEAD~ HEAD"]);
	await expectOutcome("allow", ["git status"]);
});

test("the history of a repository that contains secrets is asked about", async () => {
	setUp(
		"git init -q ~ && ln -s ~ hm && ln -s ~/.ssh k && git init -q ~/.ssh && mkdir -p ~/other && git init -q ~/other",
	);
	await expectOutcome("ask", ["git -C hm log -p", "cd hm && git show", "git -C k log -p", "git -C ~ diff"]);
	setUp("mkdir wt && echo 'gitdir: ../../home/.git' > wt/.git");
	await expectOutcome("ask", ["git -C wt log -p"]);
	await expectOutcome("allow", ["cd ~/other && git log -p", "git -C hm branch -a"]);
});
