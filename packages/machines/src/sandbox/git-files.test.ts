/** Git outside uses nothing that a command puts into the files of a repository besides its settings and hooks: links, its index, what it resolved. */
import { describe, expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";
import { evil, gitRuns } from "./testing/user-git.ts";

type Attempt = readonly [
	prepare: string,
	command: string,
	git: readonly (readonly string[])[],
	directory?: string,
];

const base = "git commit -q --allow-empty -m 1;";
const commit = [["commit", "-q", "--allow-empty", "-m", "x"]] as const;

/** Writes an index of version 2 with these paths, which git would check itself, out of the file `run`. */
const indexOf = (...paths: readonly string[]): string =>
	`oid=$(git hash-object -w run); perl -MDigest::SHA=sha1 -e 'my ($o, @p) = @ARGV; my $b = "DIRC" . pack("NN", 2, scalar @p); for my $p (@p) { my $e = pack("N10", (0) x 6, 0100755, 0, 0, 0) . pack("H40", $o) . pack("n", length $p) . $p; $b .= $e . "\\0" x (8 - length($e) % 8) } print $b . sha1($b)' $oid ${paths.join(" ")} > .git/new; mv .git/new .git/index`;
/** With whole directories in the place of files, and the extension that says so. */
const sparse = (path: string): string =>
	indexOf(path).replace("0100755", "040000").replace("print $b", '$b .= "sdir" . pack("N", 0); print $b');
const checkout = [["checkout", "-q", "--", "."], ...commit] as const;
const resolved = (path: string): string =>
	`id=0123456789012345678901234567890123456789; mkdir -p .git/rr-cache/$id; echo x > .git/rr-cache/$id/preimage; printf '%s\\t${path}\\0' $id > .git/MERGE_RR`;
const hook = "mkdir -p own; printf '[core] hooksPath = own ; mine\\n'";

/** Nothing of these changes `outside/keep` or its neighbors, shows it in the project, or runs. */
const attempts: Readonly<Record<string, Attempt>> = {
	"a link for the message of a commit": [base, "ln -sf ../../outside/keep .git/COMMIT_EDITMSG", commit],
	"a link to the hooks for the message of a commit": [
		`${base} printf '#!/bin/sh\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
		`printf '#!/bin/sh\\ntouch "$HOME/ESCAPED"\\n' > .git/MERGE_MSG; ln -sf hooks/pre-commit .git/COMMIT_EDITMSG`,
		[["commit", "-q", "--allow-empty", "--no-edit"], ...commit],
	],
	"a link for the log of a branch": [
		base,
		"rm .git/logs/refs/heads/main; ln -s ../../../../../outside/keep .git/logs/refs/heads/main; chmod 311 .git/logs",
		commit,
	],
	"a link for a worktree that is gone": [
		base,
		"mkdir .git/worktrees; ln -s ../../../outside .git/worktrees/x",
		[["worktree", "prune"]],
	],
	"a link whose name is not text": [
		base,
		"mkdir .git/worktrees; ln -s ../../../outside $(printf '.git/worktrees/\\377')",
		[["worktree", "prune"]],
	],
	"a link for unfinished work": [base, "ln -s ../../outside .git/rebase-apply", [["am", "--quit"]]],
	"a link in a new repository": [
		"",
		"git init -q new; ln -s ../../../outside/keep new/.git/COMMIT_EDITMSG",
		commit,
		"new",
	],
	"a link in a submodule": [
		`${base} git init -q ../lib; git -C ../lib commit -q --allow-empty -m x; git submodule --quiet add ../lib sub`,
		"ln -s ../../../../outside/keep .git/modules/sub/COMMIT_EDITMSG",
		commit,
		"sub",
	],
	"an index with a hook": [base, indexOf(".git/hooks/pre-commit"), checkout],
	"an index with a hook, as a split one": [
		base,
		`${indexOf(".git/hooks/pre-commit")}; git update-index --split-index`,
		checkout,
	],
	"an index whose entries are shorter than they look": [
		base,
		`oid=$(git hash-object -w run); perl -MDigest::SHA=sha1 -e 'my ($o) = @ARGV; my $e = sub { my ($stat, $length, $p) = @_; pack("N10", ($stat) x 6, 0100755, 0, 0, 0) . pack("H40", $o) . pack("n", $length) . $p }; my $h = ".git/hooks/pre-commit"; my $hook = $e->(0x01010101, length $h, $h); $hook .= "\\0" x (8 - length($hook) % 8); print my $x = "DIRC" . pack("NN", 2, 2) . $e->(0, 1, "+b") . $hook . "AAAA" . pack("N", 40) . "x" x 40; print sha1($x)' $oid > .git/new; mv .git/new .git/index`,
		checkout,
	],
	"a sparse index with a repository for a directory": [base, sparse(".git/"), checkout],
	"a sparse index with a file for a directory": [base, sparse("b/").replace("040000", "0100755"), checkout],
	"directories in an index that is not sparse": [base, sparse("b/").replace("sdir", "TREE"), checkout],
	"an index with a file outside": [base, indexOf("../outside/keep"), checkout],
	"an index of a submodule with a file outside": [
		`${base} git init -q ../lib; git -C ../lib commit -q --allow-empty -m x; git submodule --quiet add ../lib sub`,
		`export GIT_DIR=.git/modules/sub; ${indexOf("../../outside/keep").replace(".git/index", ".git/modules/sub/index")}`,
		checkout,
		"sub",
	],
	"an index of a worktree with a file outside": [
		`${base} git worktree add -q part`,
		indexOf("../../outside/keep").replace(".git/index", ".git/worktrees/part/index"),
		checkout,
		"part",
	],
	"an index with a hook of a repository below": [
		`${base} git init -q part`,
		indexOf("part/.git/hooks/pre-commit"),
		[
			["checkout", "-q", "--", "."],
			["-C", "part", ...(commit[0] ?? [])],
		],
	],
	"a file outside as a resolved conflict": [base, resolved("../outside/keep"), commit],
	"a link as a resolved conflict": [base, `ln -s ../outside/keep l; ${resolved("l")}`, commit],
	"a remote that is a file": [
		base,
		`mkdir -p .git/remotes node_modules; git init -q --bare node_modules/e; cp made/hooks/pre-commit node_modules/e/hooks/pre-receive; printf 'URL: %s\\nPush: refs/heads/main:refs/heads/main\\n' "$PWD/node_modules/e" > .git/remotes/origin`,
		[["push", "-q"]],
	],
	"hooks that a setting with a comment names": [
		`${hook} >> .git/config`,
		"cp made/hooks/pre-commit own",
		commit,
	],
	"hooks that an included file names": [
		`${hook} > shared; git config include.path ../shared`,
		"cp made/hooks/pre-commit own",
		commit,
	],
	"hooks that the user's settings name": [
		`${hook} > ../home/.gitconfig`,
		"cp made/hooks/pre-commit own",
		commit,
	],
	"new hooks that the user's settings name": [
		`${hook} > ../home/.gitconfig; rmdir own`,
		"mkdir own; cp made/hooks/pre-commit own",
		commit,
	],
};

for (const landlock of [false, true]) {
	const attempt = needs("git", "perl", ...(landlock ? neededForLandlock : neededPrograms));
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		for (const [name, [prepare, command, git, directory = "."]] of Object.entries(attempts))
			attempt(`git uses nothing of ${name}`, async () => {
				await using box = await sandboxFixture({
					landlock,
					files: { "outside/keep": "secret\n", "home/.config/x": "" },
					prepare(cwd) {
						mkdirSync(cwd, { recursive: true });
						const settings = [
							"init.defaultBranch=main",
							"user.name=u",
							"user.email=u@e",
							"protocol.file.allow=always",
						];
						const parameters = settings.map((each) => `'${each}'`).join(" ");
						const env = {
							PATH: process.env.PATH,
							HOME: join(cwd, "../home"),
							GIT_CONFIG_PARAMETERS: parameters,
						};
						Bun.spawnSync(["bash", "-c", `git init -q; ${prepare}`], { cwd, env });
					},
				});
				await box.run(`${evil(box)}; evil made; ${command}`);
				expect(box.sandbox.disarmed().length + Number(name.startsWith("hooks"))).toBeGreaterThan(0);
				expect(gitRuns(box, directory, git)).toBe(false);
				const outside = join(box.root, "outside/keep");
				expect(existsSync(outside) && readFileSync(outside, "utf8")).toBe("secret\n");
				const leaked = Bun.spawnSync(["grep", "-rl", "secret", join(box.cwd, ".git")]).stdout.toString();
				expect(leaked).toBe("");
			});

		attempt("regression: what commands add to a sparse index stays in it", async () => {
			await using box = await sandboxFixture({
				landlock,
				prepare(cwd) {
					mkdirSync(cwd, { recursive: true });
					const script = `git init -q; mkdir a b; touch a/x b/y; git add .; git -c user.name=u -c user.email=u@e commit -qm 1; git sparse-checkout set --cone --sparse-index a`;
					Bun.spawnSync(["bash", "-c", script], { cwd });
				},
			});
			await box.run("touch a/z; git add a/z");
			expect(box.sandbox.disarmed()).toEqual([]);
			expect((await box.run("git ls-files --sparse")).text).toBe("a/x\na/z\nb/\n");
		});

		attempt("what commands add to a repository of SHA-256 stays in its index", async () => {
			await using box = await sandboxFixture({
				landlock,
				prepare(cwd) {
					mkdirSync(cwd, { recursive: true });
					Bun.spawnSync(["git", "init", "-q", "--object-format=sha256"], { cwd });
				},
			});
			await box.run("touch a; mkdir b; touch b/c; git add .");
			expect(box.sandbox.disarmed()).toEqual([]);
			expect((await box.run("git ls-files")).text).toBe("a\nb/c\n");
		});
	});
}
