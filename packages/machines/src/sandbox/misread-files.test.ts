/** Names, contents and times that Tau could take for others than git does, or that make looking at them fail: nothing is hidden by them. */
import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { GitContents } from "./git-contents.ts";
import { IndexPaths } from "./index-paths.ts";
import { RepositorySearch } from "./repository-search.ts";
import {
	hasMemory,
	memory,
	neededForLandlock,
	neededPrograms,
	sandboxFixture,
	type SandboxFixture,
} from "./testing/sandbox-fixture.ts";
import { projectGit } from "./testing/project-git.ts";
import { evil } from "./testing/user-git.ts";

const { bash } = projectGit();

interface Attempt {
	readonly prepare?: string;
	readonly inMemory?: boolean;
	/** The user's settings name it, so that commands may not even be able to write there. */
	readonly isNamed?: boolean;
	/** Commands in the sandbox, one after another. */
	readonly commands: readonly string[];
	/** What the user does then, outside. */
	readonly user: string;
}

const conflict =
	"echo a > f; git add f; git commit -qm 1; git checkout -qb topic; echo b > f; git commit -qam 2; git checkout -q main; echo c > f; git commit -qam 3; git checkout -q topic;";
const rebase = `${conflict} git rebase -q main`;
const repository = (path: string): string =>
	`git init -q ${path}; (cd ${path}; git -c user.name=u -c user.email=u@e commit -q --allow-empty -m e); evil ${path}/.git`;
/** The character that stands for what is not text, as a name of its own. */
const character = "F=$(printf '\\357\\277\\275')";
const head = "$(git rev-parse HEAD)";

const attempts: Readonly<Record<string, Attempt>> = {
	"a link with the name U+FFFD among worktrees": {
		commands: [`${character}; mkdir -p .git/worktrees; ln -s $(realpath ../outside) .git/worktrees/$F`],
		user: "git worktree prune",
	},
	"a log with the name U+FFFD": {
		commands: [
			`${character}; mkdir -p .git/logs/refs/heads; ln -s $(realpath ../outside/keep) .git/logs/refs/heads/$F; git symbolic-ref HEAD refs/heads/$F`,
		],
		user: "git commit -q --allow-empty -m x",
	},
	"a reference with the name U+FFFD": {
		commands: [
			`${character}; evil .git/${head}; cp -r .git/objects .git/refs .git/${head}; printf 'ref: commondir\\n' > .git/refs/heads/$F; git symbolic-ref HEAD refs/heads/$F`,
		],
		user: "git reset -q main; git status; git status",
	},
	"a repository behind a link to a name that is not text": {
		commands: [
			`d=$(printf 'node_modules/\\377'); mkdir -p $d; ${repository("$d")}; ln -s $d l; mkdir sub; echo 'gitdir: ../l/.git' > sub/.git`,
		],
		user: "cd sub; git status",
	},
	"a repository in a directory whose name is not text, made later": {
		commands: ["mkdir $(printf 'a\\377'); sleep 0.2", "true", repository("$(printf 'a\\377')")],
		user: "cd a*; git status",
	},
	"a pointer that goes back from a link": {
		commands: [
			`mkdir -p node_modules/a/b; ${repository("node_modules/a/e")}; git init -q e; ln -s node_modules/a/b l; mkdir sub; echo 'gitdir: ../l/../e/.git' > sub/.git`,
		],
		user: "cd sub; git status",
	},
	"a section with the name of a property of all objects": {
		commands: [`${repository("sub")}; printf '[constructor]\\n\\ta = b\\n' >> sub/.git/config`],
		user: "cd sub; git status",
	},
	"a worktree in a directory that is a file": {
		commands: [
			`mkdir -p .git/worktrees/e; echo /etc/passwd/.git > .git/worktrees/e/gitdir; ${repository("sub")}`,
		],
		user: "cd sub; git status",
	},
	"objects whose description is a file": {
		commands: [
			`mkdir -p objects .git/objects/info; : > objects/info; realpath objects > .git/objects/info/alternates; ${repository("sub")}`,
		],
		user: "cd sub; git status",
	},
	"a name that is too long to be told as text": {
		commands: [
			`d=$(head -c 250 /dev/zero | tr '\\0' '\\377'); mkdir $d; ${repository("$d")}; ${repository("sub")}`,
		],
		user: "for each in sub */; do (cd $each; git status); done",
	},
	"the same in a directory that cannot be written": {
		commands: [
			`d=$(printf 'above/\\377'); mkdir -p $d; ${repository("$d")}; ${repository("sub")}; chmod 555 above`,
		],
		user: "for each in sub above/*/; do (cd $each; git status); done",
	},
	"a path with a zero byte for a worktree": {
		commands: [
			"mkdir -p .git/worktrees/e x; printf '%s/.git\\0/../../../../../../../../../..%s/x/.git\\n' $(realpath ../outside/sub) $PWD > .git/worktrees/e/gitdir; echo ../.. > .git/worktrees/e/commondir; echo ref: refs/heads/x > .git/worktrees/e/HEAD",
		],
		user: "git worktree repair",
	},
	"a path that goes back from a link for a worktree": {
		commands: [
			"mkdir -p .git/worktrees/e sub; ln -s $(realpath ../outside/sub/deep) l; echo $PWD/l/../.git > .git/worktrees/e/gitdir; echo ../.. > .git/worktrees/e/commondir; echo ref: refs/heads/x > .git/worktrees/e/HEAD",
		],
		user: "git worktree repair",
	},
	"a path with a zero byte for objects": {
		commands: [
			"mkdir -p objs .git/objects/info; printf '%s\\0/../../../../../../../../../..%s/objs\\n' $(realpath ../outside/other/.git/objects) $PWD > .git/objects/info/alternates",
		],
		user: "git cat-file -e $(git -C ../outside/other rev-parse HEAD) && touch ../home/ESCAPED",
	},
	"white space that is none for git": {
		commands: [
			"S=$(printf '\\302\\240'); mkdir .git/${S}refs; ln -s $(realpath ../outside) .git/${S}refs/heads; printf 'ref: %srefs/heads/x\\n' $S > .git/ORIG_HEAD; printf 'ref: %srefs/heads/x\\n' $S > .git/refs/heads/topic",
		],
		user: "git update-ref refs/heads/topic HEAD; git reset -q --hard",
	},
	"an option of a strategy": {
		prepare: rebase,
		commands: [
			"echo resolve > .git/rebase-merge/strategy; echo \" '--index-output=$(realpath ../outside/keep)'\" > .git/rebase-merge/strategy_opts",
		],
		user: "echo r > f; git add f; git rebase --continue",
	},
	"an option of a strategy for picked commits": {
		prepare: `${conflict} git checkout -q main; git cherry-pick main..topic`,
		commands: [
			"printf '[options]\\n\\tstrategy = resolve\\n\\tstrategy-option = index-output=%s\\n' $(realpath ../outside/keep) > .git/sequencer/opts",
		],
		user: "echo r > f; git add f; git cherry-pick --continue",
	},
	"numbers that the prompt evaluates": {
		commands: [
			"mkdir .git/rebase-merge; cd .git/rebase-merge; echo '$(touch $HOME/ESCAPED)' > msgnum; echo 1 > end; echo refs/heads/main > head-name",
		],
		user: `sh=/usr/lib/git-core/git-sh-prompt; test -e $sh && { . $sh; __git_ps1 u p; echo "\${PS1@P}"; }`,
	},
	"two sections in a line": {
		isNamed: true,
		prepare: "mkdir own; touch own/x; printf '[user] [core] hooksPath = own\\n' >> .git/config",
		commands: ["cp made/hooks/post-checkout own"],
		user: "git checkout -q -b x",
	},
	"a line that continues after a carriage return": {
		isNamed: true,
		prepare: "mkdir own; touch own/x; printf '[core]\\r\\n\\thooksPath = ow\\\\\\r\\nn\\r\\n' >> .git/config",
		commands: ["cp made/hooks/post-checkout own"],
		user: "git checkout -q -b x",
	},
	"white space that git keeps in settings": {
		isNamed: true,
		prepare: "d=$(printf 'own\\302\\240'); mkdir $d; touch $d/x; git config core.hooksPath $d",
		commands: ["cp made/hooks/post-checkout own*"],
		user: "git checkout -q -b x",
	},
	"large settings": {
		isNamed: true,
		prepare:
			"mkdir own; touch own/x; { for i in $(seq 9000); do printf '[branch \"b%s\"]\\n\\tremote = origin\\n' $i; done; printf '[core]\\n\\thooksPath = own\\n'; } >> .git/config",
		commands: ["cp made/hooks/post-checkout own"],
		user: "git checkout -q -b x",
	},
	"many included settings": {
		isNamed: true,
		prepare:
			"printf '[include]\\n' >> .git/config; for i in $(seq 150); do printf '\\tpath = ../i%s\\n' $i >> .git/config; : > i$i; done",
		commands: ["cat made/config > i150"],
		user: "git status; git status",
	},
	"what is planted while many directories are not looked at": {
		inMemory: true,
		commands: [
			"mkdir -p .git/refs/tags/a{1..4100}",
			'rm .git/logs/HEAD; ln -s $(realpath ../outside/keep) .git/logs/HEAD; mkdir .git/rebase-merge; cd .git/rebase-merge; echo "exec touch $HOME/ESCAPED" > git-rebase-todo; : > done; : > interactive; echo 1 | tee msgnum end; echo refs/heads/main > head-name; git rev-parse HEAD | tee onto orig-head',
			"true",
		],
		user: "git commit -q --allow-empty -m x; git rebase --continue",
	},
};

for (const landlock of [false, true]) {
	const attempt = needs("git", ...(landlock ? neededForLandlock : neededPrograms));
	const start = (script = "", inMemory = false): Promise<SandboxFixture> =>
		sandboxFixture({
			landlock,
			inMemory,
			files: { "outside/keep": "keep\n", "outside/sub/deep/x": "", "outside/other/x": "" },
			prepare(cwd) {
				bash(join(cwd, "../outside/other"), "git init -q; git add x; git commit -qm o");
				bash(cwd, `git init -q; git commit -q --allow-empty -m 0; git branch topic0; ${script}`);
			},
		});
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		for (const [name, { prepare, commands, user, inMemory, isNamed = false }] of Object.entries(attempts))
			attempt(`regression: git is not misled by ${name}`, async () => {
				await using box = await start(prepare, inMemory);
				const state = (): string =>
					Bun.spawnSync(["sh", "-c", "find . | sort; find . -type f | sort | xargs md5sum"], {
						cwd: join(box.root, "outside"),
					}).stdout.toString();
				const before = state();
				for (const command of commands) await box.run(`${evil(box)}; evil made; ${command}`);
				await box.sandbox[Symbol.asyncDispose]();
				bash(box.cwd, user);
				expect(state()).toBe(before);
				expect(existsSync(join(box.home, "ESCAPED"))).toBe(false);
				if (!isNamed) expect(box.sandbox.disarmed().map(({ what }) => what)).not.toEqual([]);
			});
	});
}

const directory = (): string => realpathSync(mkdtempSync(join(tmpdir(), "tau-git-")));

/** Two directories with a `d` that was changed at the same time; that of the second one has a link. */
function makeTwins(root: string): readonly [one: string, other: string] {
	for (let tries = 0; tries < 1000; tries++) {
		const one = join(root, `one${tries}`);
		const other = join(root, `other${tries}`);
		for (const path of [one, other]) mkdirSync(join(path, "d"), { recursive: true });
		writeFileSync(join(one, "d/x"), "");
		symlinkSync("x", join(other, "d/.git"));
		const times = [one, other].map((path) => lstatSync(join(path, "d"), { bigint: true }).ctimeNs);
		if (times[0] === times[1]) return [one, other];
	}
	throw new Error("The clock of this file system has no coarse ticks.");
}

/** Later than all changes up to now, so that their times tell them apart. */
function passTime(): void {
	setSystemTime(new Date(Date.now() + 120_000));
}

afterEach(() => void setSystemTime());

needs("git")(
	"regression: a directory of a repository that has the time of the one before it is looked at",
	() => {
		const root = directory();
		try {
			bash(root, "git init -q; git commit -q --allow-empty -m x");
			const at = (path: string): string => join(root, ".git", path);
			const [one, other] = makeTwins(root);
			renameSync(one, at("logs/refs/p"));
			passTime();
			const contents = new GitContents(at(""), () => true).keep();
			expect(contents.disarm()).toEqual([]);
			renameSync(at("logs/refs/p"), one);
			renameSync(other, at("logs/refs/p"));
			expect(contents.disarm()).toHaveLength(1);
			expect(existsSync(at("logs/refs/p/d/.git"))).toBe(false);
		} finally {
			rmSync(root, { recursive: true, force: true });
		}
	},
);

test("regression: a directory of the project that has the time of the one before it is searched", () => {
	const root = directory();
	try {
		const hidden = join(root, "node_modules");
		mkdirSync(hidden);
		writeFileSync(join(root, ".gitignore"), "node_modules\n");
		const [one, other] = makeTwins(hidden);
		renameSync(one, join(root, "p"));
		passTime();
		const search = new RepositorySearch([root]);
		expect(search.appeared()).toEqual([]);
		renameSync(join(root, "p"), one);
		renameSync(other, join(root, "p"));
		expect(search.appeared().map(({ path }) => path)).toEqual([join(root, "p/d/.git")]);
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
});

test("regression: however many directories appear, those that were there are searched", () => {
	const root = directory();
	try {
		mkdirSync(join(root, "src/deep"), { recursive: true });
		const search = new RepositorySearch([root]);
		search.appeared();
		for (let i = 0; i < 4100; i++) mkdirSync(join(root, `a${i}`));
		mkdirSync(join(root, "src/deep/.git"));
		expect(search.appeared().map(({ path }) => path)).toEqual([join(root, "src/deep/.git")]);
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
});

test("regression: an index that git has removed meanwhile is not reported", () => {
	const root = directory();
	try {
		expect(new IndexPaths().disarm(root, ["index"])).toEqual([]);
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
});

needs("git", ...(hasMemory ? [] : [`a tmpfs at ${memory}`]))(
	"regression: a reference in memory, which has no time of its changes, is read each time",
	() => {
		const root = mkdtempSync(join(memory, "tau-git-"));
		try {
			bash(root, "git init -q; git commit -q --allow-empty -m x");
			const reference = Bun.mmap(join(root, ".git/refs/heads/main"), { shared: true });
			// From the first change on, which has a time, the others have none.
			reference.set(reference.slice());
			passTime();
			const contents = new GitContents(join(root, ".git"), () => true).keep();
			expect(contents.disarm()).toEqual([]);
			reference.set(Buffer.from("ref: commondir\n".padEnd(reference.length, "\n")));
			expect(contents.keep().disarm()).toHaveLength(1);
		} finally {
			rmSync(root, { recursive: true, force: true });
		}
	},
);

test("regression: a repository is found in a directory that is only nearly called .git, and in packages that only a project around it ignores", () => {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "tau-nearly-")));
	try {
		writeFileSync(join(root, ".gitignore"), "node_modules\n");
		mkdirSync(join(root, "own/.git"), { recursive: true });
		const search = new RepositorySearch([root]);
		search.appeared();
		const made = [".GIT/e/.git", "own/node_modules/e/.git", "own/.Git/x/.git"].map((path) =>
			join(root, path),
		);
		for (const path of [...made, join(root, "node_modules/e/.git")]) mkdirSync(path, { recursive: true });
		const found = new Set(search.appeared().map(({ path }) => path));
		expect(made.filter((path) => !found.has(path))).toEqual([]);
		expect(found.has(join(root, "node_modules/e/.git"))).toBe(false);
	} finally {
		rmSync(root, { recursive: true });
	}
});

test("regression: a repository is found in the caches of commands if a link of the project leads there", () => {
	const base = realpathSync(mkdtempSync(join(tmpdir(), "tau-elsewhere-")));
	try {
		const [root, caches] = [join(base, "project"), join(base, "caches")];
		for (const path of [root, join(caches, "q/.git"), join(caches, "q/src"), join(caches, "other/.git")])
			mkdirSync(path, { recursive: true });
		const search = new RepositorySearch([root], new Set(), { cacheDir: caches });
		expect(search.appeared()).toEqual([]);
		symlinkSync(join(caches, "q/src"), join(root, "link"));
		expect(search.appeared().map(({ path }) => path)).toEqual([join(caches, "q/.git")]);
	} finally {
		rmSync(base, { recursive: true });
	}
});
