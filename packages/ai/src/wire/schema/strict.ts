/** Encodes a tool's parameters for OpenAI's strict mode, if that is possible. */
import { isObject, list, object, type Json } from "../../json.ts";
import { convertOnce } from "./convert-once.ts";
import { limits } from "./limits.ts";
import { objectSchema } from "./object.ts";

/** The keywords that strict mode supports besides the structure. */
const supported = new Set([
	"$ref",
	"const",
	"description",
	"enum",
	"exclusiveMaximum",
	"exclusiveMinimum",
	"format",
	"maxItems",
	"maximum",
	"minItems",
	"minimum",
	"multipleOf",
	"pattern",
	"type",
]);
/** The keywords that it refuses although nothing depends on them. */
const dropped = new Set([
	"$comment",
	"$id",
	"default",
	"deprecated",
	"examples",
	"readOnly",
	"title",
	"writeOnly",
]);

/**
 * A schema in which every object is closed and all of its properties are required, or `undefined` if that would
 * change the tool's input. An optional property stays only if the tool also accepts `null` for it: that is what the
 * model writes in its place, and a tool that does not expect it would refuse the call.
 */
export const strictSchema = convertOnce((parameters) => new Strictness().schema(objectSchema(parameters), 0));

class Strictness {
	#properties = 0;
	#enumValues = 0;

	schema(schema: unknown, depth: number): Json | undefined {
		if (!isObject(schema) || depth > limits.strictDepth || !isTyped(schema)) return undefined;
		this.#enumValues += list(schema.enum).length;
		if (this.#enumValues > limits.strictEnumValues) return undefined;
		const out: Json = {};
		for (const [keyword, value] of Object.entries(schema)) {
			if (dropped.has(keyword)) continue;
			const strict = supported.has(keyword) ? value : this.#structure(keyword, value, schema, depth);
			if (strict === undefined) return undefined;
			out[keyword] = strict;
		}
		if (!isObjectType(schema)) return out;
		const names = Object.keys(object(schema.properties));
		// An object without known properties may contain anything, which strict mode cannot express.
		if (names.length === 0 && schema.additionalProperties !== false) return undefined;
		return { ...out, properties: out.properties ?? {}, required: names, additionalProperties: false };
	}

	#structure(keyword: string, value: unknown, schema: Json, depth: number): unknown {
		switch (keyword) {
			case "properties":
				return this.#propertiesOf(object(value), list(schema.required), depth + 1);
			case "$defs":
			case "definitions":
				return this.#map(object(value), depth);
			case "items":
				return this.schema(value, depth);
			case "anyOf":
				return whole(list(value).map((branch) => this.schema(branch, depth)));
			case "required":
				return value;
			case "additionalProperties":
				return value === false ? value : undefined;
			default:
				return undefined;
		}
	}

	#propertiesOf(properties: Json, required: readonly unknown[], depth: number): Json | undefined {
		this.#properties += Object.keys(properties).length;
		if (this.#properties > limits.strictProperties) return undefined;
		const expressible = Object.entries(properties).every(
			([name, schema]) => required.includes(name) || takesNull(object(schema)),
		);
		return expressible ? this.#map(properties, depth) : undefined;
	}

	#map(schemas: Json, depth: number): Json | undefined {
		const names = Object.keys(schemas);
		const strict = whole(names.map((name) => this.schema(schemas[name], depth)));
		return strict && Object.fromEntries(names.map((name, at) => [name, strict[at]]));
	}
}

function whole(schemas: readonly (Json | undefined)[]): Json[] | undefined {
	const strict = schemas.filter((schema) => schema !== undefined);
	return strict.length === schemas.length ? strict : undefined;
}

/** Strict mode has no schema for any value. */
function isTyped(schema: Json): boolean {
	return schema.type !== undefined || schema.$ref !== undefined || list(schema.anyOf).length > 0;
}

function isObjectType(schema: Json): boolean {
	return schema.type === "object" || list(schema.type).includes("object");
}

function takesNull(schema: Json): boolean {
	if (schema.const !== undefined) return false;
	if (Array.isArray(schema.enum) && !schema.enum.includes(null)) return false;
	if (Array.isArray(schema.anyOf)) return schema.anyOf.some((branch) => takesNull(object(branch)));
	return schema.type === "null" || list(schema.type).includes("null");
}
