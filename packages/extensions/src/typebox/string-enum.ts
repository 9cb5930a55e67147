/** A choice of texts that every provider accepts. */
import { Type, type TSchemaOptions, type TUnsafe } from "typebox-v1";

/** Uses `enum`, because some providers refuse the `anyOf` of a union. */
export function StringEnum<const V extends readonly string[]>(
	values: V,
	options?: TSchemaOptions,
): TUnsafe<V[number]> {
	return Type.Unsafe<V[number]>({ type: "string", enum: [...values], ...options });
}
