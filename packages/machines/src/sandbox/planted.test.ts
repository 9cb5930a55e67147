/** What a command plants in the project for a later git of the user, outside: git runs none of it. */
import { expect } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { samples } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import { limits } from "./limits.ts";
import { neededPrograms, sandboxFixture, type SandboxFixture } from "./testing/sandbox-fixture.ts";
import { evil, gitRuns } from "./testing/user-git.ts";

const planted = needs(...neededPrograms, "git");

const attempts: Readonly<Record<string, readonly [command: string, directory: string]>> = {
	"a repository below": ["git init -q sub; evil sub/.git", "sub"],
	"a repository deep below": ["git init -q a/b/c/d; evil a/b/c/d/.git", "a/b/c/d"],
	"a bare repository": ["git init -q --bare sub; evil sub; git -C sub config core.bare true", "sub"],
	"a bare repository in a directory of the project": ["git init -q --bare src; evil src", "src"],
	"a directory that a file leads to": [
		"git init -q --bare .git/hidden; evil .git/hidden; git config -f .git/hidden/config core.bare false; mkdir sub; echo 'gitdir: ../.git/hidden' > sub/.git",
		"sub",
	],
	"a directory that a link leads to": [
		"git init -q --bare .git/hidden; evil .git/hidden; git config -f .git/hidden/config core.bare false; mkdir sub; ln -s ../.git/hidden sub/.git",
		"sub",
	],
	"settings that are a link": [
		"git init -q sub; evil sub/.git; mv sub/.git/config cfg; ln -s ../../cfg sub/.git/config",
		"sub",
	],
	"settings in a directory that was made read-only": [
		"git init -q sub; evil sub/.git; chmod 444 sub/.git/config; chmod 555 sub/.git/hooks sub/.git",
		"sub",
	],
	"hooks in a directory that cannot be listed": [
		"git init -q sub; evil sub/.git; chmod 111 sub/.git/hooks",
		"sub",
	],
	"hooks among more files than we look at": [
		"git init -q sub; evil sub/.git; for i in $(seq 300); do : > sub/.git/hooks/zz$i; done",
		"sub",
	],
	"a repository in a directory that cannot be listed": [
		"mkdir above; git init -q above/sub; evil above/sub/.git; chmod 111 above above/sub",
		"above/sub",
	],
	"a repository beside one that was closed": ["git init -q sub; evil sub/.git; chmod 000 .git", "sub"],
	"a directory that shares the configuration of another": [
		'git init -q --bare .git/hidden; evil .git/hidden; mkdir sub; git init -q other; echo "$PWD/.git/hidden" > other/.git/commondir',
		"other",
	],
};

for (const [name, [command, directory]] of Object.entries(attempts))
	planted(`git runs nothing of ${name}`, async () => {
		await using box = await sandboxFixture({
			prepare(cwd) {
				mkdirSync(join(cwd, "src"));
				Bun.spawnSync(["git", "init", "-q"], { cwd });
			},
		});
		await box.run(`${evil(box)}; ${command}`);
		expect(existsSync(join(box.cwd, directory))).toBe(true);
		expect(gitRuns(box, directory)).toBe(false);
		expect(box.sandbox.disarmed().length).toBeGreaterThan(0);
		// What a later command plants in the same repository.
		await box.run(
			`${evil(box)}; for each in $(find . -name HEAD -not -path ./.git/HEAD); do evil "\${each%/HEAD}"; done`,
		);
		expect(gitRuns(box, directory)).toBe(false);
	});

/** Settings of the user's repository that name what does not exist: a command could make it. */
const named: Readonly<Record<string, readonly [setting: string, value: string, command: string]>> = {
	"settings of a worktree": [
		"extensions.worktreeConfig",
		"true",
		"evil made; mv made/config .git/config.worktree",
	],
	"a file that is included": ["include.path", "../included", "evil made; mv made/config included"],
	"a directory for hooks": ["core.hooksPath", "own-hooks", "evil made; mv made/hooks own-hooks"],
};

for (const [name, [setting, value, command]] of Object.entries(named))
	planted(`git runs nothing of ${name} that did not exist`, async () => {
		await using box = await sandboxFixture({
			prepare(cwd) {
				Bun.spawnSync(["git", "init", "-q"], { cwd });
				Bun.spawnSync(["git", "config", setting, value], { cwd });
			},
		});
		await box.run(`${evil(box)}; ${command}`);
		expect(gitRuns(box, ".")).toBe(false);
		expect(box.sandbox.disarmed().length).toBeGreaterThan(0);
	});

planted("Mercurial and other systems run nothing of new settings in a directory below", async () => {
	await using box = await sandboxFixture({
		prepare: (cwd) => void mkdirSync(join(cwd, "own/two/.hg"), { recursive: true }),
	});
	const names = [
		".hg/hgrc",
		".sl/config",
		".jj/repo/config.toml",
		".jj/workspace-config.toml",
		".pijul/config",
	];
	const made = [...names.map((name) => `new/deep/down/${name}`), "own/two/.hg/hgrc", ".exrc"];
	const evilSettings = "printf '[alias]\\nstatus = !evil\\n'";
	await box.run(made.map((name) => `mkdir -p $(dirname ${name}); ${evilSettings} > ${name}`).join("; "));
	await box.run("mkdir -p clone/.hg; printf '[paths]\\ndefault = ../other\\n' > clone/.hg/hgrc");
	await box.run("mkdir -p dots/.jj/repo; echo 'ui.pager = [\"evil\"]' > dots/.jj/repo/config.toml");
	expect([...made, "dots/.jj/repo/config.toml"].filter((name) => existsSync(join(box.cwd, name)))).toEqual(
		[],
	);
	expect(readFileSync(join(box.cwd, "clone/.hg/hgrc"), "utf8")).toContain("default");
	await box.run(
		"mkdir -p away led; mv clone/.hg away/x; ln -s ../away/x led/.hg; printf '[alias]\\nst = !x\\n' > away/x/hgrc",
	);
	expect(existsSync(join(box.cwd, "led/.hg"))).toBe(false);
});

planted("regression: Mercurial runs nothing of repositories that its own can lead to", async () => {
	await using box = await sandboxFixture({
		prepare(cwd) {
			for (const name of [".hg", "node_modules/old/.hg"]) mkdirSync(join(cwd, name), { recursive: true });
			writeFileSync(join(cwd, "node_modules/old/.hg/hgrc"), "[alias]\nst = !own\n");
		},
	});
	const inner = ["node_modules/x", "a/node_modules/y/node_modules/z"];
	const evilSettings = "printf '[hooks]\nupdate = evil\n'";
	await box.run(inner.map((name) => `mkdir -p ${name}/.hg; ${evilSettings} > ${name}/.hg/hgrc`).join("; "));
	expect(inner.filter((name) => existsSync(join(box.cwd, name, ".hg/hgrc")))).toEqual([]);
	expect(existsSync(join(box.cwd, "node_modules/old/.hg/hgrc"))).toBe(true);
	const paths = { kept: "../x", host: "https://hg.example/r", ssh: "ssh://-oProxyCommand=x/r", code: "$(x)" };
	for (const [name, value] of Object.entries(paths))
		await box.run(`mkdir -p ${name}/.hg; printf '[paths]\ndefault = %s\n' '${value}' > ${name}/.hg/hgrc`);
	const left = Object.keys(paths).filter((name) => existsSync(join(box.cwd, name, ".hg/hgrc")));
	expect(left).toEqual(["kept", "host"]);
});

planted("regression: settings of Mercurial lead to no repository in the cache of commands", async () => {
	const cacheDir = mkdtempSync(join(homedir(), ".tau-cache-"));
	try {
		await using box = await sandboxFixture({ cacheDir });
		await box.run(
			`mkdir -p c/.hg ${cacheDir}/r/.hg; printf '[paths]\ndefault = ${cacheDir}/r\n' > c/.hg/hgrc`,
		);
		expect(existsSync(join(cacheDir, "r/.hg"))).toBe(true);
		expect(existsSync(join(box.cwd, "c/.hg/hgrc"))).toBe(false);
	} finally {
		rmSync(cacheDir, { recursive: true, force: true });
	}
});

planted("git runs nothing of the last of many repositories", async () => {
	await using box = await sandboxFixture({});
	const others = "mkdir -p j{1..205}/.git; for i in j*; do echo ref: refs/heads/m > $i/.git/HEAD; done";
	await box.run(`${others}; mkdir zz`);
	await box.run(`${evil(box)}; git init -q zz/sub; evil zz/sub/.git`);
	expect(gitRuns(box, "zz/sub")).toBe(false);
});

planted(
	"no file outside is changed through a link in the place of a repository that is disarmed",
	async () => {
		await using box = await sandboxFixture({
			files: { "home/own/config": "[alias]\n\tx = !own\n" },
			prepare: (cwd) => void Bun.spawnSync(["git", "init", "-q"], { cwd }),
		});
		const swap = `git init -q sub; evil sub/.git; ln -s ${box.home}/own other; perl -e 'for (1 .. 20000) { syscall(316, -100, "sub/.git", -100, "other", 2) }'`;
		await box.run(`${evil(box)}; (${swap}) >/dev/null 2>&1 &`);
		for (let turn = 0; turn < samples(40); turn++) await box.run("true");
		expect(readFileSync(join(box.home, "own/config"), "utf8")).toBe("[alias]\n\tx = !own\n");
	},
);

planted("git runs nothing that a process plants after its command has ended", async () => {
	await using box = await sandboxFixture({});
	const loop =
		"until [ -e go ]; do sleep 0.02; done; git init -q sub; evil sub/.git; touch done; exec sleep 100";
	await box.run(
		`${evil(box)}; export -f evil; (setsid env -i PATH="$PATH" "BASH_FUNC_evil%%=() { $(declare -f evil | tail -n +3)" bash -c '${loop}' >/dev/null 2>&1 &)`,
	);
	writeFileSync(join(box.cwd, "go"), "");
	while (!existsSync(join(box.cwd, "done"))) await Bun.sleep(5);
	const hook = join(box.cwd, "sub/.git/hooks/pre-commit");
	// Found while the process runs, without another command.
	const config = join(box.cwd, "sub/.git/config");
	while ((statSync(hook).mode & 0o111) !== 0 || readFileSync(config, "utf8").includes("run"))
		await Bun.sleep(5);
	expect(gitRuns(box, "sub")).toBe(false);
});

planted("what is planted last is disarmed when the session ends", async () => {
	const outside = await sandboxFixture({});
	await outside.run(`${evil(outside)}; git init -q sub`);
	// As long as a process of a command runs, the next look is due.
	await outside.run(
		`${evil(outside)}; (setsid sleep 100 >/dev/null 2>&1 &); cp run sub/.git/hooks/pre-commit`,
	);
	writeFileSync(join(outside.cwd, "sub/.git/hooks/pre-push"), "#!/bin/sh\n", { mode: 0o755 });
	await outside.session[Symbol.asyncDispose]();
	await outside.sandbox[Symbol.asyncDispose]();
	expect(statSync(join(outside.cwd, "sub/.git/hooks/pre-push")).mode & 0o111).toBe(0);
	await outside[Symbol.asyncDispose]();
});

planted(
	"a rebase in progress loses the programs that a command puts into it, and keeps the user's",
	async () => {
		const todo = (box: SandboxFixture, directory = ""): string =>
			readFileSync(join(box.cwd, directory, ".git/rebase-merge/git-rebase-todo"), "utf8");
		await using box = await sandboxFixture({
			prepare(cwd) {
				const git = (...args: string[]): unknown =>
					Bun.spawnSync(["git", "-c", "user.name=u", "-c", "user.email=u@e", ...args], { cwd });
				git("init", "-q");
				for (const name of ["one", "two", "three"]) git("commit", "-q", "--allow-empty", "-m", name);
				git("rebase", "-x", "echo mine; false", "HEAD~2");
			},
		});
		expect(todo(box)).toContain("exec echo mine");
		await box.run("true");
		expect(todo(box)).toContain("exec echo mine");
		const { text } = await box.run(
			"cd .git/rebase-merge && printf 'exec touch evil\\n x touch evil\\npick 0\\n' >> git-rebase-todo; cat git-rebase-todo; cd ../..",
		);
		expect(text).toContain("x touch evil");
		expect(todo(box)).not.toContain("evil");
		expect(todo(box)).toContain("exec echo mine");
		expect(todo(box)).toContain("pick 0");
		expect(
			box.sandbox
				.disarmed()
				.map(({ what }) => what)
				.join(),
		).toContain("lost its lines with exec");
		await box.run(
			"cd .git && mv rebase-merge ../moved && printf 'exec touch evil\\n' > ../moved/git-rebase-todo; ln -s ../moved rebase-merge; cd ..",
		);
		expect(existsSync(join(box.cwd, ".git/rebase-merge"))).toBe(false);
		await box.run(
			"git init -q sub; mkdir sub/.git/rebase-merge; echo 'exec touch evil' > sub/.git/rebase-merge/git-rebase-todo",
		);
		expect(todo(box, "sub")).not.toContain("evil");
	},
);

planted(
	"repositories of the user stay as they are, and clones, submodules and worktrees of commands work",
	async () => {
		await using box = await sandboxFixture({
			prepare(cwd) {
				const git = (...args: string[]): unknown => Bun.spawnSync(["git", ...args], { cwd });
				git("init", "-q");
				git("init", "-q", "mine/a/b/c");
				git("-C", "mine/a/b/c", "config", "alias.st", "!true");
				mkdirSync(join(cwd, "mine/a/b/c/.git/hooks"), { recursive: true });
				writeFileSync(join(cwd, "mine/a/b/c/.git/hooks/pre-commit"), "#!/bin/sh\n", { mode: 0o755 });
			},
		});
		const { text, outcome } = await box.run(`set -e
export GIT_AUTHOR_NAME=u GIT_AUTHOR_EMAIL=u@e GIT_COMMITTER_NAME=u GIT_COMMITTER_EMAIL=u@e
git commit -q --allow-empty -m one
git clone -q . clone
git -C clone commit -q --allow-empty -m two
git -c protocol.file.allow=always submodule --quiet add ./clone module
git worktree add -q tree`);
		expect({ text, outcome }).toMatchObject({ outcome: { exitCode: 0 } });
		const next = await box.run(
			"git -C clone push -q origin HEAD:refs/heads/pushed && git -C module status -s && git -C tree log --oneline && git -C module rev-parse --show-toplevel",
		);
		expect(next.text).toContain("one");
		expect(next.text).toEndWith(`${realpathSync(join(box.cwd, "module"))}\n`);
		expect(readFileSync(join(box.cwd, "mine/a/b/c/.git/config"), "utf8")).toContain("st = !true");
		expect(statSync(join(box.cwd, "mine/a/b/c/.git/hooks/pre-commit")).mode & 0o111).not.toBe(0);
	},
);

planted(
	"a subshell that a command leaves behind is watched like a program, and an idle shell is not",
	async () => {
		await using box = await sandboxFixture({
			prepare: (cwd) => void Bun.spawnSync(["git", "init", "-q", "sub"], { cwd }),
		});
		for (const command of ["true", "(true)", "x=$(echo a); cat < <(echo b)"]) {
			await box.run(command);
			expect([command, box.session.hasLeftovers]).toEqual([command, false]);
		}
		// It uses builtins of the shell only, and is started by one that has ended.
		await box.run(
			"git init -q new; mkfifo go; ( ( read -r _ <> go; printf '[alias]\\nst = !x\\n' >> new/.git/config; read -r _ <> go ) & ) > /dev/null 2>&1",
		);
		expect(box.session.hasLeftovers).toBe(true);
		const config = join(box.cwd, "new/.git/config");
		writeFileSync(join(box.cwd, "go"), "\n");
		await until(() => readFileSync(config, "utf8").includes("st"));
		await until(() => !readFileSync(config, "utf8").includes("st"));
		writeFileSync(join(box.cwd, "go"), "\n");
		await until(() => !box.session.hasLeftovers);
	},
);

planted(
	"a rebase that is at work when the look after the command before comes due keeps its commands",
	async () => {
		await using box = await sandboxFixture({
			prepare: (cwd) =>
				void Bun.spawnSync(
					[
						"sh",
						"-c",
						"git init -q; git config user.name a; git config user.email a@b; for i in 1 2 3; do git commit -q --allow-empty -m $i; done",
					],
					{ cwd },
				),
		});
		await box.run("true");
		// Each command of the rebase takes longer than until that look.
		await box.run(`git rebase -q --exec 'echo x >> done; sleep ${(2 * limits.leftoverMs) / 1000}' HEAD~2`);
		expect(readFileSync(join(box.cwd, "done"), "utf8")).toBe("x\nx\n");
	},
);

async function until(holds: () => boolean): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!holds() && performance.now() < deadline) await Bun.sleep(10);
	expect(holds()).toBe(true);
}
