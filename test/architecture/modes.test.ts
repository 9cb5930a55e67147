/** A mode that spreads over the program, or grows into one, is caught. */
import { describe, expect, test } from "bun:test";

import { modes } from "./checks/modes.ts";
import { problemsIn, report } from "./fixture.ts";
import { repository } from "./tree.ts";

const source = "packages/coding-agent/src/";

function importing(count: number): Record<string, string> {
	const files = Array.from({ length: count }, (_, at) => [
		`${source}cli/use-${at}.ts`,
		'import { run } from "../modes/new/index.ts";\nrun();\n',
	]);
	return { [`${source}modes/new/index.ts`]: "export function run() {}\n", ...Object.fromEntries(files) };
}

describe("modes", () => {
	test("are known in at most three places outside of their folder", async () => {
		expect(await report(modes, repository)).toBe("");
	});

	test("a fourth place is a problem", async () => {
		expect(await problemsIn(modes, importing(3))).toEqual([]);
		const [problem, ...more] = await problemsIn(modes, importing(4));
		expect(problem).toContain("modes/new is imported by 4 files outside");
		expect(more).toEqual([]);
	});

	test("more lines than an adapter needs are a problem; tests do not count", async () => {
		const file = (name: string, lines: number): Record<string, string> => ({
			[`${source}modes/new/${name}`]: "// a line\n".repeat(lines),
		});
		const fits = { ...file("index.ts", 1000), ...file("more.ts", 500), ...file("more.test.ts", 500) };
		expect(await problemsIn(modes, fits)).toEqual([]);
		expect(await problemsIn(modes, { ...fits, ...file("last.ts", 1) })).toEqual([
			expect.stringContaining("modes/new has 1501 lines without tests, 1500 are allowed"),
		]);
	});
});
