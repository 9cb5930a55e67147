/** Builds JSON schemas by the names that TypeBox gave them, so that tools written for it say what they take. */
import {
	isOptional,
	optional,
	type SchemaOptions,
	type Static,
	type StaticObject,
	type TObject,
	type TOptional,
	type TProperties,
	type TSchema,
} from "./schema.ts";

type Scalar = string | number | boolean;
type Statics<S extends readonly TSchema[]> = { -readonly [I in keyof S]: Static<S[I]> };
type Merged<U> = (U extends unknown ? (part: U) => void : never) extends (all: infer I) => void ? I : never;

function plain<T>(keywords: Record<string, unknown>, options: SchemaOptions = {}): TSchema<T> {
	return { ...keywords, ...options };
}

function object<P extends TProperties>(properties: P, options: SchemaOptions = {}): TObject<P> {
	const required = Object.keys(properties).filter((name) => !isOptional(properties[name] ?? {}));
	return { type: "object", ...(required.length > 0 ? { required } : {}), properties, ...options };
}

function picked<P extends TProperties>(
	schema: TObject<P>,
	keep: (name: string) => boolean,
	options: SchemaOptions,
): TObject {
	const { properties, required: _, type: __, ...rest } = schema;
	const kept = Object.entries(properties).filter(([name]) => keep(name));
	return object(Object.fromEntries(kept), { ...rest, ...options });
}

/** What was made from another schema, with the type that it then has. */
type Derived<T> = TSchema<T> & { properties: TProperties };

function derived<T>({ properties, ...rest }: TObject): Derived<T> {
	return { ...plain<T>(rest), properties };
}

/** Keys as a list of names, or as a schema of one literal or several. */
type Keys = readonly string[] | TSchema;

function namesOf(keys: Keys): string[] {
	if (Array.isArray(keys)) return keys.map(String);
	const { const: only, anyOf } = keys as TSchema;
	if (Array.isArray(anyOf)) return anyOf.flatMap((each: TSchema) => namesOf(each));
	return only === undefined ? [] : [String(only)];
}

export const Type = {
	String: (options?: SchemaOptions): TSchema<string> => plain({ type: "string" }, options),
	Number: (options?: SchemaOptions): TSchema<number> => plain({ type: "number" }, options),
	Integer: (options?: SchemaOptions): TSchema<number> => plain({ type: "integer" }, options),
	Boolean: (options?: SchemaOptions): TSchema<boolean> => plain({ type: "boolean" }, options),
	Null: (options?: SchemaOptions): TSchema<null> => plain({ type: "null" }, options),
	Any: (options?: SchemaOptions): TSchema => plain({}, options),
	Unknown: (options?: SchemaOptions): TSchema => plain({}, options),
	Never: (options?: SchemaOptions): TSchema<never> => plain({ not: {} }, options),
	Literal: <const V extends Scalar>(value: V, options?: SchemaOptions): TSchema<V> =>
		plain({ const: value, type: typeof value }, options),
	Array: <S extends TSchema>(items: S, options?: SchemaOptions): TSchema<Static<S>[]> =>
		plain({ type: "array", items }, options),
	Tuple: <const S extends readonly TSchema[]>(items: S, options?: SchemaOptions): TSchema<Statics<S>> =>
		plain(
			{ type: "array", items, additionalItems: false, minItems: items.length, maxItems: items.length },
			options,
		),
	Object: object,
	Record: <K extends TSchema<string>, V extends TSchema>(
		key: K,
		value: V,
		options?: SchemaOptions,
	): TSchema<Record<string, Static<V>>> => {
		const names = namesOf(key);
		const pattern = typeof key.pattern === "string" ? key.pattern : "^.*$";
		return names.length > 0
			? { ...object(Object.fromEntries(names.map((name) => [name, value]))), ...options }
			: plain({ type: "object", patternProperties: { [pattern]: value } }, options);
	},
	Union: <const S extends readonly TSchema[]>(
		members: S,
		options?: SchemaOptions,
	): TSchema<Static<S[number]>> => plain({ anyOf: members }, options),
	Intersect: <const S extends readonly TSchema[]>(
		members: S,
		options?: SchemaOptions,
	): TSchema<Merged<Static<S[number]>>> => plain({ allOf: members }, options),
	Composite: (members: readonly TObject[], options?: SchemaOptions): TObject =>
		object(Object.assign({}, ...members.map(({ properties }) => properties)), options),
	/** Of an object such as `{ Small: "s", Large: "l" }`, or of a list of values. */
	Enum: <const E extends Readonly<Record<string, string | number>> | readonly (string | number)[]>(
		values: E,
		options?: SchemaOptions,
	): TSchema<E extends readonly (infer V)[] ? V : E[keyof E]> => {
		const listed = Array.isArray(values) ? values : enumValues(values as Readonly<Record<string, Scalar>>);
		return plain({ anyOf: listed.map((value: Scalar) => Type.Literal(value)) }, options);
	},
	Optional: <S extends TSchema>(schema: S): TOptional<S> => ({ ...schema, [optional]: "Optional" }),
	Readonly: <S extends TSchema>(schema: S): S => schema,
	Partial: <P extends TProperties>(
		schema: TObject<P>,
		options: SchemaOptions = {},
	): Derived<Partial<StaticObject<P>>> => {
		const { required: _, type: __, properties, ...rest } = schema;
		const loose = Object.entries(properties).map(([name, each]) => [name, Type.Optional(each)]);
		return derived(object(Object.fromEntries(loose), { ...rest, ...options }));
	},
	Required: <P extends TProperties>(schema: TObject<P>): Derived<Required<StaticObject<P>>> => {
		const { required: _, type: __, properties, ...rest } = schema;
		const strict = Object.entries(properties).map(([name, each]) => {
			const { [optional]: ___, ...bare } = each as TOptional;
			return [name, bare];
		});
		return derived(object(Object.fromEntries(strict), rest));
	},
	Pick: <P extends TProperties, const K extends keyof P & string>(
		schema: TObject<P>,
		keys: readonly K[] | TSchema<K>,
		options: SchemaOptions = {},
	): Derived<Pick<StaticObject<P>, K & keyof StaticObject<P>>> => {
		const names = namesOf(keys);
		return derived(picked(schema, (name) => names.includes(name), options));
	},
	Omit: <P extends TProperties, const K extends keyof P & string>(
		schema: TObject<P>,
		keys: readonly K[] | TSchema<K>,
		options: SchemaOptions = {},
	): Derived<Omit<StaticObject<P>, K>> => {
		const names = namesOf(keys);
		return derived(picked(schema, (name) => !names.includes(name), options));
	},
	KeyOf: <P extends TProperties>(schema: TObject<P>): TSchema<keyof P & string> =>
		plain({ anyOf: Object.keys(schema.properties).map((name) => Type.Literal(name)) }),
	Not: (schema: TSchema, options?: SchemaOptions): TSchema => plain({ not: schema }, options),
	Ref: (name: string, options?: SchemaOptions): TSchema => plain({ $ref: name }, options),
	Unsafe: <T>(schema: SchemaOptions = {}): TSchema<T> => plain({ ...schema }),
} as const;

/** An `enum` of TypeScript with numbers names them both ways. */
function enumValues(values: Readonly<Record<string, Scalar>>): Scalar[] {
	const names = Object.keys(values).filter((name) => Number.isNaN(Number(name)));
	return [...new Set(names.map((name) => values[name] ?? name))];
}

/** A choice of texts as `enum`, which every provider takes; `anyOf` is refused by some. */
export function StringEnum<const V extends readonly string[]>(
	values: V,
	options?: SchemaOptions,
): TSchema<V[number]> {
	return plain({ type: "string", enum: [...values] }, options);
}
