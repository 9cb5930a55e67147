import { expect, test } from "bun:test";

import { toolSchemas } from "./index.ts";

test("models get the parameters that tools accept: run `bun scripts/tool-schemas.ts` if this fails", async () => {
	const schemas = await toolSchemas();
	expect(schemas.length).toBeGreaterThan(12);
	for (const { file, derived } of schemas) expect(await Bun.file(file).json(), file).toEqual(derived);
});
