/** Git outside runs nothing that a command puts into the repositories of a project: submodules, worktrees, and those beside them. */
import { afterAll, describe, expect } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import {
	neededForLandlock,
	neededPrograms,
	sandboxFixture,
	writeGitTemplate,
} from "./testing/sandbox-fixture.ts";
import { evil, gitRuns } from "./testing/user-git.ts";

interface Attempt {
	/** Run by the user before the session, in the project. */
	readonly prepare?: string;
	readonly command: string;
	/** The user's own settings. */
	readonly settings?: string;
	/** Where the user runs git afterwards. */
	readonly in: string;
	readonly git?: readonly (readonly string[])[];
}

const settings = mkdtempSync(join(tmpdir(), "tau-git-"));
writeFileSync(
	join(settings, "config"),
	'[user]\nname=u\nemail=u@example.org\n[protocol "file"]\nallow=always\n[init]\ndefaultBranch=main\n',
);
const template = writeGitTemplate(settings);
afterAll(() => rmSync(settings, { recursive: true, force: true }));

const library =
	"git init -q ../lib; git -C ../lib commit -q --allow-empty -m x; git commit -q --allow-empty -m y;";
const submodule = `${library} git submodule --quiet add ../lib sub; git commit -qm z;`;
const hidden = "git init -q --bare .git/hid; evil .git/hid; git config -f .git/hid/config core.bare false;";
/** A script that leaves the mark, and the state of a rebase at the directory `$R` that runs the lines of `$T`. */
const rebase = `printf '#!/bin/sh\\ntouch %s/ESCAPED\\n' "$HOME" > evil; chmod +x evil; begin() { mkdir -p "$R"; echo "$T" > "$R/git-rebase-todo"; : > "$R/done"; : > "$R/interactive"; echo 1 > "$R/msgnum"; echo 1 > "$R/end"; echo "refs/heads/$1" > "$R/head-name"; echo "$2" | tee "$R/onto" > "$R/orig-head"; };`;
const diverged =
	"echo a > f; git add f; git commit -qm 1; git checkout -qb topic; echo b > g; git add g; git commit -qm 2; echo c > h; git add h; git commit -qm 3; git checkout -q main; echo d > i; git add i; git commit -qm 4;";

const husky = `git config core.hooksPath .husky/_; mkdir -p .husky/_; printf 'n=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\nsh -e "$s"\n' > .husky/_/h; printf '#!/bin/sh\n. "$(dirname "$0")/h"\n' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit; echo true > .husky/pre-commit; git add .husky/pre-commit; git commit -qm husky;`;
const linked = `git init -q "$d"; git -C "$d" -c user.name=u -c user.email=u@e commit -q --allow-empty -m x; git update-index --add --cacheinfo "160000,$(git -C "$d" rev-parse HEAD),$d";`;
const usual = ["commit", "--allow-empty", "-m", "x"];

const attempts: Readonly<Record<string, Attempt>> = {
	"commondir of a repository below": {
		prepare: "git init -q part",
		command: `${hidden} echo ../../.git/hid > part/.git/commondir`,
		in: "part",
	},
	"commondir of a submodule": {
		prepare: submodule,
		command: `${hidden} echo ../../hid > .git/modules/sub/commondir`,
		in: "sub",
	},
	"settings of a submodule in another worktree": {
		prepare: `${submodule} git worktree add -q ../wt; git -C ../wt submodule --quiet update --init`,
		command: "evil .git/worktrees/wt/modules/sub",
		in: "../wt/sub",
	},
	"a submodule that the user has not initialized": {
		prepare: `${submodule} git submodule deinit -q -f sub; mv .git/modules ../gone`,
		command:
			"git init -q --bare .git/modules/sub; evil .git/modules/sub; git config -f .git/modules/sub/config core.bare false; git config -f .git/modules/sub/config core.worktree ../../../sub; chmod 111 .git/modules",
		in: ".",
		git: [["submodule", "update", "--init"]],
	},
	"settings of a submodule of a repository below": {
		prepare: `git init -q part; cd part; ${submodule}`,
		command: "evil part/.git/modules/sub",
		in: "part/sub",
	},
	"a .git file in a hidden directory": {
		prepare: "git commit -q --allow-empty -m 1; git worktree add -q .worktrees/one",
		command: `${hidden} echo "gitdir: $PWD/.git/hid" > .worktrees/one/.git`,
		in: ".worktrees/one",
	},
	"a repository in a hidden directory": {
		prepare: "git init -q .deps/part",
		command: "evil .deps/part/.git",
		in: ".deps/part",
	},
	"a .git file whose path ends with a blank": {
		command: `${hidden} mv .git/hid ".git/hid "; mkdir part; echo "gitdir: ../.git/hid " > part/.git`,
		in: "part",
	},
	"a .git file whose path is not text": {
		command: `${hidden} h=$(printf '.git/h\\377'); mv .git/hid "$h"; mkdir part; echo "gitdir: ../$h" > part/.git`,
		in: "part",
	},
	"a .git file that is longer than we read": {
		command: `${hidden} mkdir part; { printf 'gitdir: ../.git/hid'; head -c 1040000 /dev/zero | tr '\\0' '\\n'; } > part/.git`,
		in: "part",
	},
	"a link whose target is not text": {
		command: `${hidden} h=$(printf '.git/h\\377'); mv .git/hid "$h"; mkdir part; ln -s "../$h" part/.git`,
		in: "part",
	},
	"a commondir with a line break in its path": {
		command: `${hidden} h=$(printf '.git/h\\nid'); mv .git/hid "$h"; git init -q part; echo "../../$h" > part/.git/commondir`,
		in: "part",
	},
	"a rebase with a strategy that is a path": {
		prepare: diverged,
		command: `${rebase} mkdir git-merge-x; R=.git/rebase-merge T="pick $(git rev-parse topic) 3" begin main $(git rev-parse main); echo x/../evil > .git/rebase-merge/strategy`,
		in: ".",
		git: [["rebase", "--continue"]],
	},
	"a rebase with such a strategy that looks like a setting": {
		prepare: diverged,
		command: `${rebase} mkdir git-merge-x=; R=.git/rebase-merge T="pick $(git rev-parse topic) 3" begin main $(git rev-parse main); echo x=/../evil > .git/rebase-merge/strategy`,
		in: ".",
		git: [["rebase", "--continue"]],
	},
	"a rebase in another worktree": {
		prepare: "git commit -q --allow-empty -m 1; git worktree add -q ../wt",
		command: `${rebase} R=.git/worktrees/wt/rebase-merge T="exec $PWD/evil" begin wt $(git rev-parse main)`,
		in: "../wt",
		git: [["rebase", "--continue"]],
	},
	"a rebase in a submodule": {
		prepare: submodule,
		command: `${rebase} R=.git/modules/sub/rebase-merge T="exec $PWD/evil" begin main $(git -C sub rev-parse HEAD)`,
		in: "sub",
		git: [["rebase", "--continue"]],
	},
	"a repository in a directory whose name is not text": {
		prepare: "git commit -q --allow-empty -m 1",
		command: `d=$(printf 'd\\377'); git init -q "$d"; git -C "$d" -c user.name=u -c user.email=u@e commit -q --allow-empty -m x; git add "$d"; evil "$d/.git"`,
		in: ".",
	},
	"a repository in node_modules that the index names": {
		prepare: "git commit -q --allow-empty -m 1",
		command: `d=node_modules/x; git init -q $d; git -C $d -c user.name=u -c user.email=u@e commit -q --allow-empty -m x; git add -f $d; evil $d/.git`,
		in: ".",
	},
	"one that a split index names": {
		prepare: "echo a > f; git add f; git commit -qm 1",
		command: `git update-index --split-index; d=node_modules/x; git init -q $d; git -C $d -c user.name=u -c user.email=u@e commit -q --allow-empty -m x; git add -f $d; evil $d/.git`,
		in: ".",
	},
	"one that takes the place of a file in a split index": {
		prepare: "mkdir -p node_modules; echo a > node_modules/x; git add -f node_modules; git commit -qm 1",
		command: `git update-index --split-index; rm node_modules/x; d=node_modules/x; git init -q $d; git -C $d -c user.name=u -c user.email=u@e commit -q --allow-empty -m x; git update-index --cacheinfo 160000,$(git -C $d rev-parse HEAD),$d; evil $d/.git`,
		in: ".",
	},
	"one in node_modules that is ignored, and that the index of a submodule names": {
		prepare: `${submodule} echo node_modules > .gitignore; echo node_modules > sub/.gitignore`,
		command: `cd sub; d=node_modules/x; ${linked} evil $d/.git`,
		in: "sub",
	},
	"one that the index of a submodule names": {
		prepare: submodule,
		command: `d=node_modules/x; cd sub; git init -q $d; git -C $d -c user.name=u -c user.email=u@e commit -q --allow-empty -m x; git add -f $d; cd ..; evil sub/$d/.git`,
		in: ".",
	},
	"one that the index of a repository below names": {
		prepare: "git init -q part; git -C part commit -q --allow-empty -m 1",
		command: `d=node_modules/x; cd part; git init -q $d; git -C $d -c user.name=u -c user.email=u@e commit -q --allow-empty -m x; git add -f $d; cd ..; evil part/$d/.git`,
		in: "part",
	},
	"a rebase in a repository below": {
		prepare: "git init -q part; git -C part commit -q --allow-empty -m 1",
		command: `${rebase} R=part/.git/rebase-merge T="exec $PWD/evil" begin main $(git -C part rev-parse HEAD)`,
		in: "part",
		git: [["rebase", "--continue"]],
	},
	"one that the index of another one names": {
		prepare: "git commit -q --allow-empty -m 1",
		command: `c() { git init -q $1; git -C $1 -c user.name=u -c user.email=u@e commit -q --allow-empty -m x; }; c sub; c sub/node_modules/x; git -C sub add -f node_modules/x; git add sub; evil sub/node_modules/x/.git`,
		in: ".",
	},
	"settings and hooks that a repository below names and does not have": {
		prepare:
			"git init -q part; git -C part config include.path ../more; git init -q other; git -C other config core.hooksPath own-hooks",
		command:
			"evil made; cp made/config part/more; mkdir other/own-hooks; cp made/hooks/* other/own-hooks; cp other/own-hooks/pre-commit part/.git/hooks/ || true",
		in: "part",
	},
	"hooks that a repository below names and does not have": {
		prepare: "git init -q other; git -C other config core.hooksPath own-hooks",
		command: "evil made; mkdir other/own-hooks; cp made/hooks/* other/own-hooks",
		in: "other",
	},
	"settings in the home directory's words": {
		prepare: 'git config include.path "~/../project/more"',
		command: "evil made; cp made/config more",
		in: ".",
	},
	"a bare repository with its worktrees beside it": {
		prepare:
			"mv .git ../gone; git init -q --bare repo.git; c=$(git -C repo.git commit-tree $(git -C repo.git hash-object -t tree -w /dev/null) -m x); git -C repo.git update-ref refs/heads/main $c; git -C repo.git worktree add -q ../wt main",
		command: "evil repo.git",
		in: "wt",
	},
	"a repository three levels below, where a .git file leads": {
		prepare:
			"mkdir -p a/b/c sub; git init -q --separate-git-dir=a/b/c/sub sub; git -C sub commit -q --allow-empty -m 1",
		command: "evil a/b/c/sub",
		in: "sub",
	},
	"a repository behind a link, four levels below": {
		prepare: "git init -q a/b/c/d; git -C a/b/c/d commit -q --allow-empty -m 1; ln -s a/b/c/d link",
		command: "evil a/b/c/d/.git",
		in: "link",
	},
	"a bare repository of the user that another one is pushed to": {
		prepare: "git commit -q --allow-empty -m 1; git init -q --bare b.git",
		command: "evil b.git; cp run b.git/hooks/post-receive",
		in: ".",
		git: [["push", "./b.git", "HEAD:refs/heads/x"]],
	},
	"a repository in node_modules that the index names, and whose name is not text": {
		prepare: "git commit -q --allow-empty -m 1",
		command: `d=$(printf 'node_modules/\\377/x'); ${linked} evil "$d/.git"`,
		in: ".",
	},
	"one that an index with SHA-256 names": {
		prepare: "mv .git ../gone; git init -q --object-format=sha256; git commit -q --allow-empty -m 1",
		command: `d=node_modules/x; export GIT_DEFAULT_HASH=sha256; ${linked} evil $d/.git`,
		in: ".",
	},
	"one that is inside of more others than are looked at": {
		prepare: "git commit -q --allow-empty -m 1",
		command: `git init -q t; git -C t -c user.name=u -c user.email=u@e commit -q --allow-empty -m x; c=$(git -C t rev-parse HEAD); git -C t update-index --add --cacheinfo 160000,$c,x; d=node_modules; for i in $(seq 55); do d=$d/x; mkdir -p $d; cp -r t/.git $d; done; git update-index --add --cacheinfo 160000,$c,node_modules/x; evil $d/.git`,
		in: ".",
		git: [["status"]],
	},
	"hooks in a new repository, where the user's settings name a directory of each": {
		settings: "[core]\nhooksPath = .githooks\n",
		command: `git init -q part; evil part/.git; mv part/.git/hooks part/.githooks; git init -q more; evil more/.git; mv more/.git/hooks more/.githooks; mv more/.git .git/more; echo "gitdir: ../.git/more" > more/.git; cp -r more/. other`,
		in: "part",
		git: [usual, ["-C", "../more", ...usual], ["-C", "../other", ...usual]],
	},
	"hooks in a new worktree of a new repository with such settings": {
		settings: "[core]\nhooksPath = .githooks\n",
		command: `git init -q part; git -C part -c user.name=u -c user.email=u@e commit -q --allow-empty -m 1; evil part/.git; mv part/.git/hooks part/.githooks; git -C part worktree add -q ../more; cp -r part/.githooks more`,
		in: "more",
	},
	"what husky's hooks read in a new worktree": {
		prepare: husky,
		command: `git worktree add -q wt; cp -r .husky/_ wt/.husky; printf 'touch "$HOME/ESCAPED"\n' > wt/.husky/_/h`,
		in: "wt",
	},
	"what husky's hooks start in a new worktree": {
		prepare: husky,
		command: `git worktree add -q wt; cp -r .husky/_ wt/.husky; printf 'touch "$HOME/ESCAPED"\n' > wt/.husky/pre-commit`,
		in: "wt",
	},
	"another work tree that names itself in config.worktree": {
		prepare:
			"git config extensions.worktreeConfig true; git config core.hooksPath .githooks; mkdir .githooks; touch .githooks/x",
		command: `git init -q node_modules/x; evil node_modules/x/.git; mv node_modules/x/.git/hooks node_modules/x/.githooks; git config -f .git/config.worktree core.worktree "$PWD/node_modules/x"`,
		in: ".",
	},
	"the scripts of husky": {
		prepare: `mkdir -p .husky/_; git config core.hooksPath .husky/_; echo 'sh .husky/pre-commit' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit; echo true > .husky/pre-commit`,
		command: `echo 'touch "$HOME/ESCAPED"' > .husky/pre-commit`,
		in: ".",
	},
};

/** Settings by which a new repository would have its work tree in `../outside`, seen from the project. */
const elsewhere: Readonly<Record<string, string>> = {
	"through a link": "ln -s ../outside link; git config -f part/.git/config core.worktree ../../link",
	"before a comment": `printf '[core]\n\tworktree = %s ;/../../../../../../../..%s/x\n' "$(realpath -m ../outside)" "$PWD" >> part/.git/config`,
	"in quotes": `printf '[core]\n\tworktree = "../../../outside"\n' >> part/.git/config`,
	"that is another directory":
		"mkdir src; git config -f part/.git/config core.worktree ../../src; ln -s ../outside more; rmdir src; mv more src",
};

for (const landlock of [false, true]) {
	const attempt = needs("git", ...(landlock ? neededForLandlock : neededPrograms));
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		for (const [name, { prepare = "", command, settings: own = "", in: directory, git }] of Object.entries(
			attempts,
		))
			attempt(`git runs nothing of ${name}`, async () => {
				await using box = await sandboxFixture({
					landlock,
					files: { "home/.gitconfig": own },
					prepare(cwd) {
						const env = {
							...process.env,
							GIT_CONFIG_GLOBAL: join(settings, "config"),
							GIT_TEMPLATE_DIR: template,
						};
						mkdirSync(cwd, { recursive: true });
						Bun.spawnSync(["bash", "-c", `git init -q; ${prepare}`], { cwd, env });
					},
				});
				await box.run(`export GIT_CONFIG_GLOBAL=/dev/null; ${evil(box)}; ${command}`);
				expect(gitRuns(box, directory, git)).toBe(false);
			});

		for (const [name, command] of Object.entries(elsewhere))
			attempt(`git deletes nothing outside in the work tree of a new repository ${name}`, async () => {
				await using box = await sandboxFixture({ landlock, files: { "outside/keep": "" } });
				await box.run(`git init -q part; ${command}`);
				Bun.spawnSync(["git", "clean", "-qfdx"], { cwd: join(box.cwd, "part") });
				expect(existsSync(join(box.root, "outside/keep"))).toBe(true);
			});

		attempt("nor of a repository in the session's temporary files", async () => {
			await using box = await sandboxFixture({ landlock, prepare: (cwd) => mkdirSync(join(cwd, "part")) });
			const shown = landlock
				? 'real="$TMPDIR"'
				: `real=$(awk '$5 == "/tmp" { print $4 }' /proc/self/mountinfo)`;
			await box.run(
				`${evil(box)}; git init -q part; mv part/.git "$TMPDIR/moved"; evil "$TMPDIR/moved"; ${shown}; echo "gitdir: $real/moved" > part/.git`,
			);
			expect(gitRuns(box, "part")).toBe(false);
		});
	});
}
