/** Makes a schema whose top is an object without alternatives, as all vendors require for the input of a tool. */
import { isObject, list, object, type Json } from "../../json.ts";
import { convertOnce } from "./convert-once.ts";
import { plainSchema } from "./plain.ts";

/** Keywords that some vendors refuse at the top. */
const notAtTop: ReadonlySet<string> = new Set([
	"$ref",
	"allOf",
	"anyOf",
	"const",
	"else",
	"enum",
	"if",
	"not",
	"oneOf",
	"then",
]);

/** Alternatives at the top become one object that accepts what each of them accepts. */
export const objectSchema = convertOnce((parameters): Json => {
	const plain = plainSchema(parameters);
	const allowed = Object.entries(plain).filter(([keyword]) => !notAtTop.has(keyword));
	if (allowed.length === Object.keys(plain).length) return { properties: {}, ...plain, type: "object" };
	const { properties, required, closed } = new Top(plain).fields;
	return {
		...Object.fromEntries(allowed),
		type: "object",
		properties: Object.fromEntries(properties),
		...(required.size > 0 ? { required: [...required] } : {}),
		...(closed ? { additionalProperties: false } : {}),
	};
});

interface Fields {
	properties: ReadonlyMap<string, unknown>;
	required: ReadonlySet<string>;
	/** True if only these properties are accepted. */
	closed: boolean;
}

const anything: Fields = { properties: new Map(), required: new Set(), closed: false };

class Top {
	readonly fields: Fields;
	readonly #root: Json;
	/** The resolved references, each computed once: schemas may refer to themselves, and many times to the same. */
	readonly #referenced = new Map<string, Fields>();

	constructor(root: Json) {
		this.#root = root;
		this.fields = this.#of(root);
	}

	#of(schema: Json): Fields {
		const parts = [ownFields(schema)];
		if (typeof schema.$ref === "string") parts.push(this.#follow(schema.$ref));
		parts.push(...list(schema.allOf).map((part) => this.#of(object(part))));
		for (const branches of [list(schema.anyOf), list(schema.oneOf)]) {
			// The input of a tool is always an object, so other alternatives are irrelevant.
			const objects = branches.filter(canBeObject).map((branch) => this.#of(object(branch)));
			if (objects.length > 0) parts.push(eitherOf(objects));
		}
		return allOf(parts);
	}

	#follow(reference: string): Fields {
		const known = this.#referenced.get(reference);
		if (known) return known;
		// A placeholder until it is resolved: a schema that refers to itself adds nothing to itself.
		this.#referenced.set(reference, anything);
		const fields = this.#of(object(target(this.#root, reference)));
		this.#referenced.set(reference, fields);
		return fields;
	}
}

function ownFields(schema: Json): Fields {
	return {
		properties: new Map(Object.entries(object(schema.properties))),
		required: new Set(list(schema.required).filter((name) => typeof name === "string")),
		closed: schema.additionalProperties === false,
	};
}

function canBeObject(schema: unknown): boolean {
	const { type } = object(schema);
	return type === undefined || type === "object" || list(type).includes("object");
}

/** References into the schema itself; others would need a network. */
function target(root: Json, reference: string): unknown {
	if (!reference.startsWith("#")) return undefined;
	const steps = reference.slice(1).split("/").slice(1);
	return steps.reduce<unknown>((at, step) => {
		const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
		return isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
	}, root);
}

function allOf(parts: readonly Fields[]): Fields {
	return {
		properties: joined(parts, (schemas) => ({ allOf: schemas })),
		required: new Set(parts.flatMap(({ required }) => [...required])),
		closed: parts.some(({ closed }) => closed),
	};
}

function eitherOf(parts: readonly Fields[]): Fields {
	return {
		properties: joined(parts, alternatives),
		required: parts.map(({ required }) => required).reduce((one, other) => one.intersection(other)),
		closed: parts.every(({ closed }) => closed),
	};
}

function joined(parts: readonly Fields[], join: (schemas: unknown[]) => unknown): Map<string, unknown> {
	const byProperty = new Map<string, Map<string, unknown>>();
	for (const { properties } of parts) {
		for (const [name, schema] of properties) {
			const different = byProperty.get(name) ?? new Map<string, unknown>();
			byProperty.set(name, different.set(JSON.stringify(schema), schema));
		}
	}
	const properties = new Map<string, unknown>();
	for (const [name, different] of byProperty) {
		const schemas = [...different.values()];
		properties.set(name, schemas.length === 1 ? schemas[0] : join(schemas));
	}
	return properties;
}

/** The tags of a tagged union are clearer as one list than as a tree of alternatives. */
function alternatives(schemas: unknown[]): Json {
	const words = schemas.map(tags);
	return words.every((known) => known !== undefined)
		? { type: "string", enum: [...new Set(words.flat())] }
		: { anyOf: schemas };
}

function tags(schema: unknown): string[] | undefined {
	const { type, const: only, enum: several, ...rest } = object(schema);
	const values = only === undefined ? list(several) : [only];
	const plain = (type === undefined || type === "string") && Object.keys(rest).length === 0;
	const words = values.filter((value) => typeof value === "string");
	return plain && words.length > 0 && words.length === values.length ? words : undefined;
}
