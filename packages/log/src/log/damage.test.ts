/** Damage costs the affected line and nothing else: it is set aside, and the tree stays valid. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { some } from "../../../../test/support/depth.ts";
import { limits } from "./limits.ts";
import { SessionManager } from "./session-manager.ts";
import {
	branchIds,
	chain,
	entry,
	folder,
	header,
	contextTexts,
	parsedLines,
	said,
	type Folder,
} from "./testing/sample.ts";

let home: Folder;
beforeEach(() => {
	home = folder();
});
afterEach(() => home[Symbol.dispose]());

const text = (line: object) => JSON.stringify(line);
const kinds = (session: SessionManager): string[] => session.getProblems().map(({ kind }) => kind);
const aside = (path: string) => readFileSync(`${path}.damaged`, "utf8");

/** Every parent exists, and every entry is reachable from a root. */
function expectWhole(session: SessionManager): void {
	const heads = session.getHeads();
	const ids = new Set<string | null>(heads.map(({ id }) => id));
	const lost = heads.filter(({ parentId }) => parentId !== null && !ids.has(parentId));
	const adrift = heads.filter(({ id }) => session.getBranch(id)[0]?.parentId !== null);
	expect([ids.size, lost, adrift]).toEqual([heads.length, [], []]);
}

/** Opened a second time, there is nothing left to repair. */
function expectHealed(path: string): void {
	using session = SessionManager.open(path);
	expect(kinds(session)).toEqual([]);
	expectWhole(session);
}

describe("a torn last line", () => {
	test("affects only that line, which is set aside", () => {
		const path = home.file(chain("a", "b", "c"));
		const torn = text(entry("d", "c")).slice(0, 60);
		writeFileSync(path, torn, { flag: "a" });
		{
			using session = SessionManager.open(path);
			expect(session.getProblems()).toEqual([{ kind: "torn", bytes: 60 }]);
			expect(branchIds(session)).toEqual(["a", "b", "c"]);
			session.appendMessage(said("next"));
		}
		expect(aside(path)).toBe(`${torn}\n`);
		expect(parsedLines(path).map(({ parentId }) => parentId)).toEqual([undefined, null, "a", "b", "c"]);
		expectHealed(path);
	});

	test("that lacks only its newline is not damaged", () => {
		const path = home.file(chain("a", "b"));
		truncateSync(path, statSync(path).size - 1);
		{
			using session = SessionManager.open(path);
			expect(kinds(session)).toEqual([]);
			expect(branchIds(session)).toEqual(["a", "b"]);
			session.appendMessage(said("next"));
		}
		expect(parsedLines(path)).toHaveLength(4);
		expect(existsSync(`${path}.damaged`)).toBe(false);
	});

	test("full of zeros leaves nothing behind", () => {
		const path = home.file(chain("a", "b"));
		const whole = readFileSync(path);
		writeFileSync(path, Buffer.concat([whole, Buffer.from('{"type":"mess'), Buffer.alloc(5000)]));
		{
			using session = SessionManager.open(path);
			expect(branchIds(session)).toEqual(["a", "b"]);
		}
		expect(readFileSync(path)).toEqual(whole);
		expect(aside(path)).toBe('{"type":"mess\n');
	});

	test("is left unchanged by readers", () => {
		const path = home.file(chain("a", "b"));
		writeFileSync(path, '{"type":', { flag: "a" });
		const before = readFileSync(path);
		const outcome = SessionManager.tryOpen(path, { access: "read" });
		if (!outcome.ok) throw new Error(outcome.reason);
		using session = outcome.session;
		expect(branchIds(session)).toEqual(["a", "b"]);
		expect(readFileSync(path)).toEqual(before);
		expect(existsSync(`${path}.damaged`)).toBe(false);
	});
});

describe("a damaged line in the middle", () => {
	const bad = text(entry("b", "a")).replace('"message":{', '"message":{{');

	test("with a readable head keeps its position in the tree", () => {
		const path = home.file([header, entry("a", null), bad, entry("c", "b"), entry("d", "b")]);
		{
			using session = SessionManager.open(path);
			expect(branchIds(session)).toEqual(["a", "b", "d"]);
			expect(contextTexts(session)).toEqual(["I am a", "I am d"]);
			expect(session.getEntry("b")).toMatchObject({ type: "custom", customType: "tau.damaged" });
			expect(session.getProblems()).toEqual([
				{ kind: "damaged", id: "b", offset: expect.any(Number), bytes: bad.length },
			]);
		}
		expect(aside(path)).toBe(`${bad}\n`);
		expectHealed(path);
	});

	test("that is unreadable gets the id that its child refers to", () => {
		const path = home.file([
			header,
			entry("a", null),
			"x".repeat(200),
			entry("c", "lost"),
			entry("d", "lost"),
		]);
		{
			using session = SessionManager.open(path);
			expect(branchIds(session)).toEqual(["a", "lost", "d"]);
			expect(kinds(session)).toEqual(["damaged"]);
		}
		expectHealed(path);
	});

	test("that is too short for a placeholder becomes blank, and its child is attached to the entry before it", () => {
		const path = home.file([header, entry("a", null), "{]", entry("c", "lost")]);
		for (const matches of [["damaged"], ["orphan"]]) {
			using session = SessionManager.open(path);
			expect(kinds(session)).toEqual(matches);
			expect(session.getBranch().at(0)?.id).toBe("a");
		}
		expect(aside(path)).toBe("{]\n");
	});

	test("affects only itself in other programs that read the file", () => {
		const path = home.file([header, entry("a", null), "\0".repeat(300), bad, entry("c", "b")]);
		{
			using session = SessionManager.open(path);
			session.getEntries();
		}
		expect(parsedLines(path).map(({ type }) => type)).toEqual(["session", "message", "custom", "message"]);
		expect(aside(path)).toBe(`${bad}\n`);
	});

	test("with damage deep in its body is detected when it is read", () => {
		const broken = text(entry("b", "a")).replace("I am b", "I am \0 b");
		const path = home.file([header, entry("a", null), broken, entry("c", "b")]);
		{
			using session = SessionManager.open(path);
			const received: string[] = [];
			using _told = session.onProblem(({ kind }) => void received.push(kind));
			expect(contextTexts(session)).toEqual(["I am a", "I am c"]);
			expect(received).toEqual(["damaged"]);
			expect(branchIds(session)).toEqual(["a", "b", "c"]);
		}
		expect(aside(path)).toBe(`${broken.replace("\0", "")}\n`);
		expectHealed(path);
	});

	test("that named the session leaves the name before it, and a later name counts again", () => {
		const name = (id: string, parentId: string, value: string) => ({
			type: "session_info",
			id,
			parentId,
			timestamp: "2026-01-01T00:00:00.000Z",
			name: value,
		});
		const broken = text(name("n2", "n1", "second")).replace("second", "sec\0ond");
		const path = home.file([header, entry("a", null), name("n1", "a", "first"), broken, entry("c", "n2")]);
		using session = SessionManager.open(path);
		session.getEntries();
		expect(session.getSessionName()).toBe("first");
		session.appendSessionInfo("third");
		expect(session.getSessionName()).toBe("third");
		session.appendMessage(said("more"));
		expect(session.getSessionName()).toBe("third");
	});

	test("at the end is detected at once, because new entries are attached to it", () => {
		const broken = text(entry("b", "a")).replace("I am b", "I am \0 b");
		const path = home.file([header, entry("a", null), broken]);
		{
			using session = SessionManager.open(path);
			expect(kinds(session)).toEqual(["damaged"]);
			expect(branchIds(session)).toEqual(["a", "b"]);
		}
		expectHealed(path);
	});

	test("that was joined with the next one does not affect the next one", () => {
		const torn = text(entry("b", "a")).slice(0, 110);
		const path = home.file([header, entry("a", null), torn + text(entry("c", "a")), entry("d", "c")]);
		{
			using session = SessionManager.open(path);
			expect(branchIds(session)).toEqual(["a", "c", "d"]);
			expect(kinds(session)).toEqual(["damaged"]);
		}
		expect(aside(path)).toBe(`${torn}\n`);
		expect(parsedLines(path).map(({ id }) => id)).toEqual([header.id, "a", "b", "c", "d"]);
		expectHealed(path);
	});

	test("that lacks only the newline before the next one is read as two lines", () => {
		for (const between of ["", "\u0001", "\0\0\0"]) {
			const glued = text(entry("b", "a")) + between + text(entry("c", "b"));
			const path = home.file(
				[header, entry("a", null), glued, entry("d", "c")],
				`glued${between.length}.jsonl`,
			);
			using session = SessionManager.open(path);
			expect(branchIds(session)).toEqual(["a", "b", "c", "d"]);
			expect(contextTexts(session)).toEqual(["I am a", "I am b", "I am c", "I am d"]);
			expect(session.getHeads().map(({ type }) => type)).not.toContain("custom");
		}
	});
});

describe("a file may have", () => {
	test("Windows line endings", () => {
		const path = home.file([]);
		writeFileSync(
			path,
			chain("a", "b", "c")
				.map((line) => `${text(line)}\r\n`)
				.join(""),
		);
		using session = SessionManager.open(path);
		expect(kinds(session)).toEqual([]);
		expect(contextTexts(session)).toEqual(["I am a", "I am b", "I am c"]);
		session.appendMessage(said("next"));
		expect(parsedLines(path)).toHaveLength(5);
	});

	test("a byte order mark", () => {
		const path = home.file([`\ufeff${text(header)}`, ...chain("a", "b").slice(1)]);
		using session = SessionManager.open(path);
		expect(kinds(session)).toEqual([]);
		expect(session.getSessionId()).toBe(header.id);
		expect(branchIds(session)).toEqual(["a", "b"]);
	});

	test("blank lines, and JSON of other programs that is not an entry", () => {
		const path = home.file([header, "", entry("a", null), "   ", "42", '{"note":"mine"}', entry("b", "a")]);
		using session = SessionManager.open(path);
		expect(kinds(session)).toEqual([]);
		expect(branchIds(session)).toEqual(["a", "b"]);
		expect(readFileSync(path, "utf8")).toContain('{"note":"mine"}');
	});

	test("keys in another order", () => {
		const { type, id, parentId, ...rest } = entry("b", "a") as Record<string, unknown>;
		const path = home.file([header, entry("a", null), { ...rest, parentId, id, type }, entry("c", "b")]);
		using session = SessionManager.open(path);
		expect(kinds(session)).toEqual([]);
		expect(contextTexts(session)).toEqual(["I am a", "I am b", "I am c"]);
	});

	test("a line that is longer than a chunk", () => {
		const long = "é".repeat(limits.scanChunkBytes * 2);
		const path = home.file([header, entry("a", null, { message: said(long) }), entry("b", "a")]);
		using session = SessionManager.open(path);
		expect(kinds(session)).toEqual([]);
		expect(contextTexts(session)).toEqual([long, "I am b"]);
	});

	test("a run of zeros that is larger than memory", () => {
		const path = home.file(chain("a", "b"));
		const { size } = statSync(path);
		truncateSync(path, size + limits.lineBytes + 1);
		{
			using session = SessionManager.open(path, undefined, "/work/main");
			expect(branchIds(session)).toEqual(["a", "b"]);
		}
		expect(statSync(path).size).toBe(size);
	});

	test("no bytes at all", () => {
		for (const content of ["", "\n", "  \n\n"]) {
			const path = join(home.path, "2024-12-03T14-00-00-000Z_named.jsonl");
			writeFileSync(path, content);
			using session = SessionManager.open(path);
			expect(kinds(session)).toEqual([]);
			expect(session.getSessionId()).toBe("named");
			session.appendMessage(said("hi"));
			expect(parsedLines(path).map(({ type }) => type)).toEqual(["session", "message"]);
		}
	});
});

describe("without a header", () => {
	test("a file is readable, and gets one when an entry is added, while the original is kept", () => {
		const path = home.file(chain("a", "b").slice(1), "2024-12-03T14-00-00-000Z_named.jsonl");
		const before = readFileSync(path);
		{
			using session = SessionManager.open(path);
			expect(kinds(session)).toEqual(["header"]);
			expect(session.getHeader()).toMatchObject({ id: "named", timestamp: "2024-12-03T14:00:00.000Z" });
			expect(contextTexts(session)).toEqual(["I am a", "I am b"]);
			expect(readFileSync(path)).toEqual(before);
			session.appendMessage(said("next"));
			expect(contextTexts(session)).toEqual(["I am a", "I am b", "next"]);
		}
		expect(readFileSync(`${path}.orig`)).toEqual(before);
		expect(parsedLines(path)[0]).toMatchObject({ type: "session", version: 3, id: "named" });
		expectHealed(path);
	});

	test("the same for a damaged header", () => {
		const path = home.file(['{"type":"session","vers', ...chain("a", "b").slice(1)]);
		{
			using session = SessionManager.open(path);
			expect(kinds(session)).toEqual(["damaged", "header"]);
			session.appendMessage(said("next"));
		}
		expectHealed(path);
	});
});

describe("an invalid tree", () => {
	test("an unknown parent: the entry is attached to the one before it", () => {
		const path = home.file([header, entry("a", null), entry("b", "nowhere"), entry("c", "b")]);
		using session = SessionManager.open(path);
		expect(session.getProblems()).toEqual([{ kind: "orphan", id: "b", parentId: "nowhere" }]);
		expect(branchIds(session)).toEqual(["a", "b", "c"]);
		expect(session.getEntry("b")?.parentId).toBe("a");
	});

	test("two entries with one id: both are kept, and the later one gets a new id", () => {
		const path = home.file([header, entry("a", null), entry("b", "a"), entry("b", "a"), entry("c", "b")]);
		using session = SessionManager.open(path);
		expect(session.getProblems()).toEqual([{ kind: "duplicate", id: "b", renamed: "b-2" }]);
		expect(session.getEntry("b-2")).toMatchObject({ id: "b-2", parentId: "a" });
		expect(branchIds(session)).toEqual(["a", "b", "c"]);
		expectWhole(session);
	});

	test("a cycle of parents is cut where it started", () => {
		const path = home.file([header, entry("a", null), entry("b", "d"), entry("c", "b"), entry("d", "c")]);
		using session = SessionManager.open(path);
		expect(session.getProblems()).toEqual([{ kind: "cycle", id: "b" }]);
		expect(branchIds(session)).toEqual(["a", "b", "c", "d"]);
	});

	test("an entry that is its own parent, and a cycle that holds everything", () => {
		const own = home.file([header, entry("a", "a"), entry("b", "a")], "own.jsonl");
		using one = SessionManager.open(own);
		expect(branchIds(one)).toEqual(["a", "b"]);
		const ring = home.file([header, entry("a", "c"), entry("b", "a"), entry("c", "b")], "ring.jsonl");
		using two = SessionManager.open(ring);
		expect(branchIds(two)).toEqual(["a", "b", "c"]);
		expectWhole(two);
	});

	test("children that come before their parents are valid", () => {
		const path = home.file([header, entry("b", "a"), entry("a", null), entry("c", "b")]);
		using session = SessionManager.open(path);
		expect(kinds(session)).toEqual([]);
		expect(branchIds(session)).toEqual(["a", "b", "c"]);
	});

	test("repairs are preserved in a fork", () => {
		const path = home.file([
			header,
			entry("a", null),
			entry("b", "nowhere"),
			entry("b", "a"),
			entry("c", "b"),
		]);
		using fork = SessionManager.forkFrom(path, "/work", home.path);
		expect(kinds(fork)).toEqual([]);
		expect(fork.getHeads().map(({ id, parentId }) => [id, parentId])).toEqual([
			["a", null],
			["b", "a"],
			["b-2", "a"],
			["c", "b"],
		]);
	});
});

describe("at every byte of a small file", () => {
	const lines = [...chain("aaaa", "bbbb", "cccc"), entry("dddd", "bbbb"), entry("eeee", "dddd")].map(text);
	const whole = Buffer.from(lines.map((line) => `${line}\n`).join(""));
	const ids = ["aaaa", "bbbb", "cccc", "dddd", "eeee"];
	/** How many lines, the header among them, end before a byte. */
	const linesBefore = (at: number) => whole.subarray(0, at).toString().split("\n").length - 1;

	function expectBefore(session: SessionManager, at: number): void {
		const survivors = ids.slice(0, Math.max(0, linesBefore(at) - 1));
		const there = session.getEntries();
		const words = new Set(there.map((one) => text(one).match(/I am \w+/)?.[0]));
		expect(survivors.filter((id) => !words.has(`I am ${id}`))).toEqual([]);
		expectWhole(session);
	}

	function expectGoesOn(path: string): void {
		{
			using session = SessionManager.open(path);
			session.appendMessage(said("after"));
			expectWhole(session);
		}
		using again = SessionManager.open(path);
		expect(again.getLeafEntry()).toMatchObject({ message: { content: "after" } });
		expectWhole(again);
	}

	test("a cut preserves everything before it, and the session continues", () => {
		for (const at of some([...whole.keys()])) {
			const path = join(home.path, `cut-${at}.jsonl`);
			writeFileSync(path, whole.subarray(0, at));
			{
				using session = SessionManager.open(path);
				expectBefore(session, at);
			}
			expectGoesOn(path);
		}
	});

	test.each([
		["a zero", 0],
		["a quote", 0x22],
		["a newline", 0x0a],
	])("%s preserves everything before it, and the session continues", (_name, byte) => {
		for (const at of some([...whole.keys()])) {
			const path = join(home.path, `changed-${at}.jsonl`);
			const changed = Buffer.from(whole);
			changed[at] = byte;
			writeFileSync(path, changed);
			{
				using session = SessionManager.open(path);
				expectBefore(session, at);
			}
			expectGoesOn(path);
		}
	});
});
