/** What real git writes into a repository stays, and whatever else a command puts there is set aside. */
import { describe, expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import {
	neededForLandlock,
	neededPrograms,
	sandboxFixture,
	type SandboxFixture,
} from "./testing/sandbox-fixture.ts";
import { projectGit } from "./testing/project-git.ts";
import { evil } from "./testing/user-git.ts";

const { settings, bash } = projectGit("[advice]\ndetachedHead=false\n[gc]\nauto=0\n");

const templates = new Map<string, string>();

/** A copy is made by one program; the repository itself by a dozen. */
function copyOf(script: string, cwd: string): void {
	const made = templates.getOrInsertComputed(script, () => {
		const folder = join(settings, `made${templates.size}`);
		bash(folder, script);
		return folder;
	});
	Bun.spawnSync(["cp", "-aT", made, cwd]);
}

const repository =
	"git init -q; echo a > f; git add f; git commit -qm 1; git checkout -qb topic; echo b > g; git add g; git commit -qm 2; git checkout -q main; echo c > h; git add h; git commit -qm 3";

/** Each line is a command; those that need a newer git or its extensions are left out where they fail. */
const usual: readonly string[] = [
	"echo x >> f; git add f; git commit -qm 4",
	"git commit -q --amend --no-edit; git commit -q --allow-empty -m e",
	"git branch b1; git branch deep/er/b2; git branch -m b1 b3; git branch -D b3; git switch -qc c; git switch -q main",
	"git tag t; git tag -a -m x annotated; git tag -d t",
	"echo y >> f; git stash -q; git stash apply -q; git checkout -q f; git stash drop -q; touch u; git stash -qu; git stash pop -q",
	"git merge -q --no-ff -m m topic",
	"git reset -q --hard HEAD~1; git reset -q --soft HEAD; git restore f",
	"git config rerere.enabled true 2> /dev/null; echo m > f; git commit -qam m; git checkout -qb conflict HEAD~1; echo n > f; git commit -qam n; git -c rerere.enabled=true merge main || true",
	"echo mn > f; git add f; git -c rerere.enabled=true commit -qm resolved",
	"git checkout -qb rebased HEAD~2; echo r > r; git add r; git commit -qm r; git rebase -q main; git rebase -q -i --exec true HEAD~1",
	"git checkout -qb stop HEAD~1; echo z > f; git commit -qam z; git rebase main || true",
	"git rebase --abort || git rebase --quit",
	"git rebase --apply main || true",
	"git rebase --abort || true; git checkout -q main",
	"git cherry-pick topic; git revert --no-edit HEAD; git cherry-pick stop topic || true",
	"git cherry-pick --abort || true",
	"git format-patch -q -1 -o patches topic; git am -q patches/* || true; git am -3 --reject --whitespace=fix patches/* || true",
	"git am --abort || true; git apply --check patches/* || true",
	"git bisect start HEAD HEAD~2; git bisect bad || true",
	"git bisect reset; git bisect start HEAD HEAD~2 -- f; git bisect run true; git bisect reset",
	"git notes add -m note; git notes --ref other add -m o; git notes merge other || true",
	"git notes merge --abort || true; git replace HEAD HEAD~1; git replace -d $(git replace -l)",
	"git worktree add -q tree; git -C tree commit -q --allow-empty -m t; git worktree lock tree; git worktree unlock tree; git worktree list",
	"git -C tree bisect start; git -C tree bisect reset; git worktree move tree tree2; git worktree repair",
	"git worktree remove tree2; git worktree prune; git branch -D tree",
	"git clone -q . clone; git -C clone commit -q --allow-empty -m c; git -C clone push -q origin HEAD:refs/heads/pushed",
	"git clone -q --bare . bare.git; git clone -q --shared . shared; git -C shared log > /dev/null; git clone -q --depth 1 file://$PWD shallow",
	"git remote add other ./clone || true; git fetch -q ./clone main:refs/remotes/other/main; git fetch -q clone; git pull -q --no-rebase ./clone main || true",
	"git init -q new; git init -q --object-format=sha256 new256; git init -q --separate-git-dir=apart separate || true",
	"git -C new256 commit -q --allow-empty -m 256; git init -q --ref-format=reftable table && git -C table commit -q --allow-empty -m r || true",
	"git submodule --quiet add ./clone sub/module; git commit -qm submodule; git -C sub/module commit -q --allow-empty -m s",
	"git submodule update -q --init --recursive; git submodule deinit -q -f sub/module || true; git submodule update -q --init || true",
	"git gc -q; git repack -adq; git pack-refs --all; git prune; git count-objects -v",
	"git commit-graph write --reachable; git commit-graph write --split --reachable; git multi-pack-index write; git multi-pack-index write --bitmap || true",
	"git maintenance run --task=gc --task=loose-objects --task=incremental-repack --task=prefetch || true",
	"git update-index --split-index; git update-index --no-split-index; git update-index --index-version 4; git update-index --untracked-cache || true; git status",
	"git sparse-checkout set --cone patches || true; git sparse-checkout disable || true",
	"git fsck --lost-found; git reflog expire --expire=now --all; git update-server-info",
	"git bundle create -q all.bundle --all; git clone -q all.bundle bundled; git archive HEAD -o a.tar",
	"git symbolic-ref refs/remotes/other/HEAD refs/remotes/other/main; git update-ref refs/x/y HEAD; git update-ref -d refs/x/y",
	"git checkout -q --detach; git checkout -q main; git rm -q h; git mv f f2; git commit -qm moved; git clean -fdq -e patches || true",
	"git describe --always; git blame f2; git shortlog -s HEAD; git log --stat; git diff HEAD~1; git grep c || true",
	"git filter-branch -f --msg-filter cat HEAD~1..HEAD || true; git fast-export main > e; git -C new fast-import < e",
	"git merge-tree main topic || true; git read-tree -m HEAD; git write-tree; git checkout -q -- .",
	"echo '*.o' >> .git/info/exclude; echo '* text=auto' > .git/info/attributes; echo text > .git/description",
	"mkdir -p .git/lfs/objects/ab/cd .git/lfs/tmp .git/annex/objects .git/branchless .git/gitbutler .git/x/y; echo o > .git/lfs/objects/ab/cd/o; touch .git/branchless/db.sqlite3 .git/gitbutler/x.toml .git/.graphite_repo_config .git/opened .git/x/y/z",
];

const manyDirectories = "a link among more directories than are looked at";
const attacks: Readonly<Record<string, readonly [command: string, user: string]>> = {
	"a reference that is a file of settings": [
		"echo 'ref: commondir' > .git/ORIG_HEAD; evil .git/$(git rev-parse HEAD)",
		"git reset -q --hard; git status; git commit --allow-empty -m x",
	],
	"a branch that is a file of settings": [
		"echo 'ref: commondir' > .git/refs/heads/topic; evil .git/$(git rev-parse HEAD)",
		"git branch -f topic HEAD; git update-ref refs/heads/topic HEAD; git status",
	],
	"one that is changed in place": [
		"printf 'ref: commondir\\n' | dd of=.git/refs/heads/topic conv=notrunc,nocreat status=none; truncate -s 15 .git/refs/heads/topic; evil .git/$(git rev-parse HEAD)",
		"git update-ref refs/heads/topic HEAD; git status",
	],
	"one whose name is not text": [
		"printf 'ref: commondir\\n' > $(printf '.git/refs/heads/\\377'); evil .git/$(git rev-parse HEAD)",
		"git update-ref $(printf 'refs/heads/\\377') HEAD; git status",
	],
	"a lost object": [
		"mkdir -p .git/lost-found/other; ln -s ../../../../outside/keep .git/lost-found/other/$(echo lost | git hash-object -w --stdin)",
		"git fsck --lost-found",
	],
	"the file of a worktree": [
		"mkdir -p .git/worktrees/x; echo ../.. > .git/worktrees/x/commondir; echo 'ref: refs/heads/x' > .git/worktrees/x/HEAD; realpath ../outside/sub/.git > .git/worktrees/x/gitdir",
		"git worktree repair",
	],
	"options of git am": [
		"mkdir .git/rebase-apply; cd .git/rebase-apply; git format-patch -q -1 --stdout topic > 0001; git mailinfo msg patch < 0001 > info; cp msg final-commit; echo 1 | tee next last; for i in threeway sign utf8 keep keepcr quiet scissors; do echo f > $i; done; touch applying dirtyindex; printf \"GIT_AUTHOR_NAME='u'\\nGIT_AUTHOR_EMAIL='u@e'\\nGIT_AUTHOR_DATE='@0 +0000'\\n\" > author-script; git rev-parse HEAD > abort-safety; echo \" '--build-fake-ancestor=$(realpath ../../../outside/keep)'\" > apply-opt; cd ../..",
		"git am --skip; git am --continue; git am --resolved",
	],
	"hooks of a worktree that a command makes": [
		"git worktree add -q led; mkdir led/.hooks; cp run led/.hooks/pre-commit",
		"cd led; git commit --allow-empty -m x",
	],
	"hooks of a worktree of the user": [
		"mkdir own/.hooks; cp run own/.hooks/pre-commit",
		"cd own; git commit --allow-empty -m x",
	],
	"a directory that is led to a worktree": [
		"mkdir -p led/.hooks; cp run led/.hooks/pre-commit; cp own/.git led/.git",
		"cd led; git commit --allow-empty -m x",
	],
	"hooks of husky that do not exist yet": [
		"mkdir -p husky/.husky/_; cp run husky/.husky/_/pre-commit",
		"cd husky; git commit --allow-empty -m x",
	],
	"a directory that is led to the repository itself": [
		"mkdir -p led/.hooks; cp run led/.hooks/pre-commit; echo 'gitdir: ../.git' > led/.git",
		"cd led; git commit --allow-empty -m x",
	],
	"a link to the repository itself": [
		"mkdir -p led/.hooks; cp run led/.hooks/pre-commit; ln -s ../.git led/.git",
		"cd led; git commit --allow-empty -m x",
	],
	"a directory that is led to a repository outside": [
		'mkdir -p led/.hooks; cp run led/.hooks/pre-commit; echo "gitdir: $(realpath ../outside/other/.git)" > led/.git',
		"cd led; git commit --allow-empty -m x",
	],
	"objects of a repository outside": [
		"realpath ../outside/other/.git/objects > .git/objects/info/alternates",
		"git gc -q; git fsck; git fetch .",
	],
	"objects of a repository that leads outside": [
		"git init -q --bare alt; realpath ../outside/other/.git/objects > alt/objects/info/alternates; realpath alt/objects > .git/objects/info/alternates",
		"git gc -q; git fsck",
	],
	"a list of references to update": [
		"mkdir -p .git/rebase-merge; cd .git/rebase-merge; echo noop > git-rebase-todo; touch done interactive; echo 1 | tee msgnum end; echo refs/heads/main > head-name; git rev-parse HEAD | tee onto orig-head; printf 'commondir\\n%040d\\n%s\\n' 0 $(git rev-parse HEAD) > update-refs; cd ../..; evil .git/$(git rev-parse HEAD)",
		"git rebase --continue; git status",
	],
	"notes that are being merged": [
		"git update-ref NOTES_MERGE_PARTIAL HEAD; git symbolic-ref NOTES_MERGE_REF refs/notes/commits; mkdir .git/NOTES_MERGE_WORKTREE; ln -s ../../../outside/keep .git/NOTES_MERGE_WORKTREE/$(git rev-parse HEAD)",
		"git notes merge --commit",
	],
	[manyDirectories]: [
		"mkdir -p .git/refs/heads/d{1..10100}; mkdir .git/refs/heads/d10100/x; ln -s ../../../../../../outside/sub .git/refs/heads/d10100/x/y",
		"git update-ref refs/heads/d10100/x/y/z HEAD",
	],
	"settings of other tools": [
		"mkdir -p .git/sl .git/arc; echo x | tee .git/sl/config .git/arc/config .git/lazygit.yml",
		"test -e .git/sl/config -o -e .git/arc/config -o -e .git/lazygit.yml && touch ../home/ESCAPED",
	],
	"a pipe": [
		"rm -f .git/FETCH_HEAD; mkfifo .git/FETCH_HEAD .git/logs/x .git/worktrees",
		"timeout 5 git fetch -q . main; test -p .git/FETCH_HEAD && touch ../home/ESCAPED",
	],
};

for (const landlock of [false, true]) {
	const attempt = needs("git", ...(landlock ? neededForLandlock : neededPrograms));
	/** In a copy of a repository that was made once, `script` then does what depends on its path. */
	const start = (made: string, script = "", inMemory = false): Promise<SandboxFixture> =>
		sandboxFixture({
			landlock,
			inMemory,
			files: { "outside/keep": "secret\n", "outside/sub/x": "" },
			prepare(cwd) {
				copyOf(
					"touch x; git init -q; git config core.hooksPath .hooks; git add x; git commit -qm o",
					join(cwd, "../outside/other"),
				);
				copyOf(made, cwd);
				if (script) bash(cwd, script);
			},
		});
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		attempt(
			"nothing that git writes is set aside",
			async () => {
				await using box = await start(repository);
				await box.run(
					`export GIT_CONFIG_GLOBAL=$TMPDIR/gitconfig GIT_EDITOR=true; cat > $TMPDIR/gitconfig <<'E'\n${readFileSync(join(settings, "config"), "utf8")}E`,
				);
				for (const command of usual) {
					await box.run(`(${command}) > /dev/null 2>&1`);
					const disarmed = box.sandbox
						.disarmed()
						.filter(({ what }) => !/settings that run no program|config was put back/.test(what));
					expect([command, disarmed]).toEqual([command, []]);
				}
				await box.sandbox[Symbol.asyncDispose]();
				expect(box.sandbox.disarmed()).toEqual([]);
				expect(existsSync(join(box.cwd, ".git/set-aside"))).toBe(false);
			},
			120_000,
		);

		for (const [name, [command, user]] of Object.entries(attacks))
			attempt(`git is not misled by ${name}`, async () => {
				await using box = await start(
					`${repository}; git config core.hooksPath .hooks; git init -q husky; git -C husky config core.hooksPath .husky/_`,
					"git worktree add -q own",
					name === manyDirectories,
				);
				const state = (): string =>
					Bun.spawnSync(["sh", "-c", "find . -type f ! -name index | sort | xargs md5sum"], {
						cwd: join(box.root, "outside"),
					}).stdout.toString();
				const before = state();
				await box.run(`${evil(box)}; evil made; ${command}`);
				const deadline = performance.now() + 60_000;
				// What is written over a branch is found a little later.
				const isDisarmed = (): boolean => box.sandbox.disarmed().length > 0;
				if (!isDisarmed()) while (!isDisarmed() && performance.now() < deadline) await Bun.sleep(5);
				expect(performance.now()).toBeLessThan(deadline);
				bash(box.cwd, user);
				expect(state()).toBe(before);
				expect(existsSync(join(box.home, "ESCAPED"))).toBe(false);
				expect(existsSync(join(box.cwd, ".git/commondir"))).toBe(false);
				expect(
					Bun.spawnSync(["git", "grep", "--cached", "secret", "refs/notes/commits"], {
						cwd: box.cwd,
					}).stdout.toString(),
				).toBe("");
			});

		attempt("what the user has put there stays", async () => {
			await using box = await start(
				repository,
				`ln -s ../../outside .git/rr-cache; mkdir -p .git/remotes; echo URL: x > .git/remotes/own; mkfifo .git/own; realpath ../outside/other/.git/objects > .git/objects/info/alternates; git worktree add -q ../outside/wt`,
			);
			await box.run("git status; git commit -q --allow-empty -m x");
			bash(box.cwd, "ln -s x .git/between; git worktree add -q ../outside/wt2");
			await box.run("true");
			expect(box.sandbox.disarmed()).toEqual([]);
		});
	});
}
