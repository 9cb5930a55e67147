/** A package that grows too large is caught, and so is a table that no longer says how large it is. */
import { expect, test } from "bun:test";

import { packages } from "./checks/packages.ts";
import { problemsIn, report } from "./fixture.ts";
import { withLines } from "./package-lines.ts";
import { repository } from "./tree.ts";

const page = (lines: string): string =>
	`| package | owns | lines |\n| --- | --- | --- |\n| \`sys\` | the system | ${lines} |\n`;
const code = (lines: number): string => "export {};\n".repeat(lines);

test("no package of the repository is too large, and the page knows their lines", async () => {
	expect(await report(packages, repository)).toBe("");
});

test("a package over the bound is caught; its tests do not count", async () => {
	const files = { "packages/sys/src/a.ts": code(24_000), "packages/sys/src/b.ts": code(1_001) };
	expect(await problemsIn(packages, files)).toEqual([
		expect.stringContaining("packages/sys/package.json has 25001 lines without tests, 25000 are allowed"),
	]);
	const tested = { "packages/sys/src/a.ts": code(24_000), "packages/sys/src/b.test.ts": code(1_001) };
	expect(await problemsIn(packages, tested)).toEqual([]);
});

test.each(["relay", "gateway"])(
	"a %s over its own bound is caught, with its scripts; comments, blank lines and help for tests do not count",
	async (name) => {
		const help = { [`packages/${name}/src/testing/a.ts`]: code(2_400) };
		const small = { ...help, [`packages/${name}/src/a.ts`]: `/** What it is. */\n\n${code(2_400)}// why\n` };
		expect(
			await problemsIn(packages, { ...small, [`packages/${name}/src/b.lua`]: "-- why\nreturn 1\n" }),
		).toEqual([]);
		const script = { [`packages/${name}/src/b.lua`]: "return 1\n".repeat(101) };
		expect(await problemsIn(packages, { ...small, ...script })).toEqual([
			expect.stringContaining(`packages/${name}/package.json has 2501 lines of code, 2500 are allowed`),
		]);
	},
);

test("a page that is far from the lines of a package, or does not name it, is caught", async () => {
	const files = { "packages/sys/src/a.ts": code(8_000) };
	expect(await problemsIn(packages, { ...files, "docs/architecture.md": page("7,900") })).toEqual([]);
	for (const [said, old] of [
		["7000", page("7,000")],
		["nothing", "# Packages\n"],
	] as const)
		expect(await problemsIn(packages, { ...files, "docs/architecture.md": old })).toEqual([
			expect.stringContaining(`docs/architecture.md says ${said} for the lines of sys, which has 8000`),
		]);
});

test("the script writes rounded lines and leaves the rest of the page alone", () => {
	expect(withLines(`Text.\n${page("1")}`, new Map([["sys", 12_345]]))).toBe(`Text.\n${page("12,300")}`);
});
