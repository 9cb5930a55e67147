/** A mode that spreads over the program is caught. */
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
});
