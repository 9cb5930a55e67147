/** Writes TypeBox's errors as lines for the model: where the value is wrong, and what it must be. */
import type { TLocalizedValidationError } from "typebox-v1/error";
import { Pointer } from "typebox-v1/value";

import { limits } from "./limits.ts";

/** These only repeat that something inside of the value is wrong. */
const summaries: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "additionalProperties", "if"]);

export function describeErrors(errors: readonly TLocalizedValidationError[], value: unknown): string[] {
	const details = errors.filter(({ keyword }) => !summaries.has(keyword));
	const lines = (details.length > 0 ? details : errors).flatMap((error) => describe(error, value));
	return [...new Set(lines)].slice(0, limits.problems);
}

function describe(error: TLocalizedValidationError, value: unknown): string[] {
	const path = pathOf(error.instancePath);
	const at = path || "arguments";
	switch (error.keyword) {
		case "required":
			return error.params.requiredProperties.map(
				(name) => `${path === "" ? name : `${path}.${name}`}: is missing`,
			);
		case "type":
			return [line(at, `must be ${typesOf(error.params.type)}, not ${kindOf(value, error.instancePath)}`)];
		case "enum":
			return [line(at, `must be one of ${error.params.allowedValues.map(quote).join(", ")}`)];
		case "const":
			return [line(at, `must be ${quote(error.params.allowedValue)}`)];
		case "boolean":
			return [line(at, "is not allowed")];
		default:
			return [line(at, error.message)];
	}
}

function line(path: string, problem: string): string {
	return `${path}: ${problem}`;
}

/** `/tags/1/id` as `tags[1].id`. */
function pathOf(pointer: string): string {
	return [...Pointer.Indices(pointer)].reduce(
		(path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`),
		"",
	);
}

function typesOf(type: string | readonly string[]): string {
	return [type].flat().join(" or ");
}

function kindOf(value: unknown, pointer: string): string {
	const wrong: unknown = pointer === "" ? value : Pointer.Get(value, pointer);
	return Array.isArray(wrong) ? "array" : wrong === null ? "null" : typeof wrong;
}

function quote(value: unknown): string {
	return JSON.stringify(value) ?? String(value);
}
