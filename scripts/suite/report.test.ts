/** The report of `bun test` is read whole: names, groups, outcomes. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { countTests, readReport } from "./report.ts";

const skipped = ["test", "skip"].join(".");

async function reportOf(source: string): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), "tau-report-"));
	try {
		writeFileSync(join(folder, "x.test.ts"), `import { describe, test } from "bun:test"; ${source}`);
		const report = join(folder, "report.xml");
		await using child = Bun.spawn(
			[process.execPath, "test", "--reporter=junit", `--reporter-outfile=${report}`],
			{
				cwd: folder,
				stdout: "ignore",
				stderr: "ignore",
				timeout: 30_000,
			},
		);
		await child.exited;
		return await Bun.file(report).text();
	} finally {
		rmSync(folder, { recursive: true });
	}
}

test("a real report is counted: passed, failed and skipped", async () => {
	const source = `test("a", () => {}); test("b", () => {}); test("c", () => { throw new Error("no"); }); ${skipped}("d", () => {});`;
	const file = readReport(await reportOf(source)).get("x.test.ts");
	expect(countTests(file?.cases ?? [])).toEqual({ passed: 2, failed: 1, skipped: 1, flaky: 0 });
});

test("names have their groups from the outside in, with every character", async () => {
	const source = `describe("a > b", () => { describe('<c> "&"', () => { test("it's ü >= 1", () => {}); }); test("d", () => {}); });`;
	const file = readReport(await reportOf(source)).get("x.test.ts");
	expect(file?.cases.map(({ name }) => name)).toEqual([`a > b > <c> "&" > it's ü >= 1`, "a > b > d"]);
	expect(file?.cases.every(({ line }) => line === 1)).toBe(true);
});

test("a failed hook has no line: it is no test", async () => {
	const source = `import { beforeAll } from "bun:test"; beforeAll(() => { throw new Error("no"); }); test("a", () => {});`;
	const [only] = readReport(await reportOf(source)).get("x.test.ts")?.cases ?? [];
	expect(only?.outcome).toBe("failed");
	expect(only?.line).toBeUndefined();
});

test("no report has no file", () => {
	expect(readReport("")).toEqual(new Map());
});
