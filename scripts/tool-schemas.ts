/** Writes `parameters.json`, the JSON Schema that models read, beside each `prompt.md` of a built-in tool. */
import { join } from "node:path";

import { toolSchemas } from "@tau/tools/testing";

const sources = join(import.meta.dir, "../packages/tools/src");
const files: string[] = [];
for (const { file, derived } of toolSchemas()) {
	await Bun.write(join(sources, file), JSON.stringify(derived));
	files.push(join(sources, file));
}
const format = Bun.spawn([process.execPath, "fmt", ...files], { stdin: "ignore", stdout: "ignore" });
process.exitCode = await format.exited;
