/** Repairs values of the wrong type with the right meaning: models write `"5"` for 5 and a list as JSON text. */
import type { TLocalizedValidationError } from "typebox-v1/error";
import { Pointer } from "typebox-v1/value";

/** Returns the value with the first mend that each type error allows, or undefined when none does. */
export function mendTypes(
	value: unknown,
	errors: readonly TLocalizedValidationError[],
): { value: unknown } | undefined {
	const mends = new Map<string, unknown>();
	for (const { keyword, instancePath, params } of errors) {
		if (keyword !== "type" || mends.has(instancePath)) continue;
		const wrong: unknown = Pointer.Get(value, instancePath);
		const mended = [params.type].flat().map((type) => mend(wrong, type));
		const first = mended.find((each) => each !== undefined);
		if (first !== undefined) mends.set(instancePath, first);
	}
	if (mends.size === 0) return undefined;
	if (mends.has("")) return { value: mends.get("") };
	for (const [path, mended] of mends) Pointer.Set(value, path, mended);
	return { value };
}

function mend(value: unknown, type: string): unknown {
	if (type === "string" && (typeof value === "number" || typeof value === "boolean")) return String(value);
	if (typeof value !== "string") return undefined;
	if (type === "boolean") return value === "true" ? true : value === "false" ? false : undefined;
	if (type === "number" || type === "integer") {
		const number = value.trim() === "" ? Number.NaN : Number(value);
		return (type === "integer" ? Number.isInteger(number) : Number.isFinite(number)) ? number : undefined;
	}
	if (type !== "array" && type !== "object") return undefined;
	const parsed = parse(value);
	return typeof parsed === "object" && parsed !== null && Array.isArray(parsed) === (type === "array")
		? parsed
		: undefined;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// The text is no JSON; the caller reports the type error.
		return undefined;
	}
}
