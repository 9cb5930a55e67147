/** Converts each tool schema once: schemas do not change, and every request has all of them. */
import type { JsonSchema } from "../../types.ts";

/** All requests share the returned value; hooks that change a body get a copy (`stream.ts`). */
export function convertOnce<T>(convert: (schema: JsonSchema) => T): (schema: JsonSchema) => T {
	const known = new WeakMap<JsonSchema, { converted: T }>();
	return (schema) => {
		const found = known.get(schema);
		if (found) return found.converted;
		const converted = convert(schema);
		known.set(schema, { converted });
		return converted;
	};
}
