/** Writes the JSON schemas of print and RPC mode from the protocol tables of `@tau/wire`. */
import { join } from "node:path";

import { printSchema, rpcSchema } from "@tau/wire";

const packages = join(import.meta.dir, "../packages");
const files = [
	join(packages, "coding-agent/src/modes/print/schema.json"),
	join(packages, "server/src/rpc/schema.json"),
] as const;

await Bun.write(files[0], JSON.stringify(printSchema()));
await Bun.write(files[1], JSON.stringify(rpcSchema()));
const format = Bun.spawn([process.execPath, "fmt", ...files], { stdin: "ignore", stdout: "ignore" });
process.exitCode = await format.exited;
