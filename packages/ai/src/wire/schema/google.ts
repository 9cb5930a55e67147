/**
 * Encodes a tool's parameters in the subset of OpenAPI that Google accepts, or as JSON Schema if that subset is too
 * small.
 */
import { isObject, list, object, string, type Json } from "../../json.ts";
import { convertOnce } from "./convert-once.ts";
import { limits } from "./limits.ts";
import { objectSchema } from "./object.ts";

/**
 * The older field is read by every model and gateway, but refuses unknown keywords. The newer one is read by Google's
 * own servers and ignores unknown keywords.
 */
export type GoogleParameters = { parameters: Json } | { parametersJsonSchema: Json };

export const googleParameters = convertOnce((toolSchema): GoogleParameters => {
	const schema = objectSchema(toolSchema);
	const parameters = convert(schema, 0);
	return parameters ? { parameters } : { parametersJsonSchema: object(withoutConst(schema, 0)) };
});

/** Keywords beyond the subset that would change what the tool accepts if they were omitted. */
const beyond = [
	"$ref",
	"allOf",
	"contains",
	"dependentRequired",
	"dependentSchemas",
	"if",
	"not",
	"patternProperties",
	"prefixItems",
	"propertyNames",
] as const;

const formats: Readonly<Record<string, readonly string[]>> = {
	string: ["date-time"],
	number: ["float", "double"],
	integer: ["int32", "int64"],
};

function convert(schema: unknown, depth: number): Json | undefined {
	if (!isObject(schema) || depth > limits.depth) return undefined;
	if (beyond.some((keyword) => schema[keyword] !== undefined)) return undefined;
	const branches = [...list(schema.anyOf), ...list(schema.oneOf)];
	if (branches.length > 0) return alternatives(schema, branches, depth);
	const { types, nullable } = typesOf(schema);
	const [type] = types;
	if (type === undefined) return undefined;
	if (types.length > 1) {
		const each = types.map((one) => ({ ...schema, type: one, description: undefined }));
		return alternatives({ description: schema.description }, nullable ? [...each, nothing] : each, depth);
	}
	const body = bodyOf(type, schema, depth + 1);
	return body && { type: type.toUpperCase(), ...noted(schema.description, nullable), ...body };
}

const nothing: Json = { type: "null" };

function noted(description: unknown, nullable: boolean): Json {
	return {
		...(string(description) === "" ? {} : { description }),
		...(nullable ? { nullable } : {}),
	};
}

function typesOf(schema: Json): { types: string[]; nullable: boolean } {
	const named = Array.isArray(schema.type) ? schema.type.map(string) : [string(schema.type)];
	const types = named.filter((type) => type !== "" && type !== "null");
	const nullable = named.includes("null") || schema.nullable === true || values(schema).includes(null);
	return { types: types.length > 0 || named.includes("null") ? types : inferred(schema), nullable };
}

/** Some schemas omit the type where the rest implies it. */
function inferred(schema: Json): string[] {
	if (isObject(schema.properties)) return ["object"];
	if (schema.items !== undefined) return ["array"];
	const choices = values(schema).filter((value) => value !== null);
	return choices.length > 0 && choices.every((value) => typeof value === "string") ? ["string"] : [];
}

function values(schema: Json): unknown[] {
	return schema.const === undefined ? list(schema.enum) : [schema.const];
}

/** Vertex refuses everything beside `anyOf`, so the alternatives carry it. */
function alternatives(schema: Json, branches: readonly unknown[], depth: number): Json | undefined {
	if (["properties", "items", "enum", "const"].some((keyword) => schema[keyword] !== undefined)) {
		return undefined;
	}
	const nonNull = branches.filter((branch) => !isObject(branch) || branch.type !== "null");
	const nullable = nonNull.length < branches.length || schema.nullable === true;
	const converted: Json[] = [];
	for (const branch of nonNull) {
		const one = convert(branch, depth + 1);
		if (!one) return undefined;
		converted.push(...(Array.isArray(one.anyOf) ? one.anyOf.map(object) : [one]));
	}
	const merged = oneEnum(converted) ?? converted;
	if (merged.length === 0) return undefined;
	const each = merged.map((one) => ({
		...noted(schema.description, nullable),
		...one,
		...(merged.length === 1 ? noted(schema.description, nullable) : {}),
	}));
	return each.length === 1 ? each[0] : { anyOf: each };
}

/** A choice between strings, as TypeBox writes it. */
function oneEnum(choices: readonly Json[]): Json[] | undefined {
	const isWord = (choice: Json): boolean =>
		Object.keys(choice).every((key) => key === "type" || key === "enum");
	if (choices.length < 2 || !choices.every((choice) => Array.isArray(choice.enum) && isWord(choice))) {
		return undefined;
	}
	return [{ type: "STRING", enum: [...new Set(choices.flatMap((choice) => list(choice.enum)))] }];
}

function bodyOf(type: string, schema: Json, depth: number): Json | undefined {
	const allowed = values(schema).filter((value) => value !== null);
	switch (type) {
		case "string":
			return stringBody(schema, allowed);
		case "number":
		case "integer":
			// Google supports lists of values for strings only.
			return allowed.length > 0 ? undefined : { ...formatOf(type, schema), ...rangeOf(type, schema) };
		case "boolean":
			return allowed.length > 0 ? undefined : {};
		case "array":
			return arrayBody(schema, depth);
		case "object":
			return objectBody(schema, depth);
		default:
			return undefined;
	}
}

/** A pattern is omitted: one that Google's engine cannot read would fail the request. */
function stringBody(schema: Json, allowed: readonly unknown[]): Json | undefined {
	if (allowed.length === 0)
		return { ...formatOf("string", schema), ...numbers(schema, "minLength", "maxLength") };
	return allowed.every((value) => typeof value === "string" && value !== "") ? { enum: allowed } : undefined;
}

function formatOf(type: string, schema: Json): Json {
	const format = string(schema.format);
	return formats[type]?.includes(format) ? { format } : {};
}

/** The bounds of safe integers, which zod adds to each, mean nothing. */
function rangeOf(type: string, schema: Json): Json {
	const range = numbers(schema, "minimum", "maximum");
	const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
	const step = type === "integer" ? 1 : 0;
	if (typeof above === "number") range.minimum = Math.max(above + step, Number(range.minimum ?? -Infinity));
	if (typeof below === "number") range.maximum = Math.min(below - step, Number(range.maximum ?? Infinity));
	return Object.fromEntries(
		Object.entries(range).filter(([, bound]) => Math.abs(Number(bound)) < Number.MAX_SAFE_INTEGER),
	);
}

function numbers(schema: Json, ...keywords: string[]): Json {
	return Object.fromEntries(
		keywords
			.filter((keyword) => typeof schema[keyword] === "number")
			.map((keyword) => [keyword, schema[keyword]]),
	);
}

function arrayBody(schema: Json, depth: number): Json | undefined {
	const items = convert(schema.items, depth);
	return items && { items, ...numbers(schema, "minItems", "maxItems") };
}

/** An object with arbitrary properties is refused; that no others are accepted is what the model assumes anyway. */
function objectBody(schema: Json, depth: number): Json | undefined {
	const { additionalProperties } = schema;
	const entries = Object.entries(object(schema.properties));
	const isMap = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
	if (entries.length === 0 || isMap) return undefined;
	const properties: [string, Json][] = [];
	for (const [name, property] of entries) {
		const converted = convert(property, depth);
		if (!converted) return undefined;
		properties.push([name, converted]);
	}
	const names = new Set(properties.map(([name]) => name));
	const required = list(schema.required).filter((name) => typeof name === "string" && names.has(name));
	return { properties: Object.fromEntries(properties), ...(required.length > 0 ? { required } : {}) };
}

const subschemas = new Set(["additionalProperties", "anyOf", "items", "oneOf", "prefixItems"]);
const subschemaMaps = new Set(["$defs", "definitions", "properties"]);

/** Google ignores `const` also in JSON Schema, but reads a list of one value. */
function withoutConst(schema: unknown, depth: number): unknown {
	if (Array.isArray(schema)) return schema.map((each) => withoutConst(each, depth));
	if (!isObject(schema) || depth > limits.depth) return schema;
	return Object.fromEntries(
		Object.entries(schema).map(([keyword, value]) => {
			if (keyword === "const" && (typeof value === "string" || typeof value === "number")) {
				return ["enum", [value]];
			}
			if (subschemas.has(keyword)) return [keyword, withoutConst(value, depth + 1)];
			if (!subschemaMaps.has(keyword) || !isObject(value)) return [keyword, value];
			const entries = Object.entries(value).map(
				([name, each]) => [name, withoutConst(each, depth + 1)] as const,
			);
			return [keyword, Object.fromEntries(entries)];
		}),
	);
}
