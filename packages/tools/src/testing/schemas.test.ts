import { expect, test } from "bun:test";
import { join } from "node:path";

import { toolSchemas } from "./index.ts";

test("models read the parameters that tools accept: run `bun scripts/tool-schemas.ts` when this fails", async () => {
	const sources = join(import.meta.dir, "..");
	for (const { file, derived } of toolSchemas())
		expect(await Bun.file(join(sources, file)).json(), file).toEqual(derived);
});

test("every prompt of a tool has its schema beside it", async () => {
	const sources = join(import.meta.dir, "..");
	const prompts = await Array.fromAsync(new Bun.Glob("**/prompt.md").scan(sources));
	const files = prompts.map((prompt) => prompt.replace("prompt.md", "parameters.json"));
	expect(
		toolSchemas()
			.map(({ file }) => file)
			.toSorted(),
	).toEqual(files.toSorted());
});
