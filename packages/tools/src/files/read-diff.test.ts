/** What a diff says is read back as the texts that it was made from. */
import { expect, test } from "bun:test";

import { LineText } from "./line-text.ts";
import { diffParts } from "./read-diff.ts";
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
