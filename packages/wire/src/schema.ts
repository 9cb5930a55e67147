/** Helpers of the protocol tables. */
import { z } from "zod";

/** A list that readers must not change. */
export function list<T>(item: z.ZodType<T>): z.ZodType<readonly T[]> {
	return z.array(item);
}

/** Shows an inferred type as one object instead of an intersection. */
export type Flat<T> = { [K in keyof T]: T[K] };

export type Shape = z.core.$ZodShape;

/** Of no fields zod infers `Record<string, never>`, which no object with a `type` fits. */
export type FieldsOf<S extends Shape> = [keyof S] extends [never] ? unknown : z.infer<z.ZodObject<S>>;
