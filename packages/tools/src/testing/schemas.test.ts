import { expect, test } from "bun:test";
import { join } from "node:path";

import { builtinTools } from "@tau/integrations/builtin";
import { toolSchemas } from "./index.ts";

const packages = join(import.meta.dir, "../../..");
const promptsOfTools = new Bun.Glob("{tools,integrations}/src/**/prompt.md");

test("models read the parameters that tools accept: run `bun scripts/tool-schemas.ts` when this fails", async () => {
	const schemas = new Map(toolSchemas(builtinTools).map(({ file, derived }) => [file, derived]));
	for await (const prompt of promptsOfTools.scan(packages)) {
		const file = prompt.replace("prompt.md", "parameters.json");
		const derived = schemas.get(inSources(file));
		expect(await Bun.file(join(packages, file)).json(), file).toEqual(derived ?? {});
	}
});

test("every prompt of a tool has its schema beside it", async () => {
	const prompts = await Array.fromAsync(promptsOfTools.scan(packages));
	const files = prompts.map((prompt) => inSources(prompt.replace("prompt.md", "parameters.json")));
	expect(
		toolSchemas(builtinTools)
			.map(({ file }) => file)
			.toSorted(),
	).toEqual(files.toSorted());
});

/** Without the package. */
function inSources(path: string): string {
	return path.replace(/^[^/]+\/src\//, "");
}
