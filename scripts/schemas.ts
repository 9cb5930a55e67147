/** Writes the JSON schemas of print and RPC mode from the protocol tables of `@tau/wire`. */
import { join } from "node:path";

import { printSchema, rpcSchema } from "@tau/wire";

const modes = join(import.meta.dir, "../packages/coding-agent/src/modes");

await Bun.write(join(modes, "print/schema.json"), `${JSON.stringify(printSchema(), null, "\t")}\n`);
await Bun.write(join(modes, "rpc/schema.json"), `${JSON.stringify(rpcSchema(), null, "\t")}\n`);
