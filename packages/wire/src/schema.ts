/** Helpers of the protocol tables. */
import { z } from "zod";

/**
 * Builds a schema on first use. The tables are on the start-up path (extensions look up which events they may hear),
 * and a zod object costs 25 to 80 µs: building all of them costs 4 ms that only RPC mode has a use for.
 */
export function once<T>(build: () => T): () => T {
	let built: { value: T } | undefined;
	return () => (built ??= { value: build() }).value;
}

/** A list that readers must not change. */
export function list<T>(item: z.ZodType<T>): z.ZodType<readonly T[]> {
	return z.array(item);
}

/** Shows an inferred type as one object instead of an intersection. */
export type Flat<T> = { [K in keyof T]: T[K] };

export type Shape = z.core.$ZodShape;

/** Of no fields zod infers `Record<string, never>`, which no object with a `type` fits. */
export type FieldsOf<S extends Shape> = [keyof S] extends [never] ? unknown : z.infer<z.ZodObject<S>>;
