/** Merge conflicts that were seen are resolved by number, one by one or all at once, and nothing else in the file changes. */
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";

import { needs } from "../../../../test/support/needs.ts";
import { callTool, testPlace, textOf, type TestPlace } from "../../../../test/support/place.ts";
import { conflictsOf, findConflicts } from "../files/conflicts.ts";
import { fileTag } from "../files/hashline.ts";
import { unify } from "../files/line-ends.ts";
import { write } from "./tool.ts";

const block = (ours: string, theirs: string, base?: string) =>
	`<<<<<<< HEAD\n${ours}\n${base === undefined ? "" : `||||||| base\n${base}\n`}=======\n${theirs}\n>>>>>>> topic\n`;
const two = `top\n${block("a1", "a2", "a0")}middle\n${block("b1", "b2")}end\n`;

/** As `read` does when it shows a file. */
function seen(place: TestPlace, path: string, text: string): number[] {
	writeFileSync(place.resolve(path), text);
	return conflictsOf(place)
		.record(path, place.resolve(path), unify(text).text)
		.map(({ id }) => id);
}

const put = async (place: TestPlace, path: string, content: string) => {
	const result = await callTool(write.bind(place), { path, content });
	return `${result.isError ? "error: " : ""}${textOf(result)}`;
};
const now = (place: TestPlace, path: string) => readFileSync(place.resolve(path), "utf8");

describe("a conflict", () => {
	test("gives way to what is written, and the others keep their numbers", async () => {
		await using place = await testPlace();
		expect(seen(place, "f", two)).toEqual([1, 2]);
		expect(await put(place, "conflict://1", "both\nof them")).toBe("Resolved 1 conflict in f; 1 left.");
		expect(now(place, "f")).toBe(`top\nboth\nof them\nmiddle\n${block("b1", "b2")}end\n`);
		expect(conflictsOf(place).all()).toMatchObject([{ id: 2, line: 5 }]);
		expect(await put(place, "conflict://2", "")).toBe("Resolved 1 conflict in f; 0 left.");
		expect(now(place, "f")).toBe("top\nboth\nof them\nmiddle\nend\n");
	});

	const sides: [side: string, after: string][] = [
		["@ours", "top\na1\nmiddle\nb1\nend\n"],
		["@theirs", "top\na2\nmiddle\nb2\nend\n"],
		["@both", "top\na1\na2\nmiddle\nb1\nb2\nend\n"],
	];
	test.each(sides)("%s for all of them", async (side, after) => {
		await using place = await testPlace();
		seen(place, "f", two);
		expect(await put(place, "conflict://*", side)).toBe("Resolved 2 conflicts in f; 0 left.");
		expect(now(place, "f")).toBe(after);
	});

	test("@base only where git said it; then nothing of the file changes", async () => {
		await using place = await testPlace();
		seen(place, "f", two);
		expect(await put(place, "conflict://*", "@base")).toBe(
			"error: Conflict 2: git did not record the common base.",
		);
		expect(now(place, "f")).toBe(two);
		await put(place, "conflict://1", "@base");
		expect(now(place, "f")).toStartWith("top\na0\nmiddle\n");
	});

	test("in several files at once; what fails is named, the others are done", async () => {
		await using place = await testPlace();
		seen(place, "f", two);
		seen(place, "g", two);
		writeFileSync(place.resolve("f"), "somebody resolved it\n");
		expect(await put(place, "conflict://*", "@ours")).toBe(
			"Resolved 2 conflicts in g; 0 left.\nConflict 1 is no longer in f. Read it again.",
		);
		expect(now(place, "f")).toBe("somebody resolved it\n");
	});

	test("keeps Windows line ends", async () => {
		await using place = await testPlace();
		seen(place, "f", two.replaceAll("\n", "\r\n"));
		await put(place, "conflict://1", "x\ny\n");
		expect(now(place, "f")).toStartWith("top\r\nx\r\ny\r\nmiddle\r\n<<<<<<< HEAD\r\n");
	});

	test("the same one twice in a file: the nearest to where it was seen", async () => {
		await using place = await testPlace();
		seen(place, "f", `${block("a", "b")}x\n${block("a", "b")}`);
		await put(place, "conflict://2", "@theirs");
		expect(now(place, "f")).toBe(`${block("a", "b")}x\nb\n`);
	});

	test("in hashline mode comes with the tag of the file", async () => {
		await using place = await testPlace();
		await place.settings.set("edit.mode", "hashline", "session");
		seen(place, "f", two);
		const text = await put(place, "conflict://1", "x");
		expect(text).toBe(`Resolved 1 conflict in f; 1 left.\n[f#${fileTag(now(place, "f"))}]`);
	});

	const refused: [path: string, content: string, message: string][] = [
		["conflict://7", "x", "There is no conflict 7. Known: 1 (f:2), 2 (f:10)."],
		["conflict://1/ours", "x", "conflict://1/ours is read-only. Write to conflict://ID."],
		["conflict://abc", "x", "There is no conflict abc. Known: 1 (f:2), 2 (f:10)."],
		["conflict://1", block("x", "y"), "Conflict 1: the content still has conflict markers."],
	];
	test.each(refused)("%s is refused", async (path, content, message) => {
		await using place = await testPlace();
		seen(place, "f", two);
		expect(await put(place, path, content)).toBe(`error: ${message}`);
		expect(now(place, "f")).toBe(two);
	});

	test("nobody has seen is not known", async () => {
		await using place = await testPlace();
		const none = "error: No conflicts are known. Read a file with conflict markers first.";
		expect(await put(place, "conflict://*", "x")).toBe(none);
		expect(await put(place, "conflict://1", "x")).toBe(
			"error: There is no conflict 1. Read a file with conflict markers first.",
		);
	});
});

test("what only looks like a conflict is none", () => {
	const texts = [
		"<<<<<<< HEAD\nno end\n",
		"=======\n>>>>>>> x\n",
		"Heading\n=======\n",
		"<<<<<<< a\n>>>>>>> b\n",
	];
	expect(texts.map((text) => findConflicts(text).length)).toEqual([0, 0, 0, 0]);
});

needs("git")("the conflicts of a real merge are found, with what both sides started from", async () => {
	await using place = await testPlace();
	const who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "merge.conflictStyle=diff3"];
	const git = (...args: string[]) => Bun.spawnSync(["git", ...who, ...args], { cwd: place.cwd });
	const commit = (text: string) => {
		writeFileSync(place.resolve("f"), text);
		git("add", "f");
		git("commit", "-q", "-m", "x");
	};
	git("init", "-q", "-b", "main");
	commit("one\nbase\nthree\n");
	git("checkout", "-q", "-b", "topic");
	commit("one\ntheirs\nthree\n");
	git("checkout", "-q", "main");
	commit("one\nours\nthree\n");
	git("merge", "topic");
	const [found] = findConflicts(now(place, "f"));
	expect(found).toMatchObject({ line: 2, ours: ["ours"], base: ["base"], theirs: ["theirs"] });
});
