/** A diff shows all changes and nothing else, at every width. */
import { beforeAll, describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { meaningIn, readable, runsOf, tokenTheme } from "../components/testing/token-theme.ts";
import { loadLanguage } from "../highlight/index.ts";
import { visibleWidth } from "../text.ts";
import { builtinTheme } from "../theme/index.ts";
import { diffBetween, parseDiff } from "./diff-lines.ts";
import { DiffView, renderDiff } from "./index.ts";

const unified = `diff --git a/src/box.ts b/src/box.ts
index 1111111..2222222 100644
--- a/src/box.ts
+++ b/src/box.ts
@@ -1,4 +1,5 @@
 import { a } from "a";
-const width = 80;
+const width = 120;
+const height = 40;
 
 export function draw() {
@@ -20,3 +21,2 @@ function rest() {
 	same
--- a comment in SQL
 end
\\ No newline at end of file
`;

beforeAll(async () => {
	await loadLanguage("ts");
});

function rows(diff: ConstructorParameters<typeof DiffView>[0], width = 50): string[] {
	return new DiffView(diff, tokenTheme).render(width).map((row) => Bun.stripANSI(row).trimEnd());
}

describe("a unified diff", () => {
	test("is shown with its file, its numbers and its signs", () => {
		expect(rows(unified)).toEqual([
			"src/box.ts",
			' 1   import { a } from "a";',
			" 2 - const width = 80;",
			" 2 + const width = 120;",
			" 3 + const height = 40;",
			" 4",
			" 5   export function draw() {",
			"   ⋯ function rest() {",
			"21      same",
			"21 - -- a comment in SQL",
			"22   end",
			"No newline at end of file",
		]);
	});

	test.each([40, 80, 150])("looks as it did at %d cells", (width) => {
		const plain = new DiffView(unified, tokenTheme).render(width);
		const colored = new DiffView(unified, tokenTheme, { language: "ts" }).render(width);
		expect(`\n${[...plain, "", ...colored].map(readable).join("\n")}\n`).toMatchSnapshot();
	});

	test.each(["dark", "light"] as const)("is the same picture in the colors of %s", (name) => {
		const own = new DiffView(unified, builtinTheme(name, "truecolor"), { language: "ts" }).render(60);
		const known = new DiffView(unified, tokenTheme, { language: "ts" }).render(60);
		expect(own.map((row) => runsOf(row))).toEqual(known.map((row) => runsOf(row, meaningIn(name))));
	});

	test("is side by side if there is space, old on the left", () => {
		const wide = rows(unified, 150);
		const changed = wide.find((row) => row.includes("width = 80"));
		expect(changed).toMatch(/^ 2 - const width = 80; +│ {2}2 \+ const width = 120;$/);
		expect(wide.find((row) => row.includes("height"))).toMatch(/^ +│ {2}3 \+ const height = 40;$/);
		expect(rows(unified, 139).some((row) => row.includes("│"))).toBe(false);
	});

	test("marks what changed inside a line", () => {
		const rendered = renderDiff("@@ -1 +1 @@\n-const width = 80;\n+const width = 120;\n", tokenTheme);
		const [removed, added] = rendered.split("\n").map((row) => readable(row));
		expect(removed).toContain("‹toolDiffRemovedWordBg›‹toolDiffRemoved›80‹/›‹/bg›");
		expect(added).toContain("‹toolDiffAddedWordBg›‹toolDiffAdded›120‹/›‹/bg›");
	});

	test("fills its band to the edge of the screen, also where a row is wrapped inside of a marked word", () => {
		const [before, after] = ["price, 0);", "price * (item.quantity ?? 1), 0);"];
		const line = "const sum = items.reduce((sum, item) => sum + item.";
		const change = `@@ -1 +1 @@\n-${line}${before}\n+${line}${after}\n`;
		const drawn = new DiffView(change, tokenTheme).render(70).slice(1);
		expect(drawn.length).toBeGreaterThan(1);
		for (const row of drawn) {
			expect(visibleWidth(row)).toBe(70);
			const [, ...holes] = readable(row)
				.replace(/‹\/bg›$/, "")
				.split("‹/bg›");
			for (const hole of holes) expect(hole).toMatch(/^(?:‹[^›]+›)*?‹toolSuccessBg›/);
		}
		expect(drawn.map(readable).join("")).toContain("‹/bg›‹toolSuccessBg›");
	});

	test("tints what changed on its band; removed code has one color, added code that of its syntax", () => {
		const change =
			"--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-const a = `Hello you`;\n+const a = `Good day you`;\n";
		const rendered = readable(new DiffView(change, tokenTheme, { language: "ts" }).render(60).join("\n"));
		expect(rendered).toContain(
			"‹toolErrorBg›‹dim›1 ‹/›‹toolDiffRemoved›- ‹/›‹toolDiffRemoved›const a = `‹toolDiffRemovedWordBg›Hello‹/bg›‹toolErrorBg›",
		);
		expect(rendered).toContain("‹syntaxString›`‹toolDiffAddedWordBg›Good day‹/bg›‹toolSuccessBg›");
	});

	test("inverts what changed on a terminal with too few colors for tints", () => {
		const change = "@@ -1 +1 @@\n-const width = 80;\n+const width = 120;\n";
		expect(renderDiff(change, builtinTheme("dark", "16color"))).toContain("\x1b[7m");
		expect(renderDiff(change, builtinTheme("dark", "none"))).toContain("\x1b[7m");
	});

	test("marks nothing where two lines have nothing in common", () => {
		expect(renderDiff("@@ -1 +1 @@\n-alpha beta gamma\n+one, two, three\n", tokenTheme)).not.toContain(
			"\x1b[7m",
		);
	});

	test("wraps long lines below their text", () => {
		const long = `@@ -1 +1 @@\n-${"word ".repeat(12)}\n+x\n`;
		expect(rows(long, 24).slice(0, 3)).toEqual([
			"1 - word word word word",
			"    word word word word",
			"    word word word word",
		]);
	});
});

test("lines with numbers, as pi writes them, are understood", () => {
	expect(rows("  9 a\n-10 b\n+10 c\n    ...\n 99 z")).toEqual([
		" 9   a",
		"10 - b",
		"10 + c",
		"   ⋯",
		"99   z",
	]);
});

test("works without colors, by its signs", () => {
	expect(rows("-a\n+b")).toEqual(["- a", "+ b"]);
});

describe("two texts", () => {
	const before = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
	const after = before.with(9, "line ten").with(24, "line 25!").toSpliced(30, 0, "new");

	test("show their changes with some lines around them", () => {
		const shown = rows({ before: before.join("\n"), after: after.join("\n"), path: "a.txt" });
		expect(shown.slice(0, 10)).toEqual([
			"a.txt",
			" 7   line 7",
			" 8   line 8",
			" 9   line 9",
			"10 - line 10",
			"10 + line ten",
			"11   line 11",
			"12   line 12",
			"13   line 13",
			"   ⋯",
		]);
		expect(shown.at(-1)).toBe("31 + new");
	});

	test("that are the same show nothing", () => {
		expect(rows({ before: "a\nb\n", after: "a\nb\n" })).toEqual([]);
	});

	test("have all of their lines in the diff, in order, once", () => {
		const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });
		fc.assert(
			fc.property(text, text, (old, now) => {
				const lines = diffBetween({ before: old.join("\n"), after: now.join("\n") }, 100);
				const side = (kind: string): string[] =>
					lines.flatMap((line) => (line.kind === kind || line.kind === "same" ? [line.text] : []));
				const all = (parts: string[]): string[] => {
					const whole = parts.join("\n").replace(/\n$/, "");
					return parts.join("\n") === "" ? [] : whole.split("\n");
				};
				// Equal texts show nothing.
				fc.pre(all(old).join("\n") !== all(now).join("\n"));
				expect(side("removed")).toEqual(all(old));
				expect(side("added")).toEqual(all(now));
			}),
			{ numRuns: samples(500) },
		);
	});

	test("that have too much changed are shown as replaced, in time", () => {
		const many = (name: string): string =>
			Array.from({ length: 5000 }, (_, at) => `${name} ${at}`).join("\n");
		const lines = parseless(many("old"), many("new"));
		expect(lines.filter(({ kind }) => kind === "removed")).toHaveLength(5000);
		expect(lines.filter(({ kind }) => kind === "added")).toHaveLength(5000);
	});
});

function parseless(old: string, now: string): ReturnType<typeof diffBetween> {
	return diffBetween({ before: `start\n${old}\nend`, after: `start\n${now}\nend` });
}

test("property: every row fits, whatever the diff and the width", () => {
	const piece = fc.constantFrom(
		"+",
		"-",
		" ",
		"@@ -1,3 +1,2 @@\n",
		"\n",
		"word ",
		"漢字",
		"\x1b[31m",
		"\t",
		"+++ b/x\n",
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 1, max: 200 }), (parts, width) => {
			const view = new DiffView(parts.join(""), tokenTheme, { language: "ts", sideBySideFrom: 30 });
			for (const row of view.render(width)) expect(visibleWidth(row)).toBeLessThanOrEqual(width);
		}),
		{ numRuns: samples(400) },
	);
});

test("untrusted text does nothing to the terminal", () => {
	const evil = "\x1b[2J\x1b]0;t\x07\u202e";
	const diff = `--- a\n+++ b/${evil}\n@@ -1 +1 @@ ${evil}\n-${evil}a\n+${evil}b\n${evil}note\n`;
	const shown = new DiffView(diff, tokenTheme)
		.render(60)
		.join("")
		.replaceAll(/\x1b\[[0-9;]*m/g, "");
	expect(shown).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
	expect(parseDiff(diff).filter(({ kind }) => kind === "added")).toEqual([
		{ kind: "added", after: 1, text: "b" },
	]);
});

test("a new diff replaces the old one", () => {
	const view = new DiffView("-a", tokenTheme);
	view.render(20);
	view.setDiff("+b");
	expect(view.render(20).map((row) => Bun.stripANSI(row).trimEnd())).toEqual(["+ b"]);
});
