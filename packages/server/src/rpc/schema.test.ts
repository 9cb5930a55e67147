/** The checked-in schema is the one that the program uses. */
import { expect, test } from "bun:test";
import { rpcSchema } from "@tau/wire";

import schema from "./schema.json" with { type: "json" };

test("schema.json is the output of `bun scripts/schemas.ts`: run it if this fails", () => {
	expect<object>(schema).toEqual(rpcSchema());
});
