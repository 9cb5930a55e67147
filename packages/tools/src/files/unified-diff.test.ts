/** A shown diff is correct: `patch` turns the old text into the new one with it. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import { limits } from "./limits.ts";
import { spliced } from "./line-ends.ts";
import { LineText } from "./line-text.ts";
import { everything, regionsOf, unifiedDiff, type TextDiff } from "./unified-diff.ts";

function diffOf(before: string, after: string): TextDiff {
	const [old, now] = [new LineText(before), new LineText(after)];
	return unifiedDiff(old, now, everything(old, now));
}

describe("a diff", () => {
	test("shows three lines around a change", () => {
		const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
		const { diff, added, removed } = diffOf(before, before.replace("5\n", "five\n"));
		expect(diff).toBe("@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8");
		expect([added, removed]).toEqual([1, 1]);
	});

	test("marks an open last line", () => {
		expect(diffOf("a\n", "a").diff).toBe("@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file");
	});

	test("of an unchanged text is empty", () => {
		expect(diffOf("a\nb\n", "a\nb\n")).toMatchObject({ diff: "", added: 0, removed: 0, regions: [] });
	});

	test("of very many lines is cut, and says so", () => {
		const { diff, truncated } = diffOf("", "x\n".repeat(2 * limits.diffLines));
		expect(truncated).toBe(true);
		expect(diff.split("\n")).toHaveLength(limits.diffLines);
	});

	test("contains no control sequences", () => {
		const { diff } = diffOf("", "\x1b[31mred\u2028\u202e\n");
		expect(diff).not.toMatch(/[\x1b\u2028\u202e]/);
	});
});

const line = fc.constantFrom("a", "b", "c", "d", "");
const anyText = fc
	.tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
	.map(([lines, closed]) => lines.join("\n") + (closed && lines.length > 0 ? "\n" : ""));
const anyChange = fc.record({
	at: fc.nat(),
	length: fc.nat({ max: 8 }),
	text: fc.constantFrom("", "x", "x\n", "\nx"),
});

needs("patch")("patch turns the old text into the new one, whatever changed", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-diff-"));
	try {
		await fc.assert(
			fc.asyncProperty(anyText, fc.array(anyChange, { maxLength: 3 }), async (before, changes) => {
				let behind = 0;
				const splices = changes
					.map(({ at, length, text }) => ({ start: at % (before.length + 1), length, text }))
					.toSorted((a, b) => a.start - b.start)
					.flatMap(({ start, length, text }) => {
						if (start < behind) return [];
						const end = Math.min(before.length, start + length);
						behind = end + 1;
						return [{ start, end, text }];
					});
				const after = spliced(before, splices);
				const [old, now] = [new LineText(before), new LineText(after)];
				const { diff } = unifiedDiff(old, now, regionsOf(old, now, splices));
				if (before === after) return expect(diff).toBe("");
				writeFileSync(join(directory, "f"), before);
				const strict = ["--quiet", "--force", "--fuzz=0", "--no-backup-if-mismatch"];
				const ran = Bun.spawnSync(["patch", ...strict, "f"], {
					cwd: directory,
					stdin: Buffer.from(`--- f\n+++ f\n${diff}\n`),
				});
				// A file that becomes empty is removed.
				const left = after === "" && ran.exitCode === 0 ? "" : readFileSync(join(directory, "f"), "utf8");
				return expect([ran.exitCode, left]).toEqual([0, after]);
			}),
			{ numRuns: samples(150) },
		);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});
