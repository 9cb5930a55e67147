/**
 * Checks the arguments of a call against the schema of its tool. TypeBox decides what is valid, for its own schemas of
 * both major versions and for plain JSON Schema. Values that a model only wrote differently are mended first.
 */
import { isRecord } from "@tau/utils";
import { Value } from "typebox-v1/value";

import { limits } from "./limits.ts";
import { mendTypes } from "./mend.ts";
import { describeErrors } from "./problems.ts";

/** `problems` are for the sender of the value: `path: what is wrong`. */
export type Checked = { ok: true; value: unknown } | { ok: false; problems: string[] };

export function checkValue(schema: unknown, value: unknown): Checked {
	if (typeof schema !== "boolean" && !isRecord(schema)) return { ok: true, value };
	try {
		return check(schema, value);
	} catch (error) {
		// A pattern that is no regular expression, or a reference that leads back to itself.
		const reason = error instanceof Error ? error.message : String(error);
		return { ok: false, problems: [`the schema of the tool is invalid: ${reason}`] };
	}
}

function check(schema: object | boolean, value: unknown): Checked {
	let current = withDefaults(schema, copyOf(value));
	for (let round = 0; ; round++) {
		if (Value.Check(schema, current)) return { ok: true, value: current };
		const errors = Value.Errors(schema, current);
		const mended = round < limits.mendRounds ? mendTypes(current, errors) : undefined;
		if (mended === undefined) return { ok: false, problems: describeErrors(errors, current) };
		current = withDefaults(schema, mended.value);
	}
}

/** TypeBox's own copy would take a key `__proto__` for the prototype; it is used for what cannot be cloned otherwise. */
function copyOf(value: unknown): unknown {
	try {
		return structuredClone(value);
	} catch {
		// A function or a class instance that a program passes: models send JSON alone.
		return Value.Clone(value);
	}
}

/** TypeBox fills in the defaults of schemas that carry its marks; those of plain JSON Schema are filled in here. */
function withDefaults(schema: object | boolean, value: unknown): unknown {
	return fill(schema, Value.Default(schema, value));
}

function fill(schema: unknown, value: unknown): unknown {
	if (!isRecord(schema)) return value;
	const { properties, items } = schema;
	if (Array.isArray(value)) return value.map((each) => fill(items, each));
	if (!isRecord(value) || !isRecord(properties)) return value;
	const filled = { ...value };
	for (const [name, property] of Object.entries(properties)) {
		const given = filled[name];
		if (given !== undefined) filled[name] = fill(property, given);
		else if (isRecord(property) && property.default !== undefined)
			filled[name] = structuredClone(property.default);
	}
	return filled;
}
