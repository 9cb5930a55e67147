/** Patches that extensions create with pi's functions are correct, and fast whatever the texts are. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";

import { samples } from "../../../test/support/depth.ts";
import { needs } from "../../../test/support/needs.ts";
import { generateDiffString, generateUnifiedPatch } from "./diffs.ts";

const anyText = fc
	.tuple(fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 25 }), fc.boolean())
	.map(([lines, isClosed]) => lines.join("\n") + (isClosed && lines.length > 0 ? "\n" : ""));

needs("patch")("patch turns the old text into the new one, whatever changed", () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-patch-"));
	try {
		fc.assert(
			fc.property(anyText, anyText, fc.nat(4), (before, after, context) => {
				const made = generateUnifiedPatch("f", before, after, context);
				if (before === after) return expect(made).not.toContain("@@");
				writeFileSync(join(directory, "f"), before);
				const strict = ["--quiet", "--force", "--fuzz=0", "--no-backup-if-mismatch"];
				const ran = Bun.spawnSync(["patch", ...strict, "f"], { cwd: directory, stdin: Buffer.from(made) });
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

test("the heading is the same as in pi's patches", () => {
	expect(generateUnifiedPatch("src/a.ts", "one\ntwo", "one\n2\n")).toBe(
		[
			"Index: src/a.ts",
			"===================================================================",
			"--- src/a.ts",
			"+++ src/a.ts",
			"@@ -1,2 +1,2 @@",
			" one",
			"-two",
			"\\ No newline at end of file",
			"+2",
			"",
		].join("\n"),
	);
});

test("regression: two long texts with nothing in common do not block", () => {
	const text = (name: string) => Array.from({ length: 20_000 }, (_, at) => `${name} ${at}\n`).join("");
	const [before, after] = [text("old"), text("new")];
	const started = process.cpuUsage().user;
	expect(generateUnifiedPatch("f", before, after)).toContain("@@ -1,20000 +1,20000 @@");
	expect(generateDiffString(before, after).firstChangedLine).toBe(1);
	// Without a limit the first of them takes more than five minutes.
	expect((process.cpuUsage().user - started) / 1000).toBeLessThan(10_000);
});
