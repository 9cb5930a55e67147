/** Writes `parameters.json`, the JSON Schema that models read, beside each `prompt.md` of a built-in tool. */
import { toolSchemas } from "@tau/tools/testing";

const schemas = await toolSchemas();
for (const { file, derived } of schemas) await Bun.write(file, JSON.stringify(derived));
const files = schemas.map(({ file }) => file);
const format = Bun.spawn([process.execPath, "fmt", ...files], { stdin: "ignore", stdout: "ignore" });
process.exitCode = await format.exited;
