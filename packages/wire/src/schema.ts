/** Helpers of the protocol tables. */
import { z } from "zod";

/**
 * Builds a schema on first use. The events are on the start-up path (extensions look up which ones they may hear), and
 * building all schemas takes 8 ms, measured in a fresh process; only what validates should pay for it.
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
