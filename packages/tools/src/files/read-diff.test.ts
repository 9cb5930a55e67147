/** What a diff says is read back as the texts that it was made from. */
import { describe, expect, test } from "bun:test";

import { LineText } from "./line-text.ts";
import { applyDiff, diffParts } from "./read-diff.ts";
import { everything, unifiedDiff } from "./unified-diff.ts";

function diffOf(before: string, after: string): string {
	const [old, now] = [new LineText(before), new LineText(after)];
	return `--- a.txt\n+++ a.txt\n${unifiedDiff(old, now, everything(old, now)).diff}`;
}

test("a part has the old and the new text, also if its lines look like the head of another part", () => {
	expect(diffParts(diffOf("one\n-- x\n++ y\n", "one\n-- z\n++ y\n"))).toEqual([
		{ name: "a.txt", old: "one\n-- x\n++ y", now: "one\n-- z\n++ y" },
	]);
});

test("a new file has no old text, a deleted one keeps its name, and several files are several parts", () => {
	const created = "--- /dev/null\n+++ new.txt\n@@ -0,0 +1,2 @@\n+one\n+two";
	const deleted = "--- old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone";
	expect(diffParts(`${created}\n${deleted}`)).toEqual([
		{ name: "new.txt", old: undefined, now: "one\ntwo" },
		{ name: "old.txt", old: "gone", now: "" },
	]);
});

test("lines with numbers are read without them, in the parts that dots divide", () => {
	expect(diffParts("  9 same\n-10 old\n+10 new\n    ...\n 40 here\n+41 more")).toEqual([
		{ old: "same\nold", now: "same\nnew" },
		{ old: "here", now: "here\nmore" },
	]);
});

test("a text that is no diff has no parts, and one that was cut has what is there", () => {
	expect(diffParts("just words")).toEqual([]);
	expect(diffParts("--- a\n+++ a\n@@ -1,9 +1,9 @@\n-x\n+y")).toEqual([{ name: "a", old: "x", now: "y" }]);
});

describe("a diff is applied to the text that it was made from", () => {
	const rows = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
	const before = `${rows.join("\n")}\n`;
	const after = `${rows.toSpliced(20, 2).toSpliced(4, 1, "five", "and a half").join("\n")}\n`;

	test("with heads, and with numbers", () => {
		expect(applyDiff(before, diffOf(before, after))).toBe(after);
		const numbers =
			"  2 line 2\n  3 line 3\n  4 line 4\n- 5 line 5\n+ 5 five\n+ 6 and a half\n  7 line 6\n    ...\n 21 line 20\n-21 line 21\n-22 line 22\n 22 line 23\n    ...";
		expect(applyDiff(before, numbers)).toBe(after);
	});

	test("a new file, an emptied one, and one without an end of its last line", () => {
		expect(applyDiff("", "--- /dev/null\n+++ new.txt\n@@ -0,0 +1,2 @@\n+one\n+two")).toBe("one\ntwo\n");
		expect(applyDiff("one\n", "-1 one")).toBe("");
		expect(applyDiff("one\ntwo", diffOf("one\ntwo", "one\n2"))).toBe("one\n2");
	});

	test("not to another text, not of two files, and not if a line is shown differently from how it is", () => {
		expect(applyDiff(`x\n${before}`, diffOf(before, after))).toBeUndefined();
		const other = diffOf("a\n", "b\n").replaceAll("a.txt", "b.txt");
		expect(applyDiff("a\n", `${diffOf("a\n", "b\n")}\n${other}`)).toBeUndefined();
		expect(applyDiff("a\n", diffOf("a\n", "\u001b[31m\n"))).toBeUndefined();
		expect(applyDiff("a\n", diffOf("a\n", `${"x".repeat(600)}\n`))).toBeUndefined();
	});
});
