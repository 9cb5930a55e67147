/** The last line of `npm test` tells the truth. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { countTests } from "./count-tests.ts";

test("a real report is counted: passed, failed and skipped", async () => {
	const folder = mkdtempSync(join(tmpdir(), "tau-count-"));
	const body = 'test("a", () => {}); test("b", () => {}); test("c", () => { throw new Error("no"); });';
	const skipped = ["test", "skip"].join(".");
	writeFileSync(
		join(folder, "x.test.ts"),
		`import { test } from "bun:test"; ${body} ${skipped}("d", () => {});`,
	);
	const report = join(folder, "report.xml");
	const child = Bun.spawn([process.execPath, "test", "--reporter=junit", `--reporter-outfile=${report}`], {
		cwd: folder,
		stdout: "ignore",
		stderr: "ignore",
	});
	expect(await child.exited).not.toBe(0);
	expect(countTests(await Bun.file(report).text())).toEqual({ passed: 2, failed: 1, skipped: 1 });
	rmSync(folder, { recursive: true });
});

test("no report counts nothing", () => {
	expect(countTests("")).toEqual({ passed: 0, failed: 0, skipped: 0 });
});
