/** Small files belong to their only importer. */
import { describe, expect, test } from "bun:test";
import { scatter } from "./checks/scatter.ts";
import { limits } from "./limits.ts";
import { problemsIn, report, type Files } from "./fixture.ts";
import { repository } from "./tree.ts";

const folder = "packages/tui/src/editor";
const small = "export const a = 1;\n";

test("the repository is not scattered", async () => {
	expect(await report(scatter, repository)).toBe("");
});

test("a small file with one importer beside it is caught, also if a test imports it", async () => {
	const files: Files = {
		[`${folder}/a.ts`]: small,
		[`${folder}/b.ts`]: `import { a } from "./a.ts";\n`,
		[`${folder}/a.test.ts`]: `import { a } from "./a.ts";\n`,
		[`${folder}/types.ts`]: "export type T = 1;\n",
		[`${folder}/c.ts`]: `import type { T } from "./types.ts";\n`,
	};
	expect(await problemsIn(scatter, files)).toEqual([
		`${folder}/a.ts has 1 lines and only b.ts imports it: move its code there`,
		`${folder}/types.ts has 1 lines and only c.ts imports it: move its code there`,
	]);
});

describe("passes:", () => {
	const passing: Record<string, Files> = {
		"a file that is large enough": {
			[`${folder}/a.ts`]: small.repeat(limits.smallFileLines),
			[`${folder}/b.ts`]: `import { a } from "./a.ts";`,
		},
		"two importers": {
			[`${folder}/a.ts`]: small,
			[`${folder}/b.ts`]: `import { a } from "./a.ts";`,
			[`${folder}/c.ts`]: `import { a } from "./a.ts";`,
		},
		"an importer in another folder": {
			[`${folder}/a.ts`]: small,
			"packages/tui/src/b.ts": `import { a } from "./editor/a.ts";`,
		},
		"a file that is loaded at its first use": {
			[`${folder}/a.ts`]: small,
			[`${folder}/b.ts`]: `import type { A } from "./a.ts";\nconst { a } = await import("./a.ts");`,
		},
		"a part of a folder's entry point": {
			[`${folder}/a.ts`]: small,
			[`${folder}/index.ts`]: `export { a } from "./a.ts";`,
		},
		"bounds that a test reads": {
			[`${folder}/limits.ts`]: small,
			[`${folder}/b.ts`]: `import { a } from "./limits.ts";`,
			[`${folder}/b.test.ts`]: `import { a } from "./limits.ts";`,
		},
		"generated code": {
			[`${folder}/a.generated.ts`]: small,
			[`${folder}/b.ts`]: `import { a } from "./a.generated.ts";`,
		},
	};
	test.each(Object.keys(passing))("%s", async (name) => {
		expect(await problemsIn(scatter, passing[name] ?? {})).toEqual([]);
	});
});
