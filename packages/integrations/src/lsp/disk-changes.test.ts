/** Servers learn of what others change on the disk: editors, git, package managers. */
import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { ask, programs, project, write } from "../../../../test/support/lsp/project.ts";

const clean = "No errors or warnings.";

test("TypeScript 7 answers for the files as they are, also for those that nobody has opened", async () => {
	await using env = await project({
		"tsconfig.json": '{ "compilerOptions": { "strict": true } }',
		"package.json": "{}",
		".gitignore": "node_modules\n",
		"a.ts": "export const a: number = 1;\n",
		"b.ts": 'import { a } from "./a";\nexport const b: number = a;\n',
		"c.ts": 'import { b } from "./b";\nexport const c = b;\n',
		"d.ts": 'import { x } from "added";\nexport const d: number = x;\n',
		"e.ts": 'import { f } from "./moved/f";\nexport const e = f;\n',
		"first/f.ts": "export const f = 1;\n",
	});
	mkdirSync(join(env.cwd, "node_modules/.bin"), { recursive: true });
	symlinkSync(join(programs, "typescript"), join(env.cwd, "node_modules/typescript"));
	symlinkSync("../typescript/bin/tsc", join(env.cwd, "node_modules/.bin/tsc"));
	const errors = (path: string): Promise<string> => ask(env, { action: "diagnostics", path });
	expect(await errors("b.ts")).toBe(clean);
	expect(await errors("c.ts")).toBe(clean);

	// Another branch: files have other texts, are gone, and come back.
	write(env, "a.ts", 'export const a: string = "x";\n');
	expect(await errors("b.ts")).toContain("2:14 Type 'string' is not assignable to type 'number'.");
	rmSync(join(env.cwd, "a.ts"));
	expect(await errors("b.ts")).toContain("Cannot find module './a'");
	write(env, "a.ts", "export const a: number = 2;\n");
	expect(await errors("b.ts")).toBe(clean);

	// Open files, too: they are moved and changed.
	write(env, "b.ts", '\n\nimport { a } from "./a";\nexport const b: number = a;\n');
	const references = { action: "references", path: "a.ts", line: 1, symbol: "a" };
	expect(await ask(env, references)).toContain("b.ts\n  3:10 import");
	renameSync(join(env.cwd, "b.ts"), join(env.cwd, "bb.ts"));
	expect(await ask(env, references)).toContain("bb.ts\n  3:10 import");
	expect(await errors("c.ts")).toContain("Cannot find module './b'");

	// Whole directories.
	expect(await errors("e.ts")).toContain("Cannot find module './moved/f'");
	renameSync(join(env.cwd, "first"), join(env.cwd, "moved"));
	expect(await errors("e.ts")).toBe(clean);
	renameSync(join(env.cwd, "moved"), join(env.cwd, "first"));
	expect(await errors("e.ts")).toContain("Cannot find module './moved/f'");

	// A package that was installed meanwhile, although git ignores it.
	expect(await errors("d.ts")).toContain("Cannot find module 'added'");
	const types = "export declare const x: string;\n";
	write(env, "node_modules/added/index.d.ts", types);
	write(env, "node_modules/added/package.json", '{ "name": "added", "types": "index.d.ts" }');
	expect(await errors("d.ts")).toContain("2:14 Type 'string' is not assignable to type 'number'.");
});
