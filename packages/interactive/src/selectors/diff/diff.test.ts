/** The changes of a session are shown by file, with further changes that git reports. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@tau/log";
import { ChangeJournal } from "@tau/log/journal";

import { needs } from "../../../../../test/support/needs.ts";
import { frame, press, testScreen, until } from "../../testing/frames.ts";
import {
	changedFiles,
	splitDiff,
	statusPaths,
	withGit,
	withJournal,
	gitChanges,
	gitDiff,
} from "@tau/session-commands/work";
import { diffSelector } from "./selector.ts";

const created = "--- /dev/null\n+++ src/new.ts\n@@ -0,0 +1,2 @@\n+one\n+two";
const edited = "--- src/a.ts\n+++ src/a.ts\n@@ -1,3 +1,3 @@\n same\n-old\n+new\n--- not a head";
const deleted = "--- gone.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x";

function result(diff: unknown, isError = false) {
	return {
		role: "toolResult" as const,
		toolCallId: "c",
		toolName: "edit",
		isError,
		timestamp: 1,
		content: [],
		details: { diff },
	};
}

describe("the files", () => {
	test("are those that tools report, with all changes to each", () => {
		const log = SessionManager.inMemory("/work");
		log.appendMessage(result(`${created}\n${edited}`));
		log.appendMessage(result(edited));
		log.appendMessage(result(deleted, true));
		log.appendMessage(result(17));
		expect(changedFiles(log.getBranch())).toEqual([
			{ path: "src/new.ts", added: 2, removed: 0, diffs: [created], inGit: undefined },
			{ path: "src/a.ts", added: 2, removed: 4, diffs: [edited, edited], inGit: undefined },
		]);
	});

	test("that only git reports come last", () => {
		const [one] = changedFiles([]);
		expect(one).toBeUndefined();
		const files = [{ path: "a", added: 1, removed: 0, diffs: ["d"], inGit: undefined }];
		expect(withGit(files, undefined)).toEqual(files);
		expect(withGit(files, ["b", "a"]).map(({ path, inGit, diffs }) => [path, inGit, diffs.length])).toEqual([
			["a", true, 1],
			["b", true, 0],
		]);
	});
});

test("files that the session changed without a diff are listed too, and none of them twice", async () => {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "tau-diff-")));
	try {
		writeFileSync(join(home, "a.ts"), "");
		const journal = new ChangeJournal();
		const paths = ["a.ts", "data.sqlite", "data.sqlite", "../else.zip"].map((path) => join(home, path));
		journal.record(paths.map((path) => ({ path, kind: "changed" as const })));
		const files = [{ path: "a.ts", added: 1, removed: 0, diffs: ["d"], inGit: undefined }];
		const all = await withJournal(files, journal.entries, home);
		expect(all.map(({ path, isRecorded }) => [path, isRecorded])).toEqual([
			["a.ts", undefined],
			["data.sqlite", true],
			[join(home, "../else.zip"), true],
		]);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
});

test("a diff of several files is split at its headers, and text that only looks like one is not", () => {
	expect(splitDiff(`${edited}\n${deleted}`).map(({ path, removed }) => [path, removed])).toEqual([
		["src/a.ts", 2],
		["gone.ts", 1],
	]);
	expect(splitDiff("")).toEqual([]);
});

test("git's list is parsed with renames and unusual names", () => {
	expect(statusPaths(" M a.ts\0R  new name.ts\0old.ts\0?? dir/\0")).toEqual(["a.ts", "new name.ts", "dir/"]);
});

needs("git")("a real repository is queried from a subdirectory", async () => {
	const made = mkdtempSync(join(tmpdir(), "tau-diff-"));
	try {
		const root = realpathSync(made);
		const git = (...args: string[]) =>
			Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root });
		git("init", "-q");
		writeFileSync(join(root, "a.txt"), "one\n");
		git("add", ".");
		git("commit", "-qm", "first");
		writeFileSync(join(root, "a.txt"), "two\n");
		writeFileSync(join(root, "b.txt"), "new\n");
		mkdirSync(join(root, "sub"));
		writeFileSync(join(root, "sub/[c].txt"), "new\n");
		const project = { cwd: root, env: process.env, isTrusted: true };
		const below = { ...project, cwd: join(root, "sub") };
		expect(await gitChanges(project)).toEqual({ paths: ["a.txt", "b.txt", "sub/[c].txt"] });
		expect(await gitDiff(project, "a.txt")).toContain("-one\n+two");
		expect(await gitDiff(project, "b.txt")).toBe("");
		expect(await gitChanges(below)).toEqual({ paths: ["[c].txt"] });
		git("add", "-N", ".");
		expect(await gitChanges(below)).toEqual({ paths: ["[c].txt"] });
		expect(await gitDiff(below, "[c].txt")).toContain("+new");
	} finally {
		rmSync(made, { recursive: true, force: true });
	}
});

test("outside a repository git reports nothing, and nothing fails", async () => {
	const made = mkdtempSync(join(tmpdir(), "tau-diff-"));
	try {
		const project = { cwd: made, env: process.env, isTrusted: false };
		expect(await gitChanges(project)).toEqual({ paths: undefined });
		expect(await gitChanges({ ...project, cwd: join(made, "missing") })).toEqual({ paths: undefined });
	} finally {
		rmSync(made, { recursive: true, force: true });
	}
});

test("the list shows the amount of changes, Enter shows the diff, and Enter again the list", async () => {
	let isClosed = false;
	const picker = diffSelector(testScreen(), {
		files: [
			{ path: "src/new.ts", added: 12, removed: 0, hasDiff: true, inGit: true },
			{ path: "src/a.ts", added: 2, removed: 4, hasDiff: true, inGit: false },
			{ path: "made-by-hand.txt", added: 0, removed: 0, hasDiff: false, inGit: true },
		],
		diffOf: async ({ path }) => {
			if (path.endsWith(".txt")) throw new Error("There is no diff.");
			return `@@ -1,1 +1,40 @@\n-old\n${Array.from({ length: 40 }, (_, at) => `+line ${at}`).join("\n")}`;
		},
		close: () => (isClosed = true),
	});
	expect(frame(picker, 80)).toMatchInlineSnapshot(`
	  "
	  ── Changed files ──────────────────────────────────────────────────────── 1/3 ──
	   >
	   ❯ src/new.ts           +12      -0
	     src/a.ts              +2      -4  no git change
	     made-by-hand.txt                  git only

	     enter show · esc close
	  "
	`);
	expect(frame(picker, 40)).toMatchInlineSnapshot(`
	  "
	  ── Changed files ──────────────── 1/3 ──
	   >
	   ❯ src/new.ts           +12      -0
	     src/a.ts              +2      -4
	     made-by-hand.txt

	     enter show · esc close
	  "
	`);
	press(picker, "down", "enter");
	await until(() => frame(picker, 60).includes("── src/a.ts ─"));
	expect(frame(picker, 60)).toContain("line 0");
	expect(frame(picker, 60)).not.toContain("line 39");
	press(picker, "end");
	expect(frame(picker, 60)).toContain("line 39");
	expect(picker.wantsEscape()).toBe(true);
	press(picker, "enter");
	expect(frame(picker, 60)).toContain("❯ src/a.ts");
	press(picker, "down", "enter");
	await until(() => frame(picker, 60).includes("There is no diff."));
	press(picker, "escape");
	expect(isClosed).toBe(true);
});
