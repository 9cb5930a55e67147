/** Writes `parameters.json`, the JSON Schema that models read, beside each `prompt.md` of a built-in tool. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

import { builtinTools } from "@tau/integrations/builtin";
import { toolSchemas } from "@tau/tools/testing";

const packages = join(import.meta.dir, "../packages");
const files: string[] = [];
for (const { file, derived } of toolSchemas(builtinTools)) {
	const candidates = ["tools", "integrations"].map((name) => join(packages, name, "src", file));
	const path = candidates.find((candidate) => existsSync(dirname(candidate)));
	if (path === undefined) throw new Error(`There is no directory for ${file}`);
	await Bun.write(path, JSON.stringify(derived));
	files.push(path);
}
const format = Bun.spawn([process.execPath, "fmt", ...files], { stdin: "ignore", stdout: "ignore" });
process.exitCode = await format.exited;
