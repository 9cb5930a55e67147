/** The types of schemas that are JSON Schema as they stand, and know at compile time what they describe. */

declare const described: unique symbol;

/** A JSON schema; `T` is what a value of it looks like, and exists for the compiler alone. */
export interface TSchema<T = unknown> {
	readonly [described]?: T;
	[keyword: string]: unknown;
}

/** Marks a property that an object may lack. It survives a copy by `{ ...schema }`, and JSON does not show it. */
export const optional = Symbol.for("TypeBox.Optional");

export type TOptional<S extends TSchema = TSchema> = S & { readonly [optional]: "Optional" };

export type Static<S extends TSchema> = S extends TSchema<infer T> ? T : never;

export type TProperties = Readonly<Record<string, TSchema>>;

type OptionalKeys<P extends TProperties> = {
	[K in keyof P]: P[K] extends { readonly [optional]: "Optional" } ? K : never;
}[keyof P];

type Flat<T> = { [K in keyof T]: T[K] };

export type StaticObject<P extends TProperties> = Flat<
	{ [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]> } & {
		[K in OptionalKeys<P>]?: Static<P[K]>;
	}
>;

export interface TObject<P extends TProperties = TProperties> extends TSchema<StaticObject<P>> {
	type: "object";
	properties: P;
	required?: string[];
}

/** Keywords that may stand on any schema: description, default, minimum, pattern … */
export type SchemaOptions = Readonly<Record<string, unknown>>;

export function isOptional(schema: TSchema): boolean {
	return optional in schema;
}
