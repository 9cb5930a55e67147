/** Sessions are listed from an index that is a cache: any of it may be outdated, damaged or missing. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { defaultSessionDir } from "../file/paths.ts";
import { SessionManager } from "../session-manager.ts";
import { openRequestType } from "./outcome.ts";
import { startProgram } from "../testing/programs.ts";
import { answered, chain, entry, folder, header, said, type Folder } from "../testing/sample.ts";

let home: Folder;
const before = { ...process.env };
beforeEach(() => {
	home = folder();
	process.env.TAU_CONFIG_DIR = home.path;
	// Errors on purpose would otherwise be logged into a directory that is about to be deleted.
	process.env.TAU_LOG_LEVEL = "off";
});
afterEach(() => {
	for (const name of ["TAU_CONFIG_DIR", "TAU_LOG_LEVEL"]) {
		if (before[name] === undefined) delete process.env[name];
		else process.env[name] = before[name];
	}
	home[Symbol.dispose]();
});

const index = () => join(home.path, "cache/sessions.sqlite");

function session(cwd: string, ...words: string[]): string {
	using made = SessionManager.create(cwd);
	for (const word of words) made.appendMessage(said(word));
	made.appendMessage(answered("an answer"));
	return made.getSessionFile() ?? "";
}

const names = async (cwd = "/work") =>
	(await SessionManager.list(cwd)).map(({ firstMessage }) => firstMessage);

test("a list shows what a user needs to find a session", async () => {
	const path = session("/work", "  first\nprompt \u001b[31m", "second");
	{
		using made = SessionManager.open(path);
		made.appendSessionInfo("My name");
	}
	using fork = SessionManager.forkFrom(path, "/work");
	const [one, two] = await SessionManager.list("/work");
	expect(two).toMatchObject({
		path,
		id: expect.stringMatching(/^[0-9a-f-]{36}$/),
		cwd: "/work",
		name: "My name",
		messageCount: 3,
		firstMessage: "first prompt",
		size: statSync(path).size,
		created: expect.any(Date),
		modified: expect.any(Date),
		allMessagesText: expect.stringContaining("second an answer"),
	});
	expect(one).toMatchObject({ path: fork.getSessionFile() ?? "", parentSessionPath: path, name: "My name" });
});

test("a session that started with a skill is listed by the call, not by the text of the skill", async () => {
	session("/work", '<skill name="pdf" location="/x/SKILL.md">\nHow to.\n</skill>\n\nUser: read the bill');
	expect(await names()).toEqual(["/skill:pdf read the bill"]);
});

const outcomes = async () =>
	(await SessionManager.list("/work/main", home.path)).map(({ outcome }) => outcome);

describe("the outcome", () => {
	const message = (id: string, value: object) => entry(id, null, { message: value });
	const long = "x".repeat(10_000);
	const result = { role: "toolResult", toolCallId: "1", toolName: "bash", content: [], isError: false };
	const aside = { role: "bashExecution", command: "ls", output: "", exitCode: 0, timestamp: 3 };

	test.each([
		["done", [answered(long)]],
		["done", [answered("Yes."), aside]],
		["failed", [answered(long, { stopReason: "error", errorMessage: "529" })]],
		["interrupted", [answered("Half of", { stopReason: "aborted" })]],
		["interrupted", [answered("Cut", { stopReason: "length" })]],
		["interrupted", [said(long)]],
		["interrupted", [answered(long, { stopReason: "toolUse" }), { ...result, content: long }]],
		[undefined, [aside]],
	] as const)("is %s by the last message of a turn", async (outcome, messages) => {
		home.file([header, ...messages.map((value, at) => message(`m${at}`, value))]);
		expect(await outcomes()).toEqual([outcome]);
		// From the index.
		expect(await outcomes()).toEqual([outcome]);
	});

	test("is waiting after a question that was not answered, and running while a process has it open", async () => {
		const path = home.file([header, message("a", said("Which one?"))]);
		using open = SessionManager.open(path);
		expect(await outcomes()).toEqual(["running"]);
		open.appendCustomEntry(openRequestType, { kind: "questions" });
		expect(await outcomes()).toEqual(["waiting"]);
		open.appendMessage(answered("Both."));
		expect(await outcomes()).toEqual(["done"]);
		open.appendSessionInfo("A name");
		expect(await outcomes()).toEqual(["done"]);
	});
});

test("the most recent comes first, by its messages and not by the time of the file", async () => {
	const old = home.file([header, entry("a", null, { timestamp: "2020-01-01T00:00:00.000Z" })], "old.jsonl");
	const recent = home.file(
		[header, entry("a", null, { timestamp: "2024-01-01T00:00:00.000Z" })],
		"new.jsonl",
	);
	utimesSync(old, new Date(), new Date());
	utimesSync(recent, new Date(2000), new Date(2000));
	const list = await SessionManager.list("/work/main", home.path);
	expect(list.map(({ path }) => path)).toEqual([recent, old]);
});

test("projects are kept apart, and all are listed together", async () => {
	session("/work", "one");
	session("/elsewhere", "two");
	expect(await names()).toEqual(["one"]);
	expect((await SessionManager.listAll()).map(({ firstMessage }) => firstMessage).toSorted()).toEqual([
		"one",
		"two",
	]);
	const seen: number[][] = [];
	await SessionManager.listAll((loaded, total) => void seen.push([loaded, total]));
	expect(seen).toEqual([
		[1, 2],
		[2, 2],
	]);
});

test("two projects whose directories coincide do not see each other", async () => {
	session("/a/b-c", "one");
	session("/a-b/c", "two");
	expect(defaultSessionDir("/a/b-c")).toBe(defaultSessionDir("/a-b/c"));
	expect(await names("/a/b-c")).toEqual(["one"]);
	using recent = SessionManager.continueRecent("/a/b-c");
	expect(recent.getBranch()[0]).toMatchObject({ message: { content: "one" } });
});

test("a project without sessions has an empty list, and no index is created for it", async () => {
	expect(await SessionManager.list("/nowhere")).toEqual([]);
	expect(await SessionManager.listAll()).toEqual([]);
	expect(existsSync(index())).toBe(false);
});

describe("the index", () => {
	test("follows what is written, renamed and deleted", async () => {
		const path = session("/work", "one");
		expect(await names()).toEqual(["one"]);
		{
			using made = SessionManager.open(path);
			made.appendMessage(said("more"));
			made.appendSessionInfo("Named");
		}
		expect(await SessionManager.list("/work")).toMatchObject([{ messageCount: 3, name: "Named" }]);
		const second = session("/work", "two");
		expect((await names()).toSorted()).toEqual(["one", "two"]);
		rmSync(second);
		expect(await names()).toEqual(["one"]);
	});

	test("counts the entries of a growing file once, even if it was read in the middle of a line", async () => {
		const path = home.file(chain("a", "b"), "grows.jsonl");
		const count = async () => (await SessionManager.list("/work/main", home.path))[0]?.messageCount;
		expect(await count()).toBe(2);
		const line = JSON.stringify(entry("c", "b"));
		writeFileSync(path, line.slice(0, 40), { flag: "a" });
		expect(await count()).toBe(2);
		writeFileSync(path, line.slice(40), { flag: "a" });
		expect(await count()).toBe(3);
		writeFileSync(path, `\n${JSON.stringify(entry("d", "c"))}\n`, { flag: "a" });
		expect(await count()).toBe(4);
	});

	test("is not fooled by a file that replaced another", async () => {
		const path = home.file(chain("a", "b"), "same.jsonl");
		const { mtime } = statSync(path);
		const list = async () => (await SessionManager.list("/work/main", home.path))[0]?.firstMessage;
		expect(await list()).toBe("I am a");
		rmSync(path);
		mkdirSync(join(home.path, "takes-the-inode"));
		home.file(chain("x", "b"), "same.jsonl");
		utimesSync(path, mtime, new Date(mtime.getTime() + 1000));
		expect(await list()).toBe("I am x");
	});

	test("is not fooled by a file that was changed in place", async () => {
		const path = home.file(chain("a", "b"), "same.jsonl");
		const list = async () => (await SessionManager.list("/work/main", home.path))[0]?.firstMessage;
		expect(await list()).toBe("I am a");
		writeFileSync(path, readFileSync(path, "utf8").replace("I am a", "I am z"));
		utimesSync(path, new Date(), new Date(Date.now() + 1000));
		expect(await list()).toBe("I am z");
	});

	test("that was deleted or damaged is rebuilt", async () => {
		session("/work", "one");
		await names();
		for (const damage of [() => rmSync(index()), () => writeFileSync(index(), "x".repeat(9000))]) {
			for (const suffix of ["-wal", "-shm"]) rmSync(index() + suffix, { force: true });
			damage();
			expect(await names()).toEqual(["one"]);
			expect(await names()).toEqual(["one"]);
		}
		expect(statSync(index()).mode & 0o777).toBe(0o600);
	});

	test("that cannot be opened is not needed", async () => {
		session("/work", "one");
		writeFileSync(join(home.path, "cache"), "in the way");
		expect(await names()).toEqual(["one"]);
	});

	test("can be read, written and deleted by many processes at once", async () => {
		for (let count = 0; count < 50; count++) home.file(chain("a", "b"), `${count}.jsonl`);
		mkdirSync(join(home.path, "cache"));
		writeFileSync(index(), "damaged");
		const many = Array.from({ length: 6 }, () => startProgram("list", home.path));
		for (const { stdin } of many) stdin.end();
		const answers = await Promise.all(many.map(({ stdout }) => stdout.text()));
		expect(answers).toEqual(many.map(() => "ready\n50\n"));
		expect(await SessionManager.list("/work", home.path)).toHaveLength(50);
	});
});

test("what is not a session is ignored, and a damaged one is listed with what it has", async () => {
	home.file(["not json"], "rubbish.jsonl");
	home.file([], "empty.jsonl");
	home.file([{ type: "session" }], "nameless.jsonl");
	home.file(["{torn", ...chain("a", "b").slice(1), '{"type":'], "2024-12-03T14-00-00-000Z_damaged.jsonl");
	const list = await SessionManager.list("/work/main", home.path);
	expect(list).toMatchObject([{ id: "damaged", cwd: "", messageCount: 2, firstMessage: "I am a" }]);
});

describe("the most recent session", () => {
	test("is continued, and if there is none, a new one starts", () => {
		using fresh = SessionManager.continueRecent("/work");
		expect(fresh.getEntries()).toEqual([]);
		const first = session("/work", "one");
		const second = session("/work", "two");
		utimesSync(first, new Date(), new Date(Date.now() + 5000));
		using recent = SessionManager.continueRecent("/work");
		expect(recent.getSessionFile()).toBe(first);
		expect(second).not.toBe(first);
	});

	test("in a shared directory is the one of this project", () => {
		const shared = join(home.path, "shared");
		using other = SessionManager.create("/elsewhere", shared);
		other.appendMessage(said("not mine"));
		using mine = SessionManager.continueRecent("/work", shared);
		expect(mine.getEntries()).toEqual([]);
		expect(mine.getSessionDir()).toBe(shared);
	});
});
