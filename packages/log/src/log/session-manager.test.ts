/** A session is a tree that grows at its leaf, in a file that is created with the first message. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, renameSync, statSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { limits } from "./limits.ts";
import { defaultSessionDir, sessionFileName } from "./file/paths.ts";
import { SessionManager } from "./session-manager.ts";
import {
	answered,
	branchIds,
	folder,
	contextTexts,
	linesOf,
	parsedLines,
	said,
	type Folder,
} from "./testing/sample.ts";

let home: Folder;
beforeEach(() => {
	home = folder();
});
afterEach(() => home[Symbol.dispose]());

function create(): SessionManager {
	return SessionManager.create("/work/main", join(home.path, "sessions"));
}

function fileOf(session: SessionManager): string {
	return session.getSessionFile() ?? "";
}

describe("the file", () => {
	test("is not created for a session without messages", () => {
		{
			using session = create();
			session.appendModelChange("played", "played-1");
			session.appendSessionInfo("a name");
			session.appendCustomEntry("state", { count: 1 });
		}
		expect(readdirSync(home.path)).toEqual([]);
	});

	test("is created with the first message, with everything before it", () => {
		using session = create();
		session.appendModelChange("played", "played-1");
		session.appendMessage(said("hi"));
		const [header, model, first] = parsedLines(fileOf(session));
		expect(header).toEqual({
			type: "session",
			version: 3,
			id: session.getSessionId(),
			timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			cwd: "/work/main",
		});
		expect(model).toMatchObject({ type: "model_change", parentId: null });
		expect(first).toMatchObject({ type: "message", parentId: model?.id, message: said("hi") });
	});

	test("has keys in the order that an index relies on", () => {
		using session = create();
		session.appendMessage(said("hi"));
		const [header, first] = parsedLines(fileOf(session)).map((line) => Object.keys(line));
		expect(header).toEqual(["type", "version", "id", "timestamp", "cwd"]);
		expect(first).toEqual(["type", "id", "parentId", "timestamp", "message"]);
	});

	test("has every message as soon as it is appended, each attached to the one before it", () => {
		using session = create();
		const ids: string[] = [];
		for (const text of ["one", "two\nlines", "three \u2028 😀 \ud800", "x".repeat(3_000_000)]) {
			ids.push(session.appendMessage(said(text)));
			const last = JSON.parse(linesOf(fileOf(session)).at(-1) ?? "");
			expect(last).toMatchObject({
				id: ids.at(-1),
				parentId: ids.at(-2) ?? null,
				message: { content: text },
			});
		}
		expect(new Set(ids).size).toBe(4);
		for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}$/);
	});

	test("is readable by its owner only", () => {
		using session = create();
		session.appendMessage(said("secret"));
		expect(statSync(fileOf(session)).mode & 0o777).toBe(0o600);
		expect(statSync(`${fileOf(session)}.lock`).mode & 0o777).toBe(0o600);
		expect(statSync(dirname(fileOf(session))).mode & 0o777).toBe(0o700);
	});

	test("is named for its time and its session, so that two never share one", () => {
		using one = create();
		using two = create();
		const { timestamp, id } = one.getHeader();
		expect(basename(fileOf(one))).toBe(`${timestamp.replaceAll(/[:.]/g, "-")}_${id}.jsonl`);
		expect(fileOf(one)).not.toBe(fileOf(two));
	});

	test("that was deleted is written again, complete, with the next message", async () => {
		using session = create();
		session.appendMessage(said("one"));
		await Bun.file(fileOf(session)).delete();
		session.appendMessage(said("two"));
		expect(parsedLines(fileOf(session)).map(({ type }) => type)).toEqual(["session", "message", "message"]);
	});
});

describe("its directory", () => {
	const folderOf = (cwd: string) => basename(defaultSessionDir(cwd));

	test("is named for the project, without slashes and colons", () => {
		expect(folderOf("/work/main")).toBe("--work-main--");
		expect(folderOf("/")).toBe("----");
		expect(folderOf("/a:b\\c")).toBe("--a-b-c--");
	});

	test("has a short name for a path that is too long for a file name", () => {
		const deep = `/${"ümläut/".repeat(80)}`;
		const names = [`${deep}a`, `${deep}b`, `/x${deep}a`].map(folderOf);
		for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(limits.fileNameBytes);
		expect(new Set(names).size).toBe(3);
		expect(names[0]).toEndWith("ümläut-a--");
	});
});

describe("a resumed session", () => {
	test("continues where it stopped", () => {
		const path = written((session) => {
			session.appendMessage(said("one"));
			session.appendMessage(answered("two"));
		});
		using session = SessionManager.open(path);
		expect(session.getCwd()).toBe("/work/main");
		expect(session.getLeafEntry()).toMatchObject({ message: { role: "assistant" } });
		session.appendMessage(said("three"));
		expect(branchIds(session)).toHaveLength(3);
		expect(parsedLines(path).at(-1)).toMatchObject({ parentId: session.getBranch()[1]?.id });
	});

	test("has exactly what was appended", () => {
		let before: unknown;
		const path = written((session) => {
			session.appendMessage(said("hi"));
			session.appendCustomMessageEntry("note", "look", true, { deep: [1, null, "x"] });
			session.appendThinkingLevelChange("high");
			before = session.getEntries();
		});
		using session = SessionManager.open(path);
		expect(session.getEntries()).toEqual(before as []);
	});

	test("is found by another name for the same file", () => {
		const path = written((session) => void session.appendMessage(said("hi")));
		const link = join(home.path, "link.jsonl");
		symlinkSync(path, link);
		using _first = SessionManager.open(path);
		expect(SessionManager.tryOpen(link)).toMatchObject({ ok: false, reason: "locked" });
	});

	test("starts anew if the file does not exist, under the given name", () => {
		const path = join(home.path, "mine.jsonl");
		using session = SessionManager.open(path);
		expect(existsSync(path)).toBe(false);
		session.appendMessage(said("hi"));
		expect(parsedLines(path)).toHaveLength(2);
	});

	test("that cannot be read is a value with the reason", () => {
		expect(SessionManager.tryOpen(home.path)).toMatchObject({
			ok: false,
			reason: "unreadable",
			message: expect.stringContaining("EISDIR"),
		});
	});

	test("for reading takes no lock, writes nothing, and rejects writes", () => {
		const path = written((session) => void session.appendMessage(said("hi")));
		const outcome = SessionManager.tryOpen(path, { access: "read" });
		if (!outcome.ok) throw new Error(outcome.reason);
		using session = outcome.session;
		expect(contextTexts(session)).toEqual(["hi"]);
		expect(session.isReadOnly()).toBe(true);
		expect(existsSync(`${path}.lock`)).toBe(false);
		expect(() => session.appendMessage(said("no"))).toThrow("read-only");
	});
});

function written(work: (session: SessionManager) => void): string {
	using session = create();
	work(session);
	return fileOf(session);
}

describe("the tree", () => {
	test("grows at its leaf, which can be moved anywhere", () => {
		using session = SessionManager.inMemory("/work");
		const root = session.appendMessage(said("root"));
		const left = session.appendMessage(said("left"));
		session.branch(root);
		const right = session.appendMessage(said("right"));
		expect(session.getChildren(root).map(({ id }) => id)).toEqual([left, right]);
		expect(branchIds(session)).toEqual([root, right]);
		expect(session.getBranch(left).map(({ id }) => id)).toEqual([root, left]);
		session.resetLeaf();
		expect([session.getLeafId(), session.getLeafEntry(), contextTexts(session)]).toEqual([
			null,
			undefined,
			[],
		]);
		const second = session.appendMessage(said("second root"));
		expect(session.getTree().map(({ entry }) => entry.id)).toEqual([root, second]);
		expect(session.getTree()[0]?.children.map(({ entry }) => entry.id)).toEqual([left, right]);
	});

	test("rejects a leaf that is not in it", () => {
		using session = SessionManager.inMemory();
		expect(() => session.branch("nowhere")).toThrow("Entry nowhere not found");
		expect(() => session.appendLabelChange("nowhere", "x")).toThrow("Entry nowhere not found");
		expect(() => session.createBranchedSession("nowhere")).toThrow("Entry nowhere not found");
		expect(session.getEntry("nowhere")).toBeUndefined();
	});

	test("stores the summary of an abandoned branch", () => {
		using session = SessionManager.inMemory();
		const root = session.appendMessage(said("root"));
		session.appendMessage(said("abandoned"));
		session.branchWithSummary(root, "it led nowhere", { files: 1 }, true);
		expect(session.getLeafEntry()).toMatchObject({ parentId: root, fromId: root, fromHook: true });
		expect(session.buildSessionContext().messages[1]).toMatchObject({
			role: "branchSummary",
			summary: "it led nowhere",
		});
		session.branchWithSummary(null, "from the start");
		expect(session.getLeafEntry()).toMatchObject({ parentId: null, fromId: "root" });
	});

	test("has labels, of which the last one counts", () => {
		using session = SessionManager.inMemory();
		const id = session.appendMessage(said("hi"));
		session.appendLabelChange(id, "first");
		expect(session.getLabel(id)).toBe("first");
		session.appendLabelChange(id, "second");
		expect(session.getTree()[0]).toMatchObject({ label: "second", labelTimestamp: expect.any(String) });
		session.appendLabelChange(id, undefined);
		expect(session.getLabel(id)).toBeUndefined();
		expect(session.getTree()[0]).not.toHaveProperty("label");
	});

	test("has a name, of which the last one counts", () => {
		using session = SessionManager.inMemory();
		expect(session.getSessionName()).toBeUndefined();
		session.appendSessionInfo("  Refactor ");
		expect(session.getSessionName()).toBe("Refactor");
		session.append({ type: "title_change", title: "Renamed by omp" });
		expect(session.getSessionName()).toBe("Renamed by omp");
		session.appendSessionInfo("");
		expect(session.getSessionName()).toBeUndefined();
	});

	test("is named by omp's setSessionName, and a generated title does not replace a name", async () => {
		using session = SessionManager.inMemory();
		expect(await session.setSessionName("Generated", "auto")).toBe(true);
		expect(await session.setSessionName("Mine")).toBe(true);
		expect(await session.setSessionName("Generated again", "auto")).toBe(false);
		expect(await session.setSessionName("  ", "user")).toBe(false);
		expect(session.getSessionName()).toBe("Mine");
	});

	test("lists the rules that were injected on its branch", () => {
		using session = SessionManager.inMemory();
		const start = session.appendMessage(said("hi"));
		session.appendTtsrInjection(["a", "b"]);
		session.appendTtsrInjection(["b"]);
		expect(session.getInjectedTtsrRules()).toEqual(["a", "b"]);
		session.branch(start);
		expect(session.getInjectedTtsrRules()).toEqual([]);
	});

	test("may be very deep", () => {
		using session = SessionManager.inMemory();
		for (let count = 0; count < 20_000; count++) session.appendMessage(said("x"));
		expect(session.getBranch()).toHaveLength(20_000);
		expect(session.getTree()).toHaveLength(1);
	});
});

test("recently read bodies are cached, and older ones are evicted", () => {
	const path = written((session) => {
		const large = "x".repeat(limits.cachedBytes / 4);
		for (let count = 0; count < 8; count++) session.appendMessage(said(large));
	});
	using session = SessionManager.open(path);
	const [first, ...rest] = session.getEntries();
	const last = rest.at(-1);
	expect(session.getEntry(last?.id ?? "")).toBe(last ?? expect.anything());
	expect(session.getEntry(first?.id ?? "")).not.toBe(first ?? expect.anything());
	expect(session.getEntry(first?.id ?? "")).toEqual(first ?? expect.anything());
});

test("an entry that cannot be serialized is rejected, and nothing of it stays", () => {
	using session = SessionManager.inMemory();
	const circle: Record<string, unknown> = {};
	circle.self = circle;
	expect(() => session.appendCustomEntry("bad", circle)).toThrow();
	expect([session.getEntries(), session.getLeafId()]).toEqual([[], null]);
});

test("an entry that is too long for a string is rejected", () => {
	using session = SessionManager.inMemory();
	const large = { toJSON: () => "x".repeat(limits.lineBytes) };
	expect(() => session.appendCustomEntry("large", large)).toThrow("too large");
	expect(session.getEntries()).toEqual([]);
});

test("large payloads are written to and restored from the blob store", () => {
	const blobs = {
		externalize: (entry: object) => JSON.parse(JSON.stringify(entry).replace("large", "blob:sha256:1")),
		resolve: (entry: object) => JSON.parse(JSON.stringify(entry).replace("blob:sha256:1", "large")),
	};
	const session = SessionManager.create("/work", home.path, { blobs });
	session.appendMessage(said("large"));
	session[Symbol.dispose]();
	expect(linesOf(fileOf(session))[1]).toContain("blob:sha256:1");
	const again = SessionManager.tryOpen(fileOf(session), { blobs });
	if (!again.ok) throw new Error(again.reason);
	using opened = again.session;
	expect(contextTexts(opened)).toEqual(["large"]);
});

test("a new session leaves the old one unchanged", () => {
	using session = create();
	session.appendMessage(said("old"));
	const old = fileOf(session);
	const path = session.newSession({ id: "chosen", parentSession: old });
	expect(path).toBe(join(session.getSessionDir(), sessionFileName(session.getHeader())));
	expect(session.getHeader()).toMatchObject({ id: "chosen", parentSession: old });
	expect(session.getEntries()).toEqual([]);
	expect(existsSync(`${old}.lock`)).toBe(false);
	session.setSessionFile(old);
	expect(contextTexts(session)).toEqual(["old"]);
});

test("a session is found by its exact id, whatever its file name, and its entries are counted", () => {
	const dir = join(home.path, "sessions");
	using session = create();
	session.appendMessage(said("hi"));
	session.appendMessage(answered("Hello."));
	const id = session.getSessionId();
	expect(SessionManager.findById("/work/main", id, dir)).toBe(fileOf(session));
	expect(SessionManager.findById("/work/main", id.slice(0, -1), dir)).toBeUndefined();
	expect(SessionManager.findById("/work/main", id, join(home.path, "nowhere"))).toBeUndefined();
	expect(session.getEntryCount()).toBe(session.getEntries().length);
	expect(session.usesDefaultSessionDir()).toBe(false);
	renameSync(fileOf(session), join(dir, "own-name.jsonl"));
	expect(SessionManager.findById("/work/main", id, dir)).toBe(join(dir, "own-name.jsonl"));
});
