/** A session file is a chain of whole lines that is there as soon as something was said, for its owner alone. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import type { UserMessage } from "@tau/ai";

import { limits } from "./limits.ts";
import { SessionLog } from "./session-log.ts";

let directory = "";
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "tau-log-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function said(content: string): UserMessage {
	return { role: "user", content, timestamp: 1 };
}

function linesOf(log: SessionLog): string[] {
	const text = readFileSync(log.path, "utf8");
	expect(text).toEndWith("\n");
	return text.slice(0, -1).split("\n");
}

test("a session in which nothing was said leaves nothing on disk", () => {
	{
		using _log = new SessionLog(directory, "/work/main");
	}
	expect(readdirSync(directory)).toEqual([]);
});

test("the first message brings the file, with the header before it", () => {
	using log = new SessionLog(directory, "/work/main");
	log.appendMessage(said("hi"));
	const [header, first] = linesOf(log).map((line) => JSON.parse(line));
	expect(header).toEqual({
		type: "session",
		version: 3,
		id: log.header.id,
		timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
		cwd: "/work/main",
	});
	expect(first).toMatchObject({ type: "message", parentId: null, message: said("hi") });
});

test("keys stand in the order that an index relies on", () => {
	using log = new SessionLog(directory, "/work/main");
	log.appendMessage(said("hi"));
	const [header, first] = linesOf(log).map((line) => Object.keys(JSON.parse(line)));
	expect(header).toEqual(["type", "version", "id", "timestamp", "cwd"]);
	expect(first).toEqual(["type", "id", "parentId", "timestamp", "message"]);
});

test("every message is whole on disk when it was appended, and hangs on the one before it", () => {
	using log = new SessionLog(directory, "/work/main");
	const ids: string[] = [];
	for (const text of ["one", "two\nlines", "three \u2028 😀 \ud800", "x".repeat(300_000)]) {
		ids.push(log.appendMessage(said(text)).id);
		const last = JSON.parse(linesOf(log).at(-1) ?? "");
		expect(last).toMatchObject({ id: ids.at(-1), parentId: ids.at(-2) ?? null, message: { content: text } });
	}
	expect(linesOf(log)).toHaveLength(5);
	expect(new Set(ids).size).toBe(4);
	for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}$/);
});

test("only the owner can read it", () => {
	using log = new SessionLog(join(directory, "sessions"), "/work/main");
	log.appendMessage(said("secret"));
	expect(statSync(log.path).mode & 0o777).toBe(0o600);
	expect(statSync(dirname(log.path)).mode & 0o777).toBe(0o700);
	expect(statSync(join(directory, "sessions")).mode & 0o777).toBe(0o700);
});

describe("the file lies", () => {
	function folder(cwd: string): string {
		return basename(dirname(new SessionLog(directory, cwd).path));
	}

	test("under its project and its time", () => {
		const log = new SessionLog(directory, "/work/main");
		expect(dirname(log.path)).toBe(join(directory, "--work-main--"));
		expect(basename(log.path)).toBe(
			`${log.header.timestamp.replaceAll(/[:.]/g, "-")}_${log.header.id}.jsonl`,
		);
	});

	test("under a name without slashes and colons, wherever it was started", () => {
		expect(folder("/")).toBe("----");
		expect(folder("C:\\Users\\me")).toBe("--C--Users-me--");
	});

	test("also for a path that is longer than a file name may be", () => {
		const deep = `/${"ümläut/".repeat(80)}`;
		const names = [`${deep}a`, `${deep}b`, `/x${deep}a`].map(folder);
		for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(limits.fileNameBytes);
		expect(new Set(names).size).toBe(3);
		expect(names[0]).toEndWith("ümläut-a--");
		using log = new SessionLog(directory, `${deep}a`);
		log.appendMessage(said("hi"));
		expect(linesOf(log)).toHaveLength(2);
	});
});

test("two sessions of one moment never share a file", () => {
	using one = new SessionLog(directory, "/work/main");
	using two = new SessionLog(directory, "/work/main");
	one.appendMessage(said("a"));
	two.appendMessage(said("b"));
	expect(one.path).not.toBe(two.path);
	expect([linesOf(one).length, linesOf(two).length]).toEqual([2, 2]);
});

test("a file in the way is an error that names it, and leaves no file behind", () => {
	writeFileSync(join(directory, "sessions"), "in the way");
	using log = new SessionLog(join(directory, "sessions"), "/work/main");
	expect(() => log.appendMessage(said("hi"))).toThrow(join(directory, "sessions"));
	expect(existsSync(log.path)).toBe(false);
});
