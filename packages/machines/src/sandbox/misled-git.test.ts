/** Settings, `.git` files and names that a command writes lead the user's git to no other repository, directory or file. */
import { afterAll, describe, expect } from "bun:test";
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import {
	neededForLandlock,
	neededPrograms,
	sandboxFixture,
	type SandboxFixture,
} from "./testing/sandbox-fixture.ts";
import { evil } from "./testing/user-git.ts";

const settings = mkdtempSync(join(tmpdir(), "tau-git-"));
writeFileSync(
	join(settings, "config"),
	'[user]\nname=u\nemail=u@example.org\n[protocol "file"]\nallow=always\n[init]\ndefaultBranch=main\n[core]\neditor=true\n[rerere]\nenabled=true\n',
);
afterAll(() => rmSync(settings, { recursive: true, force: true }));

function bash(cwd: string, script: string): string {
	const env = {
		PATH: process.env.PATH,
		HOME: join(cwd, "../home"),
		GIT_CONFIG_GLOBAL: join(settings, "config"),
		GIT_CONFIG_NOSYSTEM: "1",
	};
	return Bun.spawnSync(["timeout", "30", "bash", "-c", script], { cwd, env }).stdout.toString();
}

interface Attempt {
	readonly prepare?: string;
	readonly command: string;
	/** What the user does then, outside. */
	readonly user: string;
}

const made =
	"made() { git init -qb main $1; (cd $1; echo e > e; git add e; git -c user.name=u -c user.email=u@e commit -qm e); };";
const tree = (value: string, link: string): Attempt => ({
	command: `${made} made n; rm n/e; ln -s $(realpath ../outside) "$(printf '${link}')"; printf '[core]\\n\\tworktree = ${value}\\n' >> n/.git/config`,
	user: "cd n; git checkout -- .; git reset -q --hard; git clean -qfdx",
});
/** A submodule whose repository is below what looks like another one. */
const submodule = (name: string, above: string): Attempt => ({
	command: `${made} made w; mkdir -p .git/modules/${name} s; cp -r w/.git/. .git/modules/${name}; evil .git/modules/${name}; ${above}; printf '[submodule "${name}"]\\n\\tpath = s\\n\\turl = ./other\\n' > .gitmodules; git update-index --add --cacheinfo 160000,$(git -C w rev-parse HEAD),s; git add .gitmodules; mv w ../gone || true`,
	user: "git submodule update --init; git status; git -C s status",
});
const pointer = (path: string, isLink = false): Attempt => ({
	command: `${made} made n/node_modules/q; evil n/node_modules/q/.git; ${isLink ? `ln -s ${path} n/.git` : `echo 'gitdir: ${path}' > n/.git`}`,
	user: "cd n; git status; git st",
});
const hash = "0123456789012345678901234567890123456789";
const resolution = (name: string, more = ""): Attempt => ({
	command: `mkdir -p .git/rr-cache/${hash}; echo x > .git/rr-cache/${hash}/preimage; ${more}; printf '${hash}\\t${name}\\0' > .git/MERGE_RR`,
	user: "git commit -q --allow-empty -m x",
});
const hidden = "../outside/secret";
const ownWorktrees =
	"git config core.repositoryformatversion 1; git config extensions.worktreeConfig true; git init -q --bare ../up; git remote add origin ../up; git push -qu origin main;";
const bare = (path: string): string =>
	`mkdir -p ${path}; git init -q --bare ${path}; printf '#!/bin/sh\\ntouch %s/ESCAPED\\n' $HOME > ${path}/hooks/pre-receive; chmod +x ${path}/hooks/pre-receive`;
const push = "git commit -q --allow-empty -m x; git push -q; git push -q origin main; git push -q x main";

const ignored = "echo node_modules > .gitignore;";
const deep =
	"echo node_modules > .gitignore; git init -q a/b/c/d; git -C a/b/c/d commit -q --allow-empty -m d";
const usedDeep = "cd a/b/c/d; git status; git commit -q --allow-empty -m x; git st";

/** A submodule of the user that a command leads to another repository, where no search comes to either. */
const ledSubmodule = (path: string): Attempt => ({
	prepare: `${ignored} git init -q ../up; git -C ../up commit -q --allow-empty -m u; git submodule --quiet add -f ../up '${path}'; git commit -qm s`,
	command: `${made} made node_modules/q; evil node_modules/q/.git; rm -f '${path}/.git'; echo "gitdir: $PWD/node_modules/q/.git" > '${path}/.git'`,
	user: `git status; cd '${path}'; git status; git st`,
});

const attempts: Readonly<Record<string, Attempt>> = {
	"a work tree that ends with white space": tree("../../n\\302\\240", "n\\302\\240"),
	"a work tree whose name is not text": tree("../../n\\377", "n\\377"),
	"a work tree with a zero byte": tree("../../l\\000/../n", "l"),
	"a work tree behind a form feed": tree("../../n\\f", "n\\f"),
	"a submodule behind a HEAD alone": submodule("a/logs/x", "echo ref: refs/heads/main > .git/modules/a/HEAD"),
	"a submodule deep behind a HEAD": submodule("a/u/v/x", "echo ref: refs/heads/main > .git/modules/a/HEAD"),
	"a submodule in the logs of what is no repository for git": submodule(
		"a/logs/x",
		"mkdir .git/modules/a/objects .git/modules/a/refs; : > .git/modules/a/HEAD",
	),
	"a submodule in an unknown directory of it": submodule(
		"a/u/v/x",
		"mkdir .git/modules/a/objects .git/modules/a/refs; echo ref: x > .git/modules/a/HEAD",
	),
	"a submodule among its hooks": submodule(
		"a/hooks/x",
		"mkdir .git/modules/a/objects .git/modules/a/refs; : > .git/modules/a/HEAD",
	),
	"a submodule among files of another tool": submodule(
		"a/sl/y/x",
		"mkdir .git/modules/a/objects .git/modules/a/refs; : > .git/modules/a/HEAD",
	),
	"a repository in node_modules that git does not ignore": {
		command: `${made} made node_modules/q; evil node_modules/q/.git`,
		user: "git add -A; git status",
	},
	"one in node_modules that git ignores elsewhere": {
		prepare: "mkdir part; echo /node_modules > .gitignore; echo node_modules > part/.gitignore",
		command: `${made} made a/node_modules/q; evil a/node_modules/q/.git; echo '!node_modules' >> part/.gitignore; made part/node_modules/p; evil part/node_modules/p/.git`,
		user: "git add -A; git status",
	},
	"one in node_modules of a repository whose own .gitignore does not name it": {
		prepare: `${ignored} git init -q n; git -C n commit -q --allow-empty -m n`,
		command: `${made} made n/node_modules/q; evil n/node_modules/q/.git`,
		user: "cd n; git add -A; git status",
	},
	"one in a directory that some file systems take for .git": {
		command: `${made} made .GIT/q; evil .GIT/q/.git; made x/.Git/q; evil x/.Git/q/.git; ln -s .GIT/q n`,
		user: "for each in .GIT/q x/.Git/q n; do (cd $each; git status; git st); done",
	},
	"settings and hooks of a repository four levels below": {
		prepare: deep,
		command:
			"evil a/b/c/d/.git; printf '[core]\\n\\tfsmonitor = %s/run\\n' $PWD > a/b/c/d/.git/config.worktree",
		user: usedDeep,
	},
	"a hook four levels below that was not executable": {
		prepare: `${deep}; printf '#!/bin/sh\\ntouch %s/ESCAPED\\n' $HOME > a/b/c/d/.git/hooks/post-checkout`,
		command: "chmod +x a/b/c/d/.git/hooks/post-checkout",
		user: "cd a/b/c/d; git checkout -q -b x",
	},
	"hooks at another place four levels below": {
		prepare: `${deep}; cd a/b/c/d; git config core.hooksPath own; mkdir own; printf '#!/bin/sh\\n' > own/post-checkout; chmod +x own/post-checkout`,
		command: "evil made; cp made/hooks/* a/b/c/d/own",
		user: "cd a/b/c/d; git checkout -q -b x; git commit -q --allow-empty -m x",
	},
	"settings that one four levels below includes": {
		prepare: `${deep}; cd a/b/c/d; git config include.path ../one; git config --add include.path ../two; touch one`,
		command: "evil made; cp made/config a/b/c/d/one; cp made/config a/b/c/d/two",
		user: usedDeep,
	},
	"a repository in the place of one four levels below": {
		prepare: deep,
		command: `mv a/b/c/d gone; ${made} made node_modules/q; evil node_modules/q/.git; mkdir a/b/c/d; cp -r node_modules/q/.git a/b/c/d/.git`,
		user: usedDeep,
	},
	"a link in the place of one four levels below": {
		prepare: deep,
		command: `mv a/b/c/d/.git ../gone || mv a/b/c/d/.git gone; ${made} made node_modules/q; evil node_modules/q/.git; ln -s ../../../../node_modules/q/.git a/b/c/d/.git`,
		user: usedDeep,
	},
	"the .git file of a worktree four levels below": {
		prepare: "mkdir -p a/b/c; git worktree add -q a/b/c/d",
		command: `${made} made node_modules/q; evil node_modules/q/.git; echo "gitdir: $PWD/node_modules/q/.git" > a/b/c/d/.git`,
		user: usedDeep,
	},
	"a submodule whose path git writes in quotes": ledSubmodule("node_modules/c;d"),
	"a submodule of a submodule": {
		...ledSubmodule("node_modules/mid/x/y"),
		prepare: `${ignored} git init -q ../up; git -C ../up commit -q --allow-empty -m u; git init -q ../mid; git -C ../mid submodule --quiet add ../up x/y; git -C ../mid commit -qm m; git submodule --quiet add -f ../mid node_modules/mid; git submodule --quiet update --init --recursive; git commit -qm s`,
	},
	"one that .gitmodules does not name": {
		...ledSubmodule("node_modules/c"),
		prepare: `${ledSubmodule("node_modules/c").prepare}; git rm -q --cached .gitmodules; rm .gitmodules; git commit -qm r`,
	},
	"settings of a repository in node_modules that the index names": {
		prepare: `${ignored} git init -q node_modules/c; git -C node_modules/c commit -q --allow-empty -m c; git add -f node_modules/c; git commit -qm s`,
		command: "evil node_modules/c/.git",
		user: "git status; cd node_modules/c; git commit -q --allow-empty -m x",
	},
	"a remote of the user's repository in node_modules": {
		prepare: `${ignored} git init -q --bare node_modules/up; git remote add origin node_modules/up; git push -qu origin main`,
		command: "evil node_modules/up; cp node_modules/up/hooks/pre-commit node_modules/up/hooks/pre-receive",
		user: push,
	},
	"one that was not there yet": {
		prepare: `${ignored} git remote add origin ./node_modules/e; git config branch.main.remote origin; git config branch.main.merge refs/heads/main`,
		command: bare("node_modules/e.git"),
		user: push,
	},
	"a link to a repository in node_modules": {
		prepare: ignored,
		command: `${made} made node_modules/a/q; evil node_modules/a/q/.git; ln -s node_modules/a z`,
		user: "cd z/q; git status",
	},
	"a link into a repository in node_modules": {
		command: `${ignored} ${made} made node_modules/q; evil node_modules/q/.git; mkdir -p node_modules/q/a/b; ln -s node_modules/q/a/b z`,
		user: "cd z; git status; git st",
	},
	"a link to node_modules itself": {
		command: `${ignored} ${made} made node_modules; evil node_modules/.git; ln -s node_modules z`,
		user: "cd z; git status; git st",
	},
	"a link after a thousand others": {
		command: `${ignored} ${made} made node_modules/q; evil node_modules/q/.git; mkdir many; for i in $(seq 1000 2000); do ln -s ../x many/$i; done; ln -s ../node_modules/q many/z`,
		user: "cd many/z; git status; git st",
	},
	"a link to a repository in .git": {
		command: `${made} made .git/u/v/q; evil .git/u/v/q/.git; ln -s .git/u/v/q z`,
		user: "cd z; git status",
	},
	"a .git file through /proc": pointer("/proc/self/cwd/node_modules/q/.git"),
	"a .git file through a thread of /proc": pointer("/proc/thread-self/cwd/node_modules/q/.git"),
	"a link through /proc": pointer("/proc/self/cwd/node_modules/q/.git", true),
	"a link into the project": pointer("node_modules/q/.git", true),
	"a .git file through a link to /proc": {
		...pointer("c/node_modules/q/.git"),
		command: `${pointer("c/node_modules/q/.git").command}; ln -s /proc/self/cwd n/c`,
	},
	"a resolved conflict in a file whose name is not text": resolution(
		"n\\377",
		`echo x > $(printf 'n\\357\\277\\275'); ln -s ${hidden} $(printf 'n\\377')`,
	),
	"one in a directory whose name is not text": resolution(
		"n\\377/secret",
		`mkdir $(printf 'n\\357\\277\\275'); ln -s ../outside $(printf 'n\\377')`,
	),
	"one behind a link to /proc": resolution("c/secret", "ln -s /proc/self/cwd/../outside c"),
	"an address to push to in settings of the worktree": {
		prepare: ownWorktrees,
		command: `${bare("node_modules/e")}; printf '[remote "origin"]\\n\\tpushurl = %s/node_modules/e\\n' $PWD > .git/config.worktree`,
		user: push,
	},
	"a remote of a branch in settings of the worktree": {
		prepare: ownWorktrees,
		command: `${bare("node_modules/e")}; printf '[branch "main"]\\n\\tremote = %s/node_modules/e\\n' $PWD > .git/config.worktree`,
		user: push,
	},
	"a remote in node_modules of a new repository": {
		command: `${bare("node_modules/e")}; ${made} made n; git -C n remote add origin ../node_modules/e; git -C n config branch.main.remote origin; git -C n config branch.main.merge refs/heads/main`,
		user: `cd n; ${push}`,
	},
	"one that git finds under a longer name": {
		command: `${bare("node_modules/e.git")}; ${made} made n; git -C n remote add origin $PWD/node_modules/e; git -C n config branch.main.remote origin`,
		user: `cd n; ${push}`,
	},
	"one of a worktree elsewhere": {
		command: `${bare("w/node_modules/e")}; ${made} made n; git -C n remote add origin ../node_modules/e; git -C n worktree add -q ../w/t`,
		user: `cd w/t; git push -q origin HEAD:x`,
	},
	"a remote that is the name of a directory": {
		command: `${bare("n/node_modules")}; ${made} made n; git -C n config branch.main.remote node_modules; git -C n config branch.main.merge refs/heads/main`,
		user: "cd n; git push -q",
	},
};

for (const landlock of [false, true]) {
	const needed = needs("git", ...(landlock ? neededForLandlock : neededPrograms));
	const start = (script = ""): Promise<SandboxFixture> =>
		sandboxFixture({
			landlock,
			files: { "outside/keep": "keep\n", "outside/secret": "SECRET\n" },
			prepare: (cwd) => void bash(cwd, `git init -q; git commit -q --allow-empty -m 0; ${script}`),
		});
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		for (const [name, { prepare, command, user }] of Object.entries(attempts))
			needed(`regression: git is not misled by ${name}`, async () => {
				await using box = await start(prepare);
				const state = (): string => bash(join(box.root, "outside"), "find . | sort; md5sum *");
				const before = state();
				await box.run(`${evil(box)}; ${command}`);
				await box.sandbox[Symbol.asyncDispose]();
				bash(box.cwd, user);
				expect(state()).toBe(before);
				expect(existsSync(join(box.home, "ESCAPED"))).toBe(false);
				expect(bash(box.cwd, "grep -r SECRET .git")).toBe("");
			});
	});
}

needs("git", ...neededPrograms)(
	"repositories that lead to each other are looked at once, and keep their index",
	async () => {
		await using box = await sandboxFixture({ prepare: (cwd) => void bash(cwd, "git init -q") });
		// The one index names two directories of the one work tree, whose `.git` files lead back.
		await box.run(
			`${made} made t; mv t/.git r; echo "gitdir: ../r" > t/.git; cd t; git config core.worktree ../t; for i in 1 2; do git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),d$i; mkdir d$i; echo "gitdir: ../../r" > d$i/.git; done`,
		);
		await box.sandbox[Symbol.asyncDispose]();
		expect(box.sandbox.disarmed().map(({ what }) => what)).toEqual([]);
		expect(existsSync(join(box.cwd, "r/index"))).toBe(true);
	},
);

needs("git", ...neededPrograms)("what git makes for ordinary use stays as it is", async () => {
	await using box = await sandboxFixture({
		prepare: (cwd) =>
			void bash(cwd, "git init -q; git init -q ../lib; git -C ../lib commit -q --allow-empty -m l"),
	});
	const identity =
		"export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=u GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=u@e GIT_CONFIG_KEY_2=protocol.file.allow GIT_CONFIG_VALUE_2=always;";
	await box.run(
		`${identity} ${made} made n; cd n; git config user.name "Jörg O'Brien"; git config rerere.enabled true; git remote add origin https://git.example.org/a/b.git; git submodule --quiet add $(realpath ../../lib) "libs/a b"; git submodule --quiet add $(realpath ../../lib) Bücher; git commit -qm s; ln -s e link; git worktree add -q ../t; git clone -q . ../c; git clone -q ../c ../c2; git -C ../c sparse-checkout set --cone libs`,
	);
	expect(box.sandbox.disarmed().map(({ what }) => what)).toEqual([]);
	expect(lstatSync(join(box.cwd, "n/link")).isSymbolicLink()).toBe(true);
	const config = readFileSync(join(box.cwd, "n/.git/modules/libs/a b/config"), "utf8");
	expect(config).toMatch(/worktree = (?:\.\.\/)+libs\/a b\n/);
	expect(
		bash(
			box.cwd,
			"git -C n status --porcelain; git -C n submodule status | wc -l; git -C c ls-files -v | head -1",
		),
	).toContain("2\n");
});

needs("git", ...neededPrograms)(
	"a repository of the user four levels below keeps what is the user's",
	async () => {
		await using box = await sandboxFixture({
			prepare: (cwd) =>
				void bash(
					cwd,
					`git init -q; ${deep}; cd a/b/c/d; git config alias.mine '!true'; printf '#!/bin/sh\\ntrue\\n' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push; ln -s ../../tool .git/hooks/pre-commit; cp .git/hooks/pre-push tool; git config gpg.program ./tool`,
				),
		});
		await box.run(
			"git clone -q a/b/c/d n; cd a/b/c/d; git config user.name u; git checkout -qb topic; echo evil > .git/hooks/pre-push; echo evil > tool; rm -rf ../none",
		);
		box.sandbox.disarmed();
		const at = (path: string): string => join(box.cwd, "a/b/c/d/.git", path);
		expect(readFileSync(at("config"), "utf8")).toMatch(/name = u[^]*mine = !true|mine = !true[^]*name = u/);
		expect(readFileSync(at("hooks/pre-push"), "utf8")).toBe("#!/bin/sh\ntrue\n");
		expect(statSync(at("hooks/pre-push")).mode & 0o111).toBe(0o111);
		expect(lstatSync(at("hooks/pre-commit")).isSymbolicLink()).toBe(true);
		expect(readFileSync(at("../tool"), "utf8")).toBe("#!/bin/sh\ntrue\n");
		expect(statSync(at("../tool")).mode & 0o111).toBe(0o111);
	},
);
