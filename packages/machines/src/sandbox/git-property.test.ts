/** Whatever a command puts wherever in a `.git`: the user's git starts nothing but itself, and opens nothing outside. */
import { expect } from "bun:test";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { samples } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";
import { evil } from "./testing/user-git.ts";

/** Names that git's sources read, by gitrepository-layout(5) and the texts of its executable. */
const names =
	"HEAD ORIG_HEAD FETCH_HEAD MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD REBASE_HEAD BISECT_HEAD AUTO_MERGE BISECT_EXPECTED_REV BISECT_START BISECT_NAMES BISECT_LOG BISECT_TERMS BISECT_ANCESTORS_OK NOTES_MERGE_REF NOTES_MERGE_PARTIAL NOTES_MERGE_WORKTREE NOTES_EDITMSG COMMIT_EDITMSG MERGE_MSG MERGE_MODE MERGE_RR MERGE_AUTOSTASH SQUASH_MSG TAG_EDITMSG EDIT_DESCRIPTION description index index.lock sharedindex.0123456789012345678901234567890123456789 packed-refs packed-refs.lock shallow config config.worktree config.lock commondir gitdir locked gc.pid gc.log hooks hooks/pre-commit hooks/post-index-change hooks/reference-transaction hooks/fsmonitor-watchman info info/exclude info/attributes info/sparse-checkout info/grafts info/refs info/alternates branches branches/origin remotes remotes/origin logs logs/HEAD logs/refs logs/refs/heads logs/refs/heads/main logs/refs/stash objects/info objects/info/alternates objects/info/http-alternates objects/info/packs objects/info/commit-graph objects/info/commit-graphs objects/info/commit-graphs/commit-graph-chain objects/pack objects/pack/multi-pack-index objects/pack/pack-0123456789012345678901234567890123456789.idx objects/pack/pack-0123456789012345678901234567890123456789.pack objects/pack/pack-0123456789012345678901234567890123456789.promisor objects/01 objects/01/23456789012345678901234567890123456789 refs refs/heads refs/heads/main refs/heads/topic refs/heads/new refs/tags refs/tags/t refs/remotes refs/remotes/origin refs/remotes/origin/HEAD refs/notes/commits refs/replace/0123456789012345678901234567890123456789 refs/stash refs/bisect/bad refs/bisect/good-1 refs/worktree/x reftable reftable/tables.list rebase-merge rebase-merge/git-rebase-todo rebase-merge/done rebase-merge/author-script rebase-merge/strategy rebase-merge/head-name rebase-merge/onto rebase-merge/interactive rebase-merge/autostash rebase-merge/gpg_sign_opt rebase-apply rebase-apply/applying rebase-apply/apply-opt rebase-apply/next rebase-apply/last rebase-apply/head-name rebase-apply/patch sequencer sequencer/todo sequencer/opts sequencer/head rr-cache rr-cache/0123456789012345678901234567890123456789 rr-cache/0123456789012345678901234567890123456789/preimage lost-found lost-found/other worktrees worktrees/x worktrees/x/HEAD worktrees/x/gitdir worktrees/x/commondir worktrees/x/config.worktree worktrees/x/index worktrees/x/locked modules modules/x modules/x/config modules/x/HEAD modules/x/hooks fsmonitor--daemon fsmonitor--daemon/cookies lfs lfs/objects lfs/tmp svn svn/.metadata annex unknown unknown/x".split(
		" ",
	);

/** `$1` is the path, `$O` the directory outside. */
const kinds = [
	"printf 'ref: commondir\\n' > $1",
	"printf 'ref: ../../../outside/keep\\n' > $1",
	"printf '%s/other/.git\\n' $O > $1",
	"printf '%s/other/.git/objects\\n' $O > $1",
	"printf 'gitdir: %s/other/.git\\n' $O > $1",
	"cat made/config > $1",
	"cp run $1",
	'printf "exec $PWD/run\\n" > $1',
	'printf "$(git rev-parse HEAD) refs/heads/../../x\\n" > $1',
	"ln -s $O/keep $1",
	"ln -s $O/other/.git $1",
	"ln -s $O $1",
	"ln -s $PWD/made $1",
	"cp -r made $1",
	"mkfifo $1",
	"mkdir $1",
];

const commands =
	"status; log -3; branch -a; diff HEAD; show -s; rev-parse HEAD; ls-files -s; for-each-ref; log -g -2; worktree list; remote -v; stash list; tag -n; describe --always; count-objects; notes list; submodule status";

for (const landlock of [false, true])
	needs("git", "strace", ...(landlock ? neededForLandlock : neededPrograms))(
		`git starts only itself after random changes in ${landlock ? "Landlock" : "bubblewrap"}`,
		async () => {
			for (let left = samples(400, 6); left > 0; left--) {
				const seed = Math.floor(Math.random() * 2 ** 31);
				const planted = script(seed);
				const opened = await openedAfter(planted, landlock);
				expect({ seed, planted, opened }).toEqual({ seed, planted, opened: [] });
			}
		},
		600_000,
	);

function script(seed: number): string {
	let state = seed;
	const below = (end: number): number => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
		return (state >> 8) % end;
	};
	const pick = (from: readonly string[]): string => from[below(from.length)] ?? "";
	return Array.from({ length: 8 }, (_, number) => {
		const at = `.git/${pick(names)}`;
		const isReplaced = below(3) === 0;
		return `${isReplaced ? `mv ${at} moved${number}; ` : ""}mkdir -p ${join(at, "..")}; plant() { ${pick(kinds)}; }; plant ${at}`;
	}).join("\n");
}

/** What the user's git has opened outside, and the programs that it has started. */
async function openedAfter(planted: string, landlock: boolean): Promise<string[]> {
	await using box = await sandboxFixture({
		landlock,
		files: { "outside/keep": "secret\n", "outside/other/x": "" },
		prepare(cwd) {
			const git = (at: string, args: string): unknown =>
				Bun.spawnSync(["sh", "-c", args], { cwd: at, env: { ...identity, PATH: process.env.PATH } });
			git(join(cwd, "../outside/other"), "git init -q; git add x; git commit -qm o");
			mkdirSync(join(cwd, "s"));
			git(
				cwd,
				"git init -q -b main; echo a > f; git add f; git commit -qm 1; git branch topic; git worktree add -q tree; git tag -a -m t t; git pack-refs --all; git update-ref refs/heads/main HEAD",
			);
		},
	});
	await box.run(`${evil(box)}; evil made; O=${box.root}/outside; exec 2> /dev/null; ${planted}`);
	// What was put in the place of objects is found a little later, and at the end.
	await box.sandbox[Symbol.asyncDispose]();
	const trace = join(box.root, "trace");
	const lines = commands.split("; ").map((each) => `timeout -s KILL 5 git ${each} < /dev/null`);
	Bun.spawnSync(
		[
			"strace",
			"-f",
			"-s",
			"400",
			"-e",
			"trace=execve,open,openat,creat",
			"-o",
			trace,
			"sh",
			"-c",
			lines.join("\n"),
		],
		{
			cwd: box.cwd,
			env: { ...identity, PATH: process.env.PATH, HOME: box.home },
			stdout: "ignore",
			stderr: "ignore",
		},
	);
	const all = readFileSync(trace, "utf8").split("\n");
	rmSync(trace);
	const isOdd = (line: string): boolean =>
		/\b(?:open|openat|creat)\(/.test(line)
			? line.includes(`${box.root}/outside`) || /"(?:[^"]*\/)?\.\.\/outside/.test(line)
			: /execve\("/.test(line) && (line.includes(`"${box.root}`) || line.includes('"./'));
	return all.filter(isOdd);
}

const identity = {
	GIT_CONFIG_NOSYSTEM: "1",
	GIT_AUTHOR_NAME: "u",
	GIT_AUTHOR_EMAIL: "u@e",
	GIT_COMMITTER_NAME: "u",
	GIT_COMMITTER_EMAIL: "u@e",
	GIT_PAGER: "cat",
};
