/** The schema that is checked in is the one that the program works by. */
import { expect, test } from "bun:test";
import { rpcSchema } from "@tau/wire";

import schema from "./schema.json" with { type: "json" };

test("schema.json is what `bun scripts/schemas.ts` writes: run it when this fails", () => {
	expect<object>(schema).toEqual(rpcSchema());
});
