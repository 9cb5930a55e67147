/** Commits contain what was shown, in as many steps as wanted, and nothing else. */
import { afterAll, beforeEach, expect } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { readChanges } from "./changes.ts";
import { makeCommits } from "./make-commits.ts";
import { isConventional, proposeCommits } from "./propose.ts";
import { CommitRepository } from "./repository.ts";

const test = needs("git");

const base = mkdtempSync(join(tmpdir(), "tau-commits-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const { signal } = new AbortController();
const env = {
	...process.env,
	HOME: base,
	GIT_CONFIG_GLOBAL: join(base, "gitconfig"),
	GIT_CONFIG_NOSYSTEM: "1",
};
writeFileSync(join(base, "gitconfig"), "[user]\nname = t\nemail = t@t\n[init]\ndefaultBranch = main\n");
let count = 0;
let cwd = "";
let repository = new CommitRepository({ cwd, env, isTrusted: true, signal });

beforeEach(() => {
	cwd = join(base, `${++count}`);
	mkdirSync(cwd);
	git("init", "-q");
	repository = new CommitRepository({ cwd, env, isTrusted: true, signal });
});

function git(...args: string[]): string {
	const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...args], { cwd, env });
	if (exitCode !== 0) throw new Error(`${args.join(" ")}: ${stderr.toString()}`);
	return stdout.toString().trim();
}

function write(path: string, text: string | Uint8Array): void {
	mkdirSync(dirname(join(cwd, path)), { recursive: true });
	writeFileSync(join(cwd, path), text);
}

/** Numbers that are the same in every run. */
function random(seed: number): (below: number) => number {
	let state = seed + 1;
	return (below) => {
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return Math.floor((state / 2_147_483_648) * below);
	};
}

function randomLines(next: (below: number) => number): string {
	const odd = ["\u00e9", "\t", "x".repeat(30), "\r", ""];
	const lines = Array.from({ length: 10 + next(60) }, (_, at) => `${at % 7} ${odd[next(odd.length)]}\n`);
	return lines.join("") + (next(3) === 0 ? "no end" : "");
}

function changed(text: string, next: (below: number) => number): string {
	const lines = text.split("\n");
	for (let times = 1 + next(6); times > 0; times--) {
		const at = next(lines.length);
		const kind = next(3);
		if (kind === 0) lines.splice(at, 1 + next(2));
		else if (kind === 1) lines.splice(at, 0, `new ${next(99)}`);
		else lines[at] = `other ${next(99)}`;
	}
	return lines.join("\n");
}

/** TAU_TEST_SPLITS=200 is the number of the promise. */
test(
	"any division into commits ends in the tree that was shown",
	async () => {
		const splits = Number(process.env.TAU_TEST_SPLITS ?? 12);
		for (let seed = 0; seed < splits; seed++) {
			const next = random(seed);
			const texts = Array.from({ length: 3 }, () => randomLines(next));
			for (const [at, text] of texts.entries()) write(`f${at}.txt`, text);
			write("binary", new Uint8Array([0, seed % 256]));
			write("latin", new Uint8Array([0xe9, 10, seed % 200, 10]));
			git("add", "-A");
			git("commit", "-q", "--allow-empty", "-m", `base ${seed}`);
			for (const [at, text] of texts.entries()) write(`f${at}.txt`, changed(text, next));
			write("binary", new Uint8Array([0, 1, (seed + 1) % 256]));
			write("latin", new Uint8Array([0xe9, 10, (seed + 1) % 200, 10, 0xff]));
			write(`new ${seed}.txt`, "new\n");
			if (seed % 3 === 0) rmSync(join(cwd, "f0.txt"));
			if (seed % 4 === 0) chmodSync(join(cwd, "f1.txt"), 0o755);
			if (seed % 5 === 0) symlinkSync("f1.txt", join(cwd, `link${seed}`));
			const changes = await readChanges(repository, "all");
			const groups = Array.from({ length: 1 + next(5) }, () => [] as number[]);
			for (const { number } of changes.hunks) groups[next(groups.length)]?.push(number);
			const planned = groups.map((hunks, at) => ({ message: `step ${at}`, hunks }));
			await makeCommits(repository, changes, planned);
			expect(git("rev-parse", "HEAD^{tree}")).toBe(changes.tree);
			expect(git("status", "--porcelain")).toBe("");
		}
	},
	10_000 + Number(process.env.TAU_TEST_SPLITS ?? 12) * 2_000,
);

async function commitAll(message = "change"): Promise<void> {
	const changes = await readChanges(repository, "auto");
	await makeCommits(repository, changes, [{ message, hunks: changes.hunks.map(({ number }) => number) }]);
}

test("what changes after the preview is not committed", async () => {
	write("a.txt", "one\n");
	const changes = await readChanges(repository, "auto");
	write("a.txt", "two\n");
	write("b.txt", "later\n");
	await makeCommits(repository, changes, [{ message: "first", hunks: [1] }]);
	expect(git("show", "HEAD:a.txt")).toBe("one");
	expect(
		git("status", "--porcelain")
			.split("\n")
			.map((line) => line.trim()),
	).toEqual(["M a.txt", "?? b.txt"]);
});

test("only staged changes are committed where there are any, and other ones stay", async () => {
	write("a.txt", "one\n");
	await commitAll();
	write("a.txt", "two\n");
	write("b.txt", "b\n");
	git("add", "b.txt");
	await commitAll("add b");
	expect(git("show", "--name-only", "--format=%s", "HEAD").split("\n").filter(Boolean)).toEqual([
		"add b",
		"b.txt",
	]);
	expect(git("status", "--porcelain")).toBe("M a.txt");
});

test("commits are refused when HEAD or the staged changes have moved", async () => {
	write("a.txt", "one\n");
	git("add", "-A");
	const changes = await readChanges(repository, "auto");
	write("c.txt", "c\n");
	git("add", "-A");
	const planned = [{ message: "first", hunks: [1] }];
	await expect(makeCommits(repository, changes, planned)).rejects.toThrow("not those that were shown");
	git("commit", "-qm", "by the user");
	write("d.txt", "d\n");
	const later = await readChanges(repository, "auto");
	git("commit", "-q", "--allow-empty", "-m", "meanwhile");
	await expect(makeCommits(repository, later, planned)).rejects.toThrow("update-ref");
	expect(git("log", "-1", "--format=%s")).toBe("meanwhile");
});

test("the repository's hooks run, can refuse, and can change nothing that was shown", async () => {
	const hook = (name: string, script: string): void => {
		write(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
		chmodSync(join(cwd, ".git/hooks", name), 0o755);
	};
	write("a.txt", "one\n");
	hook("pre-commit", 'test "$(git diff --cached --name-only --diff-filter=A)" = a.txt || exit 1');
	hook("commit-msg", 'echo "Ticket: 7" >> "$1"');
	await commitAll();
	expect(git("log", "-1", "--format=%B").trim()).toBe("change\nTicket: 7");
	write("b.txt", "b\n");
	await expect(commitAll()).rejects.toThrow("The pre-commit hook refused");
	hook("pre-commit", "echo formatted > b.txt; git add b.txt");
	await expect(commitAll()).rejects.toThrow("changed what would be committed");
	expect(git("rev-list", "--count", "HEAD")).toBe("1");
});

test("hooks that prepare the message, follow references and come after the commit run too, as git would run them", async () => {
	const seen = join(cwd, ".git/seen");
	const hook = (name: string, script: string): void => {
		write(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
		chmodSync(join(cwd, ".git/hooks", name), 0o755);
	};
	write("a.txt", "one\n");
	hook(
		"prepare-commit-msg",
		`[ "$1" -ef .git/COMMIT_EDITMSG ] || exit 1; echo "prepare $2 $(cat "$1")" >> ${seen}; echo "[T-7] $(cat "$1")" > "$1"`,
	);
	hook("commit-msg", `echo "check $(cat "$1")" >> ${seen}`);
	hook("reference-transaction", `while read old new ref; do echo "$1 $ref" >> ${seen}; done`);
	hook("post-commit", `echo "after $(git log -1 --format=%s)" >> ${seen}`);
	await commitAll();
	expect(git("log", "-1", "--format=%B").trim()).toBe("[T-7] change");
	const lines = readFileSync(seen, "utf8").trim().split("\n");
	expect(lines.slice(0, 2)).toEqual(["prepare message change", "check [T-7] change"]);
	expect(lines).toContain("committed HEAD");
	expect(lines.at(-1)).toBe("after [T-7] change");
	hook("prepare-commit-msg", "exit 1");
	write("b.txt", "b\n");
	await expect(commitAll()).rejects.toThrow("The prepare-commit-msg hook refused");
	hook("prepare-commit-msg", ': > "$1"');
	await expect(commitAll()).rejects.toThrow("without a message");
	expect(git("rev-list", "--count", "HEAD")).toBe("1");
});

test("without trust git does not run", async () => {
	write("a.txt", "one\n");
	const stranger = new CommitRepository({ cwd, env, isTrusted: false, signal });
	await expect(readChanges(stranger, "auto")).rejects.toThrow("this project is not trusted");
});

test("the style of the history is recognized", () => {
	expect(isConventional(["feat: add x", "fix(core)!: y", "Update z"])).toBe(true);
	expect(isConventional(["Add x", "Fix y", "docs: z"])).toBe(false);
	expect(isConventional([])).toBe(false);
});

test("a long diff is summarized part by part before the message is asked for", async () => {
	for (let at = 0; at < 12; at++) write(`f${at}.txt`, `${"line of text\n".repeat(1_500)}`);
	const changes = await readChanges(repository, "auto");
	const asked: string[] = [];
	const answer = (text: string) =>
		({ content: [{ type: "text", text }], stopReason: "stop" }) as unknown as Awaited<
			ReturnType<Parameters<typeof proposeCommits>[0]["ask"]>
		>;
	const parts = { repository, changes, split: false, env: {}, signal };
	const proposal = await proposeCommits({
		...parts,
		ask: async (_, text) => {
			asked.push(text);
			return answer(text.startsWith("#") ? `#${asked.length} summary` : "Add texts");
		},
	});
	expect(proposal.commits[0]?.message).toBe("Add texts");
	expect(asked.length).toBeGreaterThan(2);
	expect(asked.at(-1)).toContain("#1 summary");
	const failing = { ...parts, ask: async () => undefined };
	expect((await proposeCommits(failing)).commits[0]?.message).toStartWith("Add 12 files");
	const strict = { ...failing, env: { TAU_COMMIT_NO_FALLBACK: "true" } };
	await expect(proposeCommits(strict)).rejects.toThrow("no model can be used");
});

test("a hunk that the model forgets is in the last commit, and one that it invents in none", async () => {
	write("a.txt", "a\n");
	write("b.txt", "b\n");
	write("c.txt", "c\n");
	const changes = await readChanges(repository, "auto");
	const text = '```json\n{"commits":[{"message":"one","hunks":[2,9]},{"message":"two","hunks":[2,1]}]}\n```';
	const message = { content: [{ type: "text", text }], stopReason: "stop" };
	const { commits } = await proposeCommits({
		repository,
		changes,
		split: true,
		env: {},
		signal,
		ask: async () => message as never,
	});
	expect(commits).toEqual([
		{ message: "one", hunks: [2] },
		{ message: "two", hunks: [1, 3] },
	]);
	await makeCommits(repository, changes, commits);
	expect(git("log", "--format=%s").split("\n")).toEqual(["two", "one"]);
});
