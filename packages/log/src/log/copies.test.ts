/** A session can be copied whole, as one branch, or moved to another project, and its lines stay unchanged. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { SessionManager } from "./session-manager.ts";
import {
	branchIds,
	chain,
	entry,
	folder,
	header,
	contextTexts,
	linesOf,
	said,
	type Folder,
} from "./testing/sample.ts";

let home: Folder;
beforeEach(() => {
	home = folder();
});
afterEach(() => home[Symbol.dispose]());

const strange = `{"type":"of_tomorrow","id":"t","parentId":"b","timestamp":"x","n":1.50,  "spaced" : true}`;

/** Two branches, an unknown entry, and a label that one branch gave to the trunk. */
function tree(): string {
	return home.file([
		header,
		entry("a", null),
		entry("b", "a"),
		strange,
		entry("left", "t"),
		entry("right", "b"),
		entry("label", "right", { type: "label", targetId: "a", label: "start" }),
	]);
}

describe("a fork", () => {
	test("has all lines byte for byte, its own header, and a reference to the original", () => {
		const path = tree();
		using session = SessionManager.open(path);
		session.branch("left");
		const files = session.fork();
		expect(files).toEqual({ oldSessionFile: path, newSessionFile: session.getSessionFile() ?? "" });
		expect(linesOf(session.getSessionFile() ?? "").slice(1)).toEqual(linesOf(path).slice(1));
		expect(session.getHeader()).toMatchObject({ parentSession: path, cwd: session.getCwd(), version: 3 });
		expect(session.getSessionId()).not.toBe(header.id);
		expect(session.getLeafId()).toBe("left");
	});

	test("is independent, and the old session is free", () => {
		const path = tree();
		using session = SessionManager.open(path);
		session.fork();
		session.appendMessage(said("only here"));
		expect(linesOf(path)).toHaveLength(7);
		using old = SessionManager.open(path);
		expect(old.isReadOnly()).toBe(false);
	});

	const ways: [promise: string, fork: (session: SessionManager, path: string) => SessionManager][] = [
		["in place", (session) => (session.fork(), session)],
		["of one branch", (session) => (session.createBranchedSession("left"), session)],
		["in another project", (_, path) => SessionManager.forkFrom(path, "/work", join(home.path, "other"))],
	];
	test.each(ways)("%s has copies of the outputs that its entries refer to", (_, fork) => {
		const path = tree();
		mkdirSync(join(home.path, "session/nested"), { recursive: true });
		for (const name of ["0.bash.log", "nested/Anna.md", "nested/Anna.jsonl.lock"]) {
			writeFileSync(join(home.path, "session", name), "output");
		}
		using session = SessionManager.open(path);
		using forked = fork(session, path);
		const outputs = (forked.getSessionFile() ?? "").slice(0, -".jsonl".length);
		writeFileSync(join(home.path, "session/0.bash.log"), "changed");
		expect(readFileSync(join(outputs, "0.bash.log"), "utf8")).toBe("output");
		expect(readdirSync(join(outputs, "nested"))).toEqual(["Anna.md"]);
	});

	test("whose outputs cannot be copied continues without them", () => {
		const path = tree();
		writeFileSync(join(home.path, "session"), "no directory");
		using session = SessionManager.open(path);
		session.fork();
		session.appendMessage(said("on"));
		expect(linesOf(session.getSessionFile() ?? "")).toHaveLength(8);
	});

	test("of a session in memory is in memory", () => {
		using session = SessionManager.inMemory();
		expect(session.fork()).toBeUndefined();
	});

	test("of an empty session creates no file", () => {
		using session = SessionManager.create("/work", join(home.path, "sessions"));
		session.appendModelChange("a", "b");
		session.fork();
		expect(readdirSync(home.path)).toEqual([]);
		session.appendMessage(said("hi"));
		expect(linesOf(session.getSessionFile() ?? "")).toHaveLength(3);
	});

	test("from another project belongs to this one", () => {
		using fork = SessionManager.forkFrom(tree(), "/elsewhere", join(home.path, "other"));
		expect(dirname(fork.getSessionFile() ?? "")).toBe(join(home.path, "other"));
		expect(fork.getHeader().cwd).toBe("/elsewhere");
		expect(fork.getLabel("a")).toBe("start");
	});

	test("of a missing session is an error that names it", () => {
		const path = join(home.path, "nothing.jsonl");
		expect(() => SessionManager.forkFrom(path, "/work", home.path)).toThrow(path);
		expect(existsSync(path)).toBe(false);
	});
});

describe("a single branch", () => {
	test("has one path, with the labels that its entries had", () => {
		const path = tree();
		using session = SessionManager.open(path);
		const file = session.createBranchedSession("left");
		expect(branchIds(session).slice(0, 4)).toEqual(["a", "b", "t", "left"]);
		expect(session.getEntry("right")).toBeUndefined();
		expect(session.getLabel("a")).toBe("start");
		expect(linesOf(file ?? "").slice(1, 5)).toEqual(linesOf(path).slice(1, 5));
		expect(session.getHeader().parentSession).toBe(path);
	});

	test("works without a file", () => {
		using session = SessionManager.inMemory();
		const one = session.appendMessage(said("one"));
		session.appendMessage(said("two"));
		expect(session.createBranchedSession(one)).toBeUndefined();
		expect(contextTexts(session)).toEqual(["one"]);
	});
});

describe("a move to another project", () => {
	function moving(): { path: string; session: SessionManager; target: string } {
		const path = tree();
		mkdirSync(join(home.path, "session"));
		writeFileSync(join(home.path, "session/0.bash.log"), "output");
		return { path, session: SessionManager.open(path), target: join(home.path, "target") };
	}

	test("moves the file, its outputs, and keeps the position in the tree", async () => {
		const { path, session, target } = moving();
		const lines = linesOf(path).slice(1);
		session.branch("left");
		await session.moveTo("/elsewhere", target);
		const moved = session.getSessionFile() ?? "";
		expect(moved).toBe(join(target, basename(path)));
		expect(linesOf(moved).slice(1)).toEqual(lines);
		expect(JSON.parse(linesOf(moved)[0] ?? "")).toMatchObject({ id: header.id, cwd: "/elsewhere" });
		expect([session.getCwd(), session.getLeafId()]).toEqual(["/elsewhere", "left"]);
		expect(readFileSync(join(target, "session/0.bash.log"), "utf8")).toBe("output");
		expect(readdirSync(home.path)).toEqual(["target"]);
		session.appendMessage(said("here now"));
		session[Symbol.dispose]();
		expect(readdirSync(target).toSorted()).toEqual(["session", "session.jsonl"]);
	});

	test("that fails changes nothing", async () => {
		const { path, session, target } = moving();
		mkdirSync(join(target, "session"), { recursive: true });
		writeFileSync(join(target, "session/in-the-way"), "");
		const before = readFileSync(path);
		await expect(session.moveTo("/elsewhere", target)).rejects.toThrow();
		expect(session.getSessionFile()).toBe(path);
		expect(session.getCwd()).toBe("/work/main");
		expect(readFileSync(path)).toEqual(before);
		expect(readdirSync(target)).toEqual(["session"]);
		expect(existsSync(join(home.path, "session/0.bash.log"))).toBe(true);
		session.appendMessage(said("still here"));
		session[Symbol.dispose]();
		expect(linesOf(path)).toHaveLength(8);
	});

	test("never overwrites another session", async () => {
		const { path, session, target } = moving();
		mkdirSync(target);
		writeFileSync(join(target, basename(path)), "theirs");
		await expect(session.moveTo("/elsewhere", target)).rejects.toThrow("A session already exists at");
		expect(readFileSync(join(target, basename(path)), "utf8")).toBe("theirs");
		session[Symbol.dispose]();
	});

	test("of an empty session only changes its directory", async () => {
		using session = SessionManager.create("/work", join(home.path, "one"));
		session.appendSessionInfo("named");
		await session.moveTo("/elsewhere", join(home.path, "two"));
		session.appendMessage(said("hi"));
		expect(readdirSync(home.path)).toEqual(["two"]);
		expect(session.getSessionName()).toBe("named");
		expect(session.getHeader().cwd).toBe("/elsewhere");
	});
});

test("a copy is writable by its owner, whatever the permissions of the original", () => {
	const path = home.file(chain("a"));
	chmodSync(path, 0o400);
	using fork = SessionManager.forkFrom(path, "/work", home.path);
	fork.appendMessage(said("on"));
	expect(linesOf(fork.getSessionFile() ?? "")).toHaveLength(3);
});
