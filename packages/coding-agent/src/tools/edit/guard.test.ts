/** An edit that is still being written is stopped when it cannot match any more, and never while it can. */
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";

import { callTool, testPlace, type TestPlace } from "../../testing/place.ts";
import type { EditMode } from "../files/edit-mode.ts";
import { fileTag } from "../files/hashline.ts";
import { canStillMatch, type GuardFiles } from "./guard.ts";
import { Dice, repairs, spoil, withContext } from "./testing/mutations.ts";
import { edit } from "./tool.ts";

const text = "function add(a, b) {\n\treturn a + b;\n}\n\nfunction sub(a, b) {\n\treturn a - b;\n}\n";

function filesOf(place: TestPlace, seen: Record<string, string> = {}): GuardFiles {
	return {
		resolve: (path) => place.resolve(path),
		text: (path) => (path === "f" ? readFileSync(place.resolve("f"), "utf8") : undefined),
		seen: (_, tag) => seen[tag],
	};
}

async function judge(mode: EditMode, args: Record<string, unknown>, seen: Record<string, string> = {}) {
	await using place = await testPlace();
	writeFileSync(place.resolve("f"), text);
	const verdict = await canStillMatch(args, mode, filesOf(place, seen));
	return verdict.ok ? "goes on" : verdict.reason.split("\n")[0];
}

const replacing = (oldText: string, more: object = {}) => ({ path: "f", edits: [{ oldText, ...more }] });
const patching = (...lines: string[]) => ({
	input: ["*** Begin Patch", "*** Update File: f", ...lines].join("\n"),
});
const tagged = (more: object, tag = fileTag(text)) => ({ path: "f", tag, edits: [more] });

const cases: [what: string, mode: EditMode, args: Record<string, unknown>, said: string][] = [
	["nothing yet", "replace", {}, "goes on"],
	["a path that may not be whole", "replace", { path: "nowhe" }, "goes on"],
	["a file that is not there", "replace", { path: "nowhere", edits: [] }, "There is no text file nowhere."],
	["a line that may not be whole", "replace", replacing("function add(x"), "goes on"],
	["a line that is there", "replace", replacing("function add(a, b) {\n\tretu"), "goes on"],
	["a line from its middle on", "replace", replacing("(a, b) {\n\treturn a + b;\n"), "goes on"],
	["a line with other blanks", "replace", replacing("\n  function  add(a, b) {\n"), "goes on"],
	[
		"a line that is not there",
		"replace",
		replacing("function mul(a, b) {\n"),
		"oldText does not occur in f. The nearest is at line 1; - is oldText, + is the file:",
	],
	[
		"two lines that are there, but not together",
		"replace",
		replacing("function add(a, b) {\n\treturn a - b;\n"),
		"oldText does not occur in f. The nearest is at line 1; - is oldText, + is the file:",
	],
	[
		"a last line that is whole",
		"replace",
		replacing("zzzz", { newText: "" }),
		"oldText does not occur in f.",
	],
	[
		"a first edit that is whole",
		"replace",
		{ path: "f", edits: [{ oldText: "qqqq" }, {}] },
		"oldText does not occur in f.",
	],
	["no edits yet", "hashline", { path: "f", tag: "XX" }, "goes on"],
	["numbers that may not be whole", "hashline", tagged({ from: 900 }), "goes on"],
	["numbers that are in the file", "hashline", tagged({ from: 2, to: 3, text: "" }), "goes on"],
	["numbers past the end", "hashline", tagged({ from: 2, to: 30, text: "" }), "f has only 7 lines."],
	["an insertion past the end", "hashline", tagged({ after: 8, text: "x" }), "f has only 7 lines."],
	[
		"a tag that nobody knows",
		"hashline",
		tagged({ from: 2, text: "" }, "ZZZZ"),
		"f has changed since that tag: read it again.",
	],
	["no patch yet", "apply_patch", { input: "*** Beg" }, "goes on"],
	[
		"something else than a patch",
		"apply_patch",
		{ input: "diff --git a b\n" },
		'The patch cannot be read, line 1: a patch begins with "*** Begin Patch". Nothing was changed.',
	],
	[
		"a path that may not be whole",
		"apply_patch",
		{ input: "*** Begin Patch\n*** Update File: g" },
		"goes on",
	],
	[
		"a file that is not there",
		"apply_patch",
		{ input: "*** Begin Patch\n*** Update File: g\n" },
		"There is no file g to update. Nothing was changed.",
	],
	[
		"a new file that is there",
		"apply_patch",
		{ input: "*** Begin Patch\n*** Add File: f\n" },
		"f is there already: use *** Update File, or *** Delete File before it. Nothing was changed.",
	],
	[
		"a hunk that fits so far",
		"apply_patch",
		patching("@@", " function add(a, b) {", "-\treturn a + b;", "+\tretu"),
		"goes on",
	],
	[
		"a hunk that does not fit",
		"apply_patch",
		patching("@@", " function mul(a, b) {", "-\tret"),
		"The hunk does not fit f. The nearest is at line 1; - is the patch, + is the file:",
	],
	[
		"a hunk before it that fits twice",
		"apply_patch",
		patching("@@", "-}", "@@", " x"),
		"The hunk in line 3 of the patch fits f at lines 3, 7: give more lines of context, or an @@ line above the place. Nothing was changed.",
	],
];
test.each(cases)("%s", async (_, mode, args, said) => {
	expect(await judge(mode, args)).toBe(said);
});

test("lines of a state that was seen are found again, or not", async () => {
	const old = text.replace("a + b", "a+b");
	const seen = { [fileTag(old)]: old };
	expect(await judge("hashline", tagged({ from: 6, text: "" }, fileTag(old)), seen)).toBe("goes on");
	expect(await judge("hashline", tagged({ from: 2, text: "" }, fileTag(old)), seen)).toStartWith(
		"f has changed",
	);
});

describe("an edit that would be made is never stopped, wherever it is cut", () => {
	test.each(["replace", "apply_patch"] as const)("%s", async (mode) => {
		await using place = await testPlace();
		await place.settings.set("edit.mode", mode, "session");
		const dice = new Dice(11);
		for (let round = 0; round < 60; round++) {
			const case_ = spoil(dice);
			const [first] = withContext(case_, repairs(case_), 2);
			if (!first) continue;
			const sought = case_.lines.slice(first.start, first.end);
			const oldText = sought.join("\n");
			const hunk = ["@@", ...sought.map((line) => `-${line}`), ...first.lines.map((line) => `+${line}`)];
			const args = (cut: number) =>
				mode === "replace"
					? replacing(oldText.slice(0, cut), cut >= oldText.length ? { newText: first.lines.join("\n") } : {})
					: { input: patching(...hunk, "*** End Patch", "").input.slice(0, cut) };
			const length =
				mode === "replace" ? oldText.length : patching(...hunk, "*** End Patch", "").input.length;
			writeFileSync(place.resolve("f"), case_.spoilt);
			for (let cut = 0; cut <= length; cut += 1 + dice.roll(40)) {
				expect(await canStillMatch(args(cut), mode, filesOf(place))).toEqual({ ok: true });
			}
			const made = await callTool(edit.bind(place), args(length));
			expect(made.isError).toBeUndefined();
		}
	});
});
