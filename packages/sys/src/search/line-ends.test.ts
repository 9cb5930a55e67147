/** A pattern matches the same lines, whether they end in LF or in CR LF. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { adaptLineEnds } from "./line-ends.ts";
import { search } from "./search.ts";
import type { MatchedLine, SearchOptions, SearchOutcome } from "./types.ts";

const base = mkdtempSync(join(tmpdir(), "tau-line-ends-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let made = 0;

async function run(
	text: string,
	pattern: string,
	more: Partial<SearchOptions> = {},
): Promise<{ lines: MatchedLine[]; outcome: SearchOutcome }> {
	const path = join(base, String(made++));
	writeFileSync(path, text);
	const lines: MatchedLine[] = [];
	const outcome = await search({ pattern, paths: [path], cwd: base, ...more }, (event) => {
		if (event.type === "match") lines.push(...event.lines);
	});
	rmSync(path);
	return { lines, outcome };
}

const inLines = [
	"a$",
	"^$",
	"[^;]$",
	"(a|b)$",
	"a\\s*$",
	"a.*$",
	";$|^b",
	"(?<=a)$",
	"b(?=;$)",
	"a\\$?$",
	"^.$",
];
const overLines = [
	"a\\nb",
	"a$\\n^b",
	"b;?\\n+a",
	"(?<=\\n)a",
	"(?<!a\\n)b",
	"a[\\n;]",
	"a[^\\n]",
	"[]\\n]+b",
	"a[^]\\n]",
	"[[ab]\\n]$",
	"(?s)a.*b",
	"a\n\nb",
	"(a\\n){2}",
];

describe("the same lines match with LF and with CR LF", () => {
	const texts = fc.array(fc.stringMatching(/^[ab; ]{0,3}$/), { maxLength: 8 });
	const patterns = fc.constantFrom(
		...inLines.map((pattern) => ({ pattern, multiline: false })),
		...overLines.map((pattern) => ({ pattern, multiline: true })),
		{ pattern: "a\nb", multiline: true, literal: true },
	);
	test("for every text", async () => {
		await fc.assert(
			fc.asyncProperty(texts, patterns, fc.boolean(), async (lines, { pattern, ...more }, isEnded) => {
				const text = lines.join("\n") + (isEnded ? "\n" : "");
				const [unix, dos] = [
					await run(text, pattern, more),
					await run(text.replaceAll("\n", "\r\n"), pattern, more),
				];
				expect(unix.outcome.ok).toBe(true);
				expect(dos.lines.map(({ number, text: line }) => [number, line])).toEqual(
					unix.lines.map(({ number, text: line }) => [number, line]),
				);
				for (const { text: line, ranges } of dos.lines)
					for (const [from, to] of ranges) expect(from <= to && to <= line.length).toBe(true);
			}),
			{ numRuns: samples(150) },
		);
	});
});

test("a CR in the pattern means that byte", async () => {
	const text = "a\r\nb\n";
	expect((await run(text, "\\r$")).lines.map(({ number }) => number)).toEqual([1]);
	expect((await run(text, "\\x0D\\n", { multiline: true })).lines.map(({ number }) => number)).toEqual([1]);
});

test("without `$`, a lone CR is an ordinary character", async () => {
	expect((await run("10%\r20%\rdone\n", "10.*done")).lines).toHaveLength(1);
});

test("an invalid pattern is reported unchanged", async () => {
	const { outcome } = await run("a", "a\\n(b", { multiline: true });
	expect(outcome).toMatchObject({ ok: false, reason: "pattern" });
	expect(JSON.stringify(outcome)).not.toContain("\\r");
});

const kept: [pattern: string, why: string][] = [
	["\\\\n", "a backslash and an n"],
	["\\Q\\n\\E", "quoted text"],
	["(?x)a\nb", "a verbose pattern"],
	["a\\r\\n", "a pattern with a CR"],
];
test.each(kept)("%s is not rewritten: it is %s", (pattern) => {
	expect(adaptLineEnds(pattern, false).pattern).toBe(pattern);
});
