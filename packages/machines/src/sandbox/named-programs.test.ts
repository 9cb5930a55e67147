/** Files of the project that git runs because the user's settings or hooks lead to them: commands can neither change nor make them. */
import { describe, expect, test } from "bun:test";
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { settingsIn } from "./git-settings.ts";
import { gitUser } from "./git-user.ts";
import { programsIn } from "./named-programs.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";
import { evil, gitRuns } from "./testing/user-git.ts";

interface Attempt {
	/** Run by the user before, in the project. */
	readonly prepare: string;
	readonly command: string;
	/** What the user does then. */
	readonly git?: readonly (readonly string[])[];
}

const script = (path: string): string =>
	`mkdir -p $(dirname ${path}); printf '#!/bin/sh\\ntrue\\n' > ${path}; chmod +x ${path};`;
const tool = "cp run t/f";
const filtered = `${script("t/f")} echo '*.c filter=x diff=x' > .gitattributes; echo 1 > a.c; git add .; git -c user.name=u -c user.email=u@e commit -qm 1;`;

const attempts: Readonly<Record<string, Attempt>> = {
	"a hook that is a link": {
		prepare: `${script("t/f")} ln -s ../../t/f .git/hooks/pre-commit`,
		command: tool,
	},
	"a hook that is a link to what does not exist": {
		prepare: "ln -s ../../t/f .git/hooks/pre-commit",
		command: `mkdir -p t; ${tool}`,
	},
	"a hook that is a link through others": {
		prepare: `${script("real/f")} ln -s real t; ln -s f real/g; ln -s ../../t/g .git/hooks/pre-commit`,
		command: `cp run real/f; rm -f real/g; cp run real/g; rm -f t; mkdir t; cp run t/g`,
	},
	"a link in a directory for hooks": {
		prepare: `${script("t/f")} mkdir own; ln -s ../t/f own/pre-commit; git config core.hooksPath own`,
		command: tool,
	},
	"a directory for hooks that is a link": {
		prepare: "rm -r .git/hooks; ln -s ../t .git/hooks",
		command: "mkdir -p t; cp run t/pre-commit",
	},
	"a program that watches files": {
		prepare: `${script("t/f")} git config core.fsmonitor t/f`,
		command: tool,
	},
	"one that does not exist": { prepare: "git config core.fsmonitor t/f", command: `mkdir -p t; ${tool}` },
	"one that is a link": {
		prepare: `${script("real/f")} mkdir t; ln -s ../real/f t/f; git config core.fsmonitor t/f`,
		command: `cp run real/f; rm -f t/f; ${tool}`,
	},
	"one behind a link that leads into the project": {
		prepare: `${script("t/f")} ln -s "$PWD" ../home/p; git config core.fsmonitor '~/p/t/f'`,
		command: `cp run t/f; mv t t2; mkdir t; ${tool}`,
	},
	"one behind a link to a directory": {
		prepare: `${script("real/f")} ln -s real t; git config core.fsmonitor t/f`,
		command: `cp run real/f; rm -f t; mkdir t; ${tool}; mv real r2; mkdir real; cp run real/f`,
	},
	"a filter": {
		prepare: `${filtered} git config filter.x.clean "t/f %f"`,
		command: `${tool}; echo 2 > a.c`,
	},
	"a script of a filter": {
		prepare: `${filtered} git config filter.x.clean "sh -e f.sh"; echo cat > f.sh`,
		command: "cp run f.sh; echo 2 > a.c",
	},
	"a program that shows differences": {
		prepare: `${filtered} git config diff.x.textconv '"$PWD/t/f"'`,
		command: `${tool}; echo 2 > a.c`,
		git: [["diff"]],
	},
	"a script behind any program": {
		prepare: `${filtered} git config filter.x.clean "mawk -f clean.awk"; echo '{print}' > clean.awk`,
		command: `printf 'BEGIN{system("%s/run")}' "$PWD" > clean.awk; echo 2 > a.c`,
	},
	"a script that does not exist, without a slash": {
		prepare: `${filtered} git config filter.x.clean "sh clean.sh"`,
		command: "cp run clean.sh; echo 2 > a.c",
	},
	"a script in quotes whose name has a blank": {
		prepare: `${filtered} git config filter.x.clean 'sh -e "my tools/f.sh"'; mkdir "my tools"; echo cat > "my tools/f.sh"`,
		command: `cp run "my tools/f.sh"; echo 2 > a.c`,
	},
	"a program in a directory that the line enters": {
		prepare: `${filtered} git config filter.x.clean "cd t && ./f"`,
		command: `${tool}; echo 2 > a.c`,
	},
	"one more than a hundred": {
		prepare: `${filtered} mkdir al; for i in $(seq 120); do echo > al/$i; printf '[alias]\n\ta%s = !al/%s\n' $i $i; done >> .git/config; git config filter.x.clean t/f`,
		command: `${tool}; echo 2 > a.c`,
	},
	"a filter in a worktree that the command makes": {
		prepare: `${script("tools/f")} ${filtered} git config filter.x.clean tools/f`,
		command:
			"git -c filter.x.clean=cat worktree add -q w2; cp run w2/tools/f; ln -sf ../a.c w2/tools/g; echo 2 > w2/a.c",
		git: [["-C", "w2", "status"]],
	},
	"a filter in a worktree that is named through a link": {
		prepare: `${script("tools/f")} ${filtered} git config filter.x.clean tools/f`,
		command:
			'git -c filter.x.clean=cat worktree add -q w2; ln -s . l; echo "$PWD/l/w2/.git" > .git/worktrees/w2/gitdir; cp run w2/tools/f; echo 2 > w2/a.c',
		git: [["-C", "w2", "status"]],
	},
	"a script in a worktree that the command makes, behind a link": {
		prepare: `mkdir tools; echo cat > tools/f.sh; ${filtered} git config filter.x.clean "sh tools/f.sh"`,
		command:
			"git -c filter.x.clean=cat worktree add -q w2; mv w2/tools w2/t2; ln -s t2 w2/tools; cp run w2/t2/f.sh; echo 2 > w2/a.c",
		git: [["-C", "w2", "status"]],
	},
	"a filter in a clone that the command makes": {
		prepare: `${script("tools/f")} ${filtered} git config -f ../home/.gitconfig filter.x.clean tools/f`,
		command: "git clone -q . c2; cp run c2/tools/f; echo 2 > c2/a.c",
		git: [["-C", "c2", "status"]],
	},
	"a filter in a project that the command makes a repository": {
		prepare: `mv .git ../gone; ${script("tools/f")} git config -f ../home/.gitconfig filter.x.clean tools/f`,
		command:
			"git init -q; echo '*.c filter=x' > .gitattributes; echo 1 > a.c; git add .; cp run tools/f; echo 2 > a.c",
	},
	"an alias in a clone that the command makes": {
		prepare: `${script("t/f")} git config -f ../home/.gitconfig alias.st '!t/f; cat README'; echo 1 > README; git add .; git -c user.name=u -c user.email=u@e commit -qm 1`,
		command: "git clone -q . c2; cp run c2/t/f; cp run c2/README",
		git: [["-C", "c2", "st"]],
	},
	"a program that watches files in a repository that the index names": {
		prepare: "git config -f ../home/.gitconfig core.fsmonitor t/f",
		command: `export GIT_CONFIG_GLOBAL=/dev/null; git init -q c2; mkdir c2/t; cp run c2/t/f; git -C c2 -c user.name=u -c user.email=u@e commit -q --allow-empty -m e; git update-index --add --cacheinfo 160000,$(git -C c2 rev-parse HEAD),c2`,
	},
	"an alias that starts it by another program": {
		prepare: `${script("t/f")} git config alias.st '!f() { if true; then stdbuf -o0 t/f "$@"; fi; }; f'`,
		command: tool,
	},
	"an alias": { prepare: `${script("t/f")} git config alias.st '!sh -c "cd t && ./f"; t/f'`, command: tool },
	"the user's settings": {
		prepare: `${script("t/f")} git config -f ../home/.gitconfig core.fsmonitor ./t/f`,
		command: tool,
	},
	"a repository deep below": {
		prepare: `${script("a/b/c/t/f")} git init -q a/b/c; cd a/b/c; git config core.fsmonitor t/f; git config core.hooksPath own; mkdir own; ln -s ../t/f own/pre-commit`,
		command:
			"cp run a/b/c/t/f; cp run a/b/c/own/post-commit; rm a/b/c/own/pre-commit; cp run a/b/c/own/pre-commit",
		git: [
			["-C", "a/b/c", "status"],
			["-C", "a/b/c", "commit", "--allow-empty", "-m", "x"],
		],
	},
	"one whose program does not exist": {
		prepare:
			"git init -q a/b/c; cd a/b/c; git config core.fsmonitor t/f; ln -s ../../t/g .git/hooks/pre-commit",
		command: "mkdir a/b/c/t; cp run a/b/c/t/f; cp run a/b/c/t/g",
		git: [
			["-C", "a/b/c", "status"],
			["-C", "a/b/c", "commit", "--allow-empty", "-m", "x"],
		],
	},
	"a repository below": {
		prepare: `${script("part/t/f")} git init -q part; git -C part config core.fsmonitor t/f`,
		command: "cp run part/t/f",
		git: [["-C", "part", "status"]],
	},
};

for (const landlock of [false, true]) {
	const needed = needs("git", ...(landlock ? neededForLandlock : neededPrograms));
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		needed("what lies beside a program that a link leads to can be written", async () => {
			await using box = await sandboxFixture({
				landlock,
				prepare(cwd) {
					const prepare = `git init -q; ${script("real/f")} ln -s real t; ln -s "$PWD" ../home/p; git config core.fsmonitor '~/p/t/f'; git config alias.x t/f`;
					Bun.spawnSync(["bash", "-ec", prepare], { cwd });
				},
			});
			expect((await box.run("echo 1 > new && echo 1 > real/new && echo ran")).text).toBe("ran\n");
		});

		for (const [name, { prepare, command, git }] of Object.entries(attempts))
			needed(`regression: git runs nothing of a command by ${name}`, async () => {
				await using box = await sandboxFixture({
					landlock,
					prepare(cwd) {
						const env = { PATH: process.env.PATH, HOME: join(cwd, "../home"), GIT_CONFIG_NOSYSTEM: "1" };
						const run = Bun.spawnSync(["bash", "-ec", `git init -q; ${prepare}`], { cwd, env });
						expect(run.stderr.toString()).toBe("");
					},
				});
				await box.run(`${evil(box)}; evil made; ${command}`);
				await box.sandbox[Symbol.asyncDispose]();
				expect(gitRuns(box, ".", git)).toBe(false);
			});
	});
}

needs("git", ...neededPrograms)(
	"in a clone, programs stay that are the same as in the project, and data",
	async () => {
		await using box = await sandboxFixture({
			prepare(cwd) {
				const env = { PATH: process.env.PATH, HOME: join(cwd, "../home"), GIT_CONFIG_NOSYSTEM: "1" };
				const prepare = `git init -q; ${script("t/f")} echo 1 > README; ${filtered} git config -f ../home/.gitconfig filter.x.clean t/f; git config -f ../home/.gitconfig alias.st '!cat README'`;
				Bun.spawnSync(["bash", "-ec", prepare], { cwd, env });
			},
		});
		await box.run("git clone -q . c2; echo 2 > c2/README");
		await box.sandbox[Symbol.asyncDispose]();
		expect(readdirSync(join(box.cwd, "c2")).toSorted()).toEqual([
			".git",
			".gitattributes",
			"README",
			"a.c",
			"t",
		]);
		expect(readdirSync(join(box.cwd, "c2/t"))).toEqual(["f"]);
	},
);

needs("git", ...neededPrograms)(
	"a program of the user stays where a command makes a repository",
	async () => {
		await using box = await sandboxFixture({
			prepare(cwd) {
				const prepare = `${script("tools/f")} git config -f ../home/.gitconfig filter.x.clean tools/f`;
				Bun.spawnSync(["bash", "-ec", prepare], { cwd });
			},
		});
		await box.run("git init -q");
		await box.sandbox[Symbol.asyncDispose]();
		expect(readdirSync(join(box.cwd, "tools"))).toEqual(["f"]);
	},
);

test("of settings, what is run counts, and not names, addresses, data and what a build makes", () => {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "tau-named-")));
	try {
		for (const name of ["bin", "src"]) mkdirSync(join(root, name));
		const files = ["bin/a", "bin/b b", "clean.js", "main", "README.md", "src/list", "less"];
		for (const name of files) writeFileSync(join(root, name), "", { mode: 0o755 });
		symlinkSync("a", join(root, "bin/led"));
		const named = (text: string): string[] =>
			programsIn(settingsIn(text), root, gitUser("/home/u")).map((path) => relative(root, path));
		expect(named("[core]\nfsmonitor = true\npager = less\neditor = code --wait")).toEqual([]);
		expect(named('[init]\ndefaultBranch = main\n[branch "main"]\nmerge = refs/heads/main')).toEqual([]);
		expect(named('[blame]\nignoreRevsFile = src/list\n[remote "o"]\nurl = ./bin/a')).toEqual([]);
		expect(named("[log]\ndate = format:%Y/%m\n[http]\nproxy = http://x/y")).toEqual([]);
		expect(named('[filter "x"]\nclean = node clean.js %f\nprocess = bin/led -x')).toEqual([
			"clean.js",
			"bin/led",
			"bin/a",
		]);
		expect(named("[gpg]\nprogram = bin/b b")).toEqual(["bin/b b", "bin/b"]);
		expect(
			named('[credential "https://x"]\nhelper = "!f() { X=1 $(git rev-parse --show-toplevel)/bin/a; }; f"'),
		).toEqual(["bin/a"]);
		expect(named('[merge "x"]\ndriver = ~/x.sh %A %B')).toEqual([relative(root, "/home/u/x.sh")]);
		expect(named("[x]\ny = bin/none")).toEqual(["bin/none"]);
		// A command of git runs none of them, and what an alias makes is not there yet.
		const alias = (value: string): string[] => named(`[alias]\nx = ${JSON.stringify(value)}`);
		expect(alias("log -p -- README.md")).toEqual([]);
		expect(alias("!git diff -- . ':(exclude)README.md' ':!main' && git add README.md")).toEqual([]);
		expect(alias("!make dist/x && cp bin/a dist/new")).toEqual(["bin/a"]);
		expect(alias("!git log | sh main; git -c core.fsmonitor=bin/a diff README.md")).toEqual([
			"main",
			"README.md",
			"bin/a",
		]);
		expect(alias("bisect run sh clean.js")).toEqual(["clean.js"]);
	} finally {
		rmSync(root, { recursive: true });
	}
});

test("of settings, all words count that are files, however a shell gets to them", () => {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "tau-named-")));
	try {
		for (const name of ["my tools", "t"]) mkdirSync(join(root, name));
		for (const name of ["my tools/f", "t/f", "f.x"]) writeFileSync(join(root, name), "");
		const lines: Readonly<Record<string, string>> = {
			"mawk -f f.x": "f.x",
			"mawk -ff.x": "f.x",
			"anything --with=f.x": "f.x",
			"sh<f.x": "f.x",
			"cat|sh f.x|cat": "f.x",
			"stdbuf -o0 t/f": "t/f",
			"cd t && ./f": "t/f",
			"T=t; $T/f": "t/f",
			"T=t/; ${T}f": "t/f",
			"F=f; t/$F": "t/f",
			"$GIT_DIR/../t/f": "t/f",
			"$(git rev-parse --git-dir)/../t/f": "t/f",
			"make -C t -f f": "t/f",
			"if true; then t/f; fi": "t/f",
			"$PWD/t/f": "t/f",
			"${X:-t/f}": "t/f",
			"echo $(cat `t/f`)": "t/f",
			'$(dirname "$(realpath .)")/t/f': "t/f",
			'python3 -u "my tools/f"': "my tools/f",
			"python3 my\\ tools/f": "my tools/f",
			"sh -c \"python3 'my tools/f'\"": "my tools/f",
			'"my tools"/f': "my tools/f",
			'cd "my tools"; ./f': "my tools/f",
			// Not there yet.
			"python3 new.py": "new.py",
			"stdbuf -o0 t/new": "t/new",
			"tü/f": "tü/f",
			"cd new && ./f": "new/f",
		};
		const section = { section: "filter", key: "clean" };
		for (const [value, file] of Object.entries(lines))
			expect([value, programsIn([{ ...section, value }], root)]).toEqual([
				value,
				expect.arrayContaining([join(root, file)]),
			]);
		// However many there are.
		const many = Array.from({ length: 300 }, (_, index) => ({ ...section, value: `t/${index}` }));
		expect(programsIn(many, root)).toHaveLength(300);
	} finally {
		rmSync(root, { recursive: true });
	}
});
