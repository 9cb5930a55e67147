/** What TypeBox does with values and their schemas, by its names: `typebox/value`, `typebox/compile` and their like. */
import { isRecord } from "@tau/utils";

import { checkValue, defaultsOf } from "./validate.ts";

interface ValueError {
	/** `/list/0/name`, by both names that TypeBox has had for it. */
	path: string;
	instancePath: string;
	message: string;
}

class ValueErrors extends Array<ValueError> {
	First(): ValueError | undefined {
		return this[0];
	}
}

function Check(schema: unknown, value: unknown): boolean {
	return checkValue(schema, value, { isStrict: true }).ok;
}

function Errors(schema: unknown, value: unknown): ValueErrors {
	const checked = checkValue(schema, value, { isStrict: true });
	return ValueErrors.from(checked.ok ? [] : checked.problems.map(errorOf)) as ValueErrors;
}

function errorOf(problem: string): ValueError {
	const [, where = "", message = problem] = /^([^:]*): (.*)$/s.exec(problem) ?? [];
	const names = where === "arguments" ? [] : where.split(/[.[\]]+/).filter((name) => name !== "");
	const path = names.map((name) => `/${name}`).join("");
	return { path, instancePath: path, message };
}

/** Throws what is wrong with the value as it is. */
function Assert(schema: unknown, value: unknown): void {
	const checked = checkValue(schema, value, { isStrict: true });
	if (!checked.ok) throw new TypeError(checked.problems.join("; "));
}

/** Mends what is only written differently, puts in defaults, leaves out what the schema does not know. */
function Parse(schema: unknown, value: unknown): unknown {
	const checked = checkValue(schema, Clean(schema, Default(schema, value)));
	if (checked.ok) return checked.value;
	throw new TypeError(checked.problems.join("; "));
}

/** What cannot be mended stays as it is. */
function Convert(schema: unknown, value: unknown): unknown {
	const checked = checkValue(schema, value);
	return checked.ok ? checked.value : value;
}

function Default(schema: unknown, value: unknown): unknown {
	if (!isRecord(schema)) return value;
	if (value === undefined) return schema.default === undefined ? value : Clone(schema.default);
	if (Array.isArray(value)) return value.map((each) => Default(schema.items, each));
	if (!isRecord(value) || !isRecord(schema.properties)) return value;
	const { properties } = schema;
	const filled = { ...structuredClone(defaultsOf(properties)), ...value };
	return Object.fromEntries(
		Object.entries(filled).map(([name, each]) => [
			name,
			Object.hasOwn(properties, name) ? Default(properties[name], each) : each,
		]),
	);
}

function Clean(schema: unknown, value: unknown): unknown {
	if (!isRecord(schema)) return value;
	if (Array.isArray(value)) return value.map((each) => Clean(schema.items, each));
	if (!isRecord(value) || !isRecord(schema.properties) || isRecord(schema.additionalProperties)) return value;
	const { properties } = schema;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([name]) => Object.hasOwn(properties, name))
			.map(([name, each]) => [name, Clean(properties[name], each)]),
	);
}

const empty: Readonly<Record<string, () => unknown>> = {
	string: () => "",
	number: () => 0,
	integer: () => 0,
	boolean: () => false,
	null: () => null,
	array: () => [],
};

/** The smallest value that the schema describes. */
function Create(schema: unknown): unknown {
	if (!isRecord(schema)) return undefined;
	if (schema.default !== undefined) return Clone(schema.default);
	if ("const" in schema) return schema.const;
	if (Array.isArray(schema.enum)) return schema.enum[0];
	const [choice] = [schema.anyOf, schema.oneOf].find((each) => Array.isArray(each)) ?? [];
	if (choice !== undefined) return Create(choice);
	if (typeof schema.type === "string" && schema.type in empty) return empty[schema.type]?.();
	const properties = isRecord(schema.properties) ? schema.properties : {};
	const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
	return Object.fromEntries(required.map((name) => [String(name), Create(properties[String(name)])]));
}

/** The value where it fits, else one that does, with as much of it as fits. */
function Cast(schema: unknown, value: unknown): unknown {
	const checked = checkValue(schema, Clean(schema, Default(schema, value)));
	if (checked.ok) return checked.value;
	const made = Create(schema);
	if (!isRecord(schema) || !isRecord(schema.properties) || !isRecord(value) || !isRecord(made)) return made;
	const { properties } = schema;
	const fitting = Object.entries(value).flatMap(([name, each]) => {
		const part = checkValue(properties[name], each);
		return Object.hasOwn(properties, name) && part.ok ? [[name, part.value]] : [];
	});
	return Default(schema, { ...made, ...Object.fromEntries(fitting) });
}

function Clone<T>(value: T): T {
	return structuredClone(value);
}

function Equal(left: unknown, right: unknown): boolean {
	return Bun.deepEquals(left, right);
}

/** Tau's schemas have no transforms: what is decoded is what was said. */
export const values = {
	Check,
	Errors,
	Assert,
	Parse,
	Convert,
	Default,
	Clean,
	Create,
	Cast,
	Repair: Cast,
	Clone,
	Equal,
	Decode: Parse,
	Encode: Parse,
};

/** A schema with its checks; nothing has to be compiled for it. */
export function Compile(schema: unknown): Readonly<Record<string, unknown>> {
	return {
		Schema: () => schema,
		Type: () => schema,
		Check: (value: unknown) => Check(schema, value),
		Errors: (value: unknown) => Errors(schema, value),
		Parse: (value: unknown) => Parse(schema, value),
		Decode: (value: unknown) => Parse(schema, value),
		Encode: (value: unknown) => Parse(schema, value),
	};
}
