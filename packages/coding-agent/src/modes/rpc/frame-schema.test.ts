/** The schema that is checked in is the one that the program works by. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { frameSchema } from "./frame-schema.ts";
import schema from "./schema.json" with { type: "json" };

test("schema.json is up to date; UPDATE_SCHEMA=1 bun test frame-schema writes it", async () => {
	const wanted = frameSchema();
	if (process.env.UPDATE_SCHEMA) {
		await Bun.write(join(import.meta.dir, "schema.json"), `${JSON.stringify(wanted, null, "\t")}\n`);
	} else expect<object>(schema).toEqual(JSON.parse(JSON.stringify(wanted)));
});
