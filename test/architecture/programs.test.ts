/** A search for a program that could find a planted one is caught. */
import { expect, test } from "bun:test";

import { programSearches } from "./checks/programs.ts";
import { problemsIn, report } from "./fixture.ts";
import { repository } from "./tree.ts";

test("the repository finds programs through one function", async () => {
	expect(await report(programSearches, repository)).toBe("");
});

test("Bun.which is caught in product code, and not in tests", async () => {
	const source = `const git = Bun.which("git");`;
	const files = { "packages/sys/src/x.ts": `\n${source}`, "packages/sys/src/x.test.ts": source };
	const [problem, ...others] = await problemsIn(programSearches, files);
	expect(problem).toStartWith("packages/sys/src/x.ts:2 uses Bun.which: use hostProgram");
	expect(others).toEqual([]);
});
