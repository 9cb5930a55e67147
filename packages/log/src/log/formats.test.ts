/** Files that pi and omp wrote, even long ago, open unchanged and stay unchanged. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { SessionManager } from "./session-manager.ts";
import { branchIds, folder, linesOf, parsedLines, said, type Folder } from "./testing/sample.ts";

let home: Folder;
beforeEach(() => {
	home = folder();
});
afterEach(() => home[Symbol.dispose]());

const fixture = (name: string) => join(import.meta.dir, "fixtures", name);

function copyOf(name: string): string {
	const path = join(home.path, name);
	copyFileSync(fixture(name), path);
	return path;
}

const roles = (session: SessionManager, transcript = false) =>
	session.buildSessionContext({ transcript }).messages.map(({ role }) => String(role));

describe("pi, version 3", () => {
	test("builds the same context as pi", () => {
		using session = SessionManager.open(copyOf("pi-v3.jsonl"));
		expect(session.getProblems()).toEqual([]);
		expect(session.getHeader()).toMatchObject({ cwd: "/home/ann/shop", parentSession: expect.any(String) });
		expect(session.getSessionName()).toBe("Cart");
		expect(session.getLabel("a0000002")).toBe("found");
		expect(session.getChildren("a0000002").map(({ id }) => id)).toEqual(["b0000001", "s0000001"]);
		expect(session.buildSessionContext()).toMatchObject({
			thinkingLevel: "medium",
			model: { provider: "anthropic", modelId: "claude-sonnet-4-5" },
			messages: [
				{ role: "compactionSummary", summary: "They looked for the cart.", tokensBefore: 50000 },
				{ role: "assistant", content: [{ type: "text", text: "In cart.ts." }] },
				{ role: "bashExecution", command: "git status" },
				{ role: "custom", customType: "reminder", content: "Mind the tests.", details: { from: "hook" } },
				{ role: "user", content: "Now fix it." },
			],
		});
	});

	test("shows the user everything, with the compaction where it happened", () => {
		using session = SessionManager.open(copyOf("pi-v3.jsonl"));
		expect(roles(session, true)).toEqual([
			"user",
			"assistant",
			"toolResult",
			"assistant",
			"bashExecution",
			"compactionSummary",
			"custom",
			"user",
		]);
	});
});

describe("omp, version 3", () => {
	test("builds the same context as omp", () => {
		using session = SessionManager.open(copyOf("omp-v3.jsonl"));
		expect(session.getProblems()).toEqual([]);
		expect(session.getSessionId()).toBe("1f9d2a6b9c0d1234");
		expect(session.getSessionName()).toBe("Basket work");
		const context = session.buildSessionContext();
		expect(context).toMatchObject({
			thinkingLevel: "high",
			model: { provider: "openrouter", modelId: "anthropic/claude-sonnet" },
			models: { default: "openrouter/anthropic/claude-sonnet", smol: "openai/gpt-4o-mini" },
			injectedTtsrRules: ["ruleA", "ruleB"],
			mode: "plan",
			modeData: { planFile: "/tmp/plan.md" },
		});
		expect(roles(session)).toEqual(["user", "pythonExecution", "custom", "fileMention"]);
		expect(context.messages[2]).toMatchObject({ attribution: "agent" });
		expect(roles(session, true)).toHaveLength(5);
		expect(session.getEntry("b1c2d3e4")).toMatchObject({
			provider: "openrouter",
			modelId: "anthropic/claude-sonnet",
		});
	});

	test("keeps unknown entries and returns them on request", () => {
		using session = SessionManager.open(copyOf("omp-v3.jsonl"));
		expect(session.getEntry("z0000001")).toMatchObject({ payload: { kept: "as it is", number: 1.5 } });
		expect(session.getHeader()).toMatchObject({ additionalDirectories: ["/work/shared"] });
	});
});

describe.each(["pi-v3.jsonl", "omp-v3.jsonl", "pi-v2.jsonl"])("%s:", (name) => {
	test("existing lines stay byte for byte, and new ones are appended", () => {
		const path = copyOf(name);
		const before = readFileSync(path, "utf8");
		{
			using session = SessionManager.open(path);
			expect(readFileSync(path, "utf8")).toBe(before);
			session.appendMessage(said("and now Tau"));
		}
		const after = readFileSync(path, "utf8");
		expect(after).toStartWith(before);
		expect(after.slice(before.length)).toMatch(/^\{"type":"message",[^\n]*\}\n$/);
	});

	test("a fork has the same lines under its own header", () => {
		const path = copyOf(name);
		using fork = SessionManager.forkFrom(path, "/elsewhere", home.path);
		const copied = linesOf(fork.getSessionFile() ?? "").slice(1);
		expect(linesOf(path).slice(-copied.length)).toEqual(copied);
		expect(copied).toHaveLength(fork.getEntries().length);
		expect(fork.getHeader()).toMatchObject({ cwd: "/elsewhere", parentSession: path, version: 3 });
	});
});

describe("in a directory of pi or omp", () => {
	test("a session is read where it is, and continued in a fork: Tau writes nothing there", () => {
		for (const name of [".pi", ".omp"]) {
			const theirs = join(home.path, name, "sessions");
			mkdirSync(theirs, { recursive: true });
			const path = join(theirs, "session.jsonl");
			copyFileSync(fixture("pi-v3.jsonl"), path);
			expect(SessionManager.tryOpen(path)).toMatchObject({ ok: false, reason: "foreign", path });
			using session = SessionManager.open(path, join(home.path, "ours"));
			session.appendMessage(said("on"));
			expect(session.getHeader()).toMatchObject({ parentSession: path, cwd: "/home/ann/shop" });
			expect(session.getSessionFile()).toStartWith(join(home.path, "ours"));
			expect(readdirSync(theirs)).toEqual(["session.jsonl"]);
			expect(readFileSync(path)).toEqual(readFileSync(fixture("pi-v3.jsonl")));
		}
	});
});

describe("version 2", () => {
	test("reads hook messages under their new name", () => {
		using session = SessionManager.open(copyOf("pi-v2.jsonl"));
		expect(session.getProblems()).toEqual([]);
		expect(session.buildSessionContext().messages[1]).toMatchObject({
			role: "custom",
			content: "2 warnings",
		});
	});
});

describe("version 1", () => {
	test("is a chain, and a compaction that counts lines keeps the right entries", () => {
		using session = SessionManager.open(copyOf("pi-v1.jsonl"));
		expect(session.getProblems()).toEqual([]);
		expect(branchIds(session)).toHaveLength(6);
		const { messages, thinkingLevel, model } = session.buildSessionContext();
		expect(messages).toMatchObject([{ summary: "A greeting." }, { content: "Kept" }, { content: "Last" }]);
		expect(thinkingLevel).toBe("high");
		expect(model).toEqual({ provider: "anthropic", modelId: "claude-3-5-sonnet" });
	});

	test("gives its entries the same ids at every opening", () => {
		const path = copyOf("pi-v1.jsonl");
		const ids = [1, 2].map(() => {
			using session = SessionManager.open(path);
			return branchIds(session);
		});
		expect(ids[0]).toEqual(ids[1] ?? []);
	});

	test("is not changed by reading", () => {
		const path = copyOf("pi-v1.jsonl");
		{
			using session = SessionManager.open(path);
			session.getEntries();
		}
		expect(readFileSync(path)).toEqual(readFileSync(fixture("pi-v1.jsonl")));
		expect(existsSync(`${path}.orig`)).toBe(false);
	});

	test("becomes version 3 when an entry is added, and the original is kept", () => {
		const path = copyOf("pi-v1.jsonl");
		let ids: string[] = [];
		{
			using session = SessionManager.open(path);
			session.branch(branchIds(session)[0] ?? "");
			session.appendMessage(said("another way"));
			session.appendMessage(said("and on"));
			ids = session.getEntries().map(({ id }) => id);
			expect(session.getEntries()[1]).toMatchObject({ message: { content: [{ text: "Hi." }] } });
		}
		expect(readFileSync(`${path}.orig`)).toEqual(readFileSync(fixture("pi-v1.jsonl")));
		const lines = parsedLines(path);
		expect(lines[0]).toMatchObject({ version: 3, provider: "anthropic" });
		expect(lines.slice(1).map(({ id }) => id)).toEqual(ids);
		expect(lines[5]).toMatchObject({ type: "compaction", firstKeptEntryId: ids[3] });
		for (const line of lines.slice(1)) {
			expect(Object.keys(line).slice(0, 4)).toEqual(["type", "id", "parentId", "timestamp"]);
		}
		using again = SessionManager.open(path);
		expect(again.buildSessionContext().messages).toMatchObject([
			{ content: "Hello" },
			{ content: "another way" },
			{ content: "and on" },
		]);
	});
});

test("regression: a name that is not a string is ignored, and affects nothing else", () => {
	const path = join(home.path, "odd.jsonl");
	const header = { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" };
	const entry = {
		type: "session_info",
		id: "a0000001",
		parentId: null,
		timestamp: header.timestamp,
		name: 7,
	};
	writeFileSync(path, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
	using session = SessionManager.open(path);
	expect(session.getSessionName()).toBeUndefined();
	expect(session.getEntries().length).toBe(1);
});

describe("a future version", () => {
	const later = (): string => {
		const path = copyOf("pi-v3.jsonl");
		const [first = "", ...rest] = readFileSync(path, "utf8").split("\n");
		// Torn at its end: not even a repair is written.
		const text = [first.replace('"version":3', '"version":4'), ...rest].join("\n");
		writeFileSync(path, `${text}{"type":"mess`);
		return path;
	};

	test("is not written to, and the error says what to do", () => {
		const path = later();
		const before = readFileSync(path);
		expect(before.toString()).toContain('"version":4');
		expect(SessionManager.tryOpen(path)).toMatchObject({ ok: false, reason: "newer", version: 4 });
		expect(() => SessionManager.open(path)).toThrow(
			/newer version of Tau or pi \(format 4\).*fork the session/,
		);
		using other = SessionManager.inMemory();
		expect(() => other.setSessionFile(path)).toThrow("newer version");
		expect(readFileSync(path).equals(before)).toBe(true);
		expect(readdirSync(home.path)).toEqual(["pi-v3.jsonl"]);
	});

	test("can be read, and forked on request", () => {
		const path = later();
		const read = SessionManager.tryOpen(path, { access: "read" });
		if (!read.ok) throw new Error(read.reason);
		using session = read.session;
		expect(session.getSessionName()).toBe("Cart");
		using fork = SessionManager.forkFrom(path, "/tmp", home.path);
		expect(fork.getHeader().version).toBe(3);
	});
});
