/** A full disk costs one notice: the conversation continues, and is complete on disk when there is space again. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../../test/support/needs.ts";
import { SessionManager } from "../session-manager.ts";
import { startProgram } from "../testing/programs.ts";
import { chain, folder, contextTexts, linesOf, parsedLines, said, type Folder } from "../testing/sample.ts";

let home: Folder;
beforeEach(() => {
	home = folder();
});
afterEach(() => home[Symbol.dispose]());

function watched(session: SessionManager): string[] {
	const kinds: string[] = [];
	session.onProblem(({ kind }) => void kinds.push(kind));
	return kinds;
}

test("a directory that cannot be created is reported once, and entries are kept in order and written later", () => {
	const directory = join(home.path, "sessions");
	writeFileSync(directory, "in the way");
	using session = SessionManager.create("/work", directory);
	const kinds = watched(session);
	for (const text of ["one", "two", "three"]) session.appendMessage(said(text));
	expect(kinds).toEqual(["unsaved"]);
	expect(session.getProblems()).toEqual([{ kind: "unsaved", reason: expect.stringContaining(directory) }]);
	expect(contextTexts(session)).toEqual(["one", "two", "three"]);
	expect(session.flushSync()).toBe(false);

	rmSync(directory);
	session.appendMessage(said("four"));
	expect(session.getProblems().at(-1)).toEqual({ kind: "saved", entries: 4 });
	const lines = parsedLines(session.getSessionFile() ?? "");
	expect(lines.slice(1)).toEqual(session.getEntries() as []);
});

test("pending entries are written by flush, and at the end of the session", () => {
	for (const finish of ["flush", "dispose"] as const) {
		const directory = join(home.path, finish);
		writeFileSync(directory, "in the way");
		const session = SessionManager.create("/work", directory);
		session.appendMessage(said("one"));
		rmSync(directory);
		if (finish === "flush") expect(session.flushSync()).toBe(true);
		session[Symbol.dispose]();
		expect(parsedLines(session.getSessionFile() ?? "")).toHaveLength(2);
	}
});

test("a second outage is reported again", () => {
	const directory = join(home.path, "sessions");
	writeFileSync(directory, "in the way");
	using session = SessionManager.create("/work", directory);
	const kinds = watched(session);
	session.appendMessage(said("one"));
	rmSync(directory);
	session.appendMessage(said("two"));
	for (const name of readdirSync(directory)) rmSync(join(directory, name));
	rmdirSync(directory);
	writeFileSync(directory, "in the way again");
	session.appendMessage(said("three"));
	rmSync(directory);
	session.appendMessage(said("four"));
	expect(kinds).toEqual(["unsaved", "saved", "unsaved", "saved"]);
	expect(parsedLines(session.getSessionFile() ?? "")).toHaveLength(5);
});

test("a file that another program put in place of ours is not overwritten", () => {
	const path = home.file(chain("a", "b"));
	using session = SessionManager.open(path);
	session.appendMessage(said("ours"));
	rmSync(path);
	writeFileSync(path, "theirs\n");
	session.appendMessage(said("more"));
	expect(session.getProblems()).toEqual([
		{ kind: "unsaved", reason: expect.stringContaining("was replaced by another program") },
	]);
	expect(linesOf(path)).toEqual(["theirs"]);
	expect(contextTexts(session)).toEqual(["I am a", "I am b", "ours", "more"]);
});

test("a file that another program truncated is not damaged further", () => {
	const path = home.file(chain("a", "b"));
	using session = SessionManager.open(path);
	session.appendMessage(said("ours"));
	truncateSync(path, 50);
	session.appendMessage(said("more"));
	expect(session.getProblems()).toEqual([
		{ kind: "unsaved", reason: expect.stringContaining("was truncated by another program") },
	]);
	expect(statSync(path).size).toBe(50);
});

test("a session is readable even if no lock can be written", () => {
	const path = home.file(chain("a", "b"));
	mkdirSync(`${path}.lock`);
	using session = SessionManager.open(path);
	expect(contextTexts(session)).toEqual(["I am a", "I am b"]);
	session.appendMessage(said("kept"));
	expect(session.getProblems()).toMatchObject([{ kind: "unsaved" }]);
	rmdirSync(`${path}.lock`);
	expect(session.flushSync()).toBe(true);
	expect(parsedLines(path)).toHaveLength(4);
});

needs("bash", "prlimit")(
	"a file that may not grow keeps complete lines only, and everything in the end",
	async () => {
		// The kernel writes part of a line here, as it does when a disk runs full.
		const limited = ["bash", "-c", `trap "" XFSZ; ulimit -S -f 16; exec "$@"`, "bash"];
		const child = startProgram("outgrowLimit", home.path, limited);
		const { problems, during, atLimit, path, ids } = JSON.parse(await child.stdout.text());
		expect(problems).toEqual(["unsaved", "saved"]);
		expect(atLimit).toBe(false);
		expect(during).toBeGreaterThan(1);
		expect(during).toBeLessThan(11);
		expect(ids).toHaveLength(11);
		expect(
			parsedLines(path)
				.slice(1)
				.map(({ id }) => id),
		).toEqual(ids);
	},
);
