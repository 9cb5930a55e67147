/** Makes the parameters of a tool plain JSON, from any source: zod, TypeBox, an MCP server, a user. */
import { isObject, type Json } from "../../json.ts";
import type { JsonSchema } from "../../types.ts";
import { limits } from "./limits.ts";

const subschemas = new Set([
	"items",
	"additionalItems",
	"additionalProperties",
	"contains",
	"else",
	"if",
	"not",
	"propertyNames",
	"then",
	"unevaluatedItems",
	"unevaluatedProperties",
]);
const subschemaLists = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const subschemaMaps = new Set([
	"$defs",
	"definitions",
	"dependentSchemas",
	"patternProperties",
	"properties",
]);

/**
 * A schema that is too long accepts anything, and so does a part that is too deep or cyclic: a tool that can be
 * called is better than a request that is refused.
 */
export function plainSchema(parameters: JsonSchema): Json {
	const copy = new Copy();
	const copied = copy.schema(parameters, 0);
	return isObject(copied) && !copy.tooLong ? copied : {};
}

class Copy {
	#chars = 0;
	/** The schemas around the one that is being copied. */
	readonly #around = new Set<Json>();

	get tooLong(): boolean {
		return this.#chars > limits.chars;
	}

	schema(schema: unknown, depth: number): Json | boolean {
		if (typeof schema === "boolean") return schema;
		if (!isObject(schema) || depth > limits.depth || this.tooLong) return {};
		if (this.#around.has(schema)) return {};
		this.#around.add(schema);
		const copy: Json = {};
		for (const [keyword, value] of Object.entries(schema)) {
			// `$schema` names a dialect that the vendors do not need; `~` marks internal fields of libraries.
			if (value === undefined || keyword === "$schema" || keyword.startsWith("~")) continue;
			const copied = this.#keyword(keyword, value, depth + 1);
			if (copied !== undefined) put(copy, keyword, copied);
		}
		this.#around.delete(schema);
		return copy;
	}

	#keyword(keyword: string, value: unknown, depth: number): unknown {
		this.#chars += keyword.length;
		if (subschemas.has(keyword))
			return Array.isArray(value) ? this.#list(value, depth) : this.schema(value, depth);
		if (subschemaLists.has(keyword)) return Array.isArray(value) ? this.#list(value, depth) : undefined;
		if (subschemaMaps.has(keyword)) return isObject(value) ? this.#map(value, depth) : undefined;
		return this.#data(value);
	}

	#list(schemas: readonly unknown[], depth: number): (Json | boolean)[] {
		return schemas.map((schema) => this.schema(schema, depth));
	}

	/** The names here are the tool's own, so none is omitted. */
	#map(schemas: Json, depth: number): Json {
		const copy: Json = {};
		for (const [name, schema] of Object.entries(schemas)) {
			this.#chars += name.length;
			if (schema !== undefined) put(copy, name, this.schema(schema, depth));
		}
		return copy;
	}

	#data(value: unknown): unknown {
		const json = asJson(value);
		if (json === undefined) return undefined;
		this.#chars += json.length;
		if (this.tooLong) return undefined;
		// Most values are texts, and every request has all schemas: these need no copy.
		return typeof value === "string" || typeof value === "boolean" ? value : JSON.parse(json);
	}
}

/** Assigning would turn a property named `__proto__` into the object's prototype. */
function put(target: Json, name: string, value: unknown): void {
	if (name !== "__proto__") target[name] = value;
	else Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
}

/** `undefined` for values that JSON does not have, such as functions, big integers and cycles. */
function asJson(value: unknown): string | undefined {
	try {
		return JSON.stringify(value);
	} catch {
		// The keyword is omitted: an annotation that cannot be written is no reason to refuse the tool.
		return undefined;
	}
}
