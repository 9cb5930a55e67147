/** What `read` shows of a file is what `edit` and `write` accept. */
import { describe, expect, test } from "bun:test";

import { testToolEnv } from "../../../../test/support/tool-env.ts";
import { fileTag, hashlineHeader, hashlineRows, stripHashlines } from "./hashline.ts";
import { limits } from "./limits.ts";
import { recordRead, Snapshots, snapshotsOf } from "./snapshots.ts";

describe("a tag", () => {
	test("is short, equal for equal text, and different otherwise", () => {
		const tags = new Set(Array.from({ length: 500 }, (_, index) => fileTag(`text ${index}\n`)));
		expect(tags.size).toBeGreaterThan(495);
		for (const tag of tags) expect(tag).toMatch(/^[0-9A-Z]{4}$/);
		expect(fileTag("é 日本")).toBe(fileTag(Buffer.from("é 日本").toString()));
		expect(fileTag("\ufeffa")).toBe(fileTag("a"));
		expect(fileTag("a\n")).not.toBe(fileTag("a"));
	});
});

describe("line numbers that were copied into a text", () => {
	const cases: [what: string, text: string, expected: string][] = [
		["are removed", "3:a\n4:b", "a\nb"],
		["are removed with their header", "[x.ts#AB12]\n3:a\n", "a\n"],
		["are removed from empty lines too", "9:\n10:b\n", "\nb\n"],
		["stay if one line has none", "3:a\nb", "3:a\nb"],
		["stay where they do not count on", "3:a\n5:b", "3:a\n5:b"],
		["stay in a single line, which may well be text", "8080:80", "8080:80"],
		["stay out of a text without any", "a\nb", "a\nb"],
	];
	test.each(cases)("%s", (_, text, expected) => {
		expect(stripHashlines(text)).toEqual({ text: expected, stripped: text !== expected });
	});

	test("property: what is printed is what is stripped", () => {
		const lines = ["a: 1", "", "  b", "3:c"];
		const shown = `${hashlineHeader("a b.ts", "AB12")}\n${hashlineRows(lines, 98)}`;
		expect(stripHashlines(shown).text).toBe(lines.join("\n"));
	});
});

describe("read states", () => {
	test("are found by path and tag, the newest first", async () => {
		await using env = await testToolEnv();
		const path = env.resolve("a.txt");
		const old = await recordRead(env, path, "one\n");
		const now = await recordRead(env, path, "two\n");
		expect(old).toBe(fileTag("one\n"));
		expect(snapshotsOf(env).latest(path)?.tag).toBe(now);
		expect(snapshotsOf(env).find(path, old)?.text).toBe("one\n");
		expect(snapshotsOf(env).find(env.resolve("b.txt"), old)).toBeUndefined();
	});

	test("a repeated state is the newest again", () => {
		const seen = new Snapshots();
		for (const text of ["a", "b", "a"]) seen.record("/f", text);
		expect(seen.latest("/f")?.text).toBe("a");
	});

	test("texts are evicted when there is no space, their tags stay", () => {
		const seen = new Snapshots(10);
		for (const name of ["/a", "/b", "/c"]) seen.record(name, `${name}${name}`);
		expect(seen.latest("/a")).toMatchObject({ tag: fileTag("/a/a"), text: undefined });
		expect(seen.latest("/c")?.text).toBe("/c/c");
		seen.record("/d", "x".repeat(11));
		expect(seen.latest("/d")).toMatchObject({ text: undefined });
	});

	test("files and states are limited in number", () => {
		const seen = new Snapshots();
		for (let index = 0; index <= limits.snapshotFiles; index++) seen.record(`/${index}`, "x");
		expect(seen.latest("/0")).toBeUndefined();
		expect(seen.latest("/1")).toBeDefined();
		for (let index = 0; index <= limits.snapshotsPerFile; index++) seen.record("/f", `${index}`);
		expect(seen.find("/f", fileTag("0"))).toBeUndefined();
		expect(seen.find("/f", fileTag("1"))).toBeDefined();
	});
});
