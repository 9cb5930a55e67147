/** Words the errors of a check for the model that wrote the value. */
import type { ErrorObject } from "ajv";
import { oneLine } from "@tau/utils";

import { limits } from "./limits.ts";

/** One line a problem: where, what is wrong, and what is there instead. */
export function describeErrors(errors: readonly ErrorObject[], data: unknown, name: string): string[] {
	const lines = [...new Set(errors.filter(isOwn).map((error) => describe(error, data, name)))];
	const first = lines.slice(0, limits.shownProblems);
	const more = lines.length - first.length;
	return more > 0 ? [...first, `and ${more} more`] : first;
}

/** That a condition led to another schema says nothing beside what that schema found. */
function isOwn({ keyword }: ErrorObject): boolean {
	return keyword !== "if";
}

function describe(error: ErrorObject, data: unknown, name: string): string {
	const { instancePath, keyword, message = "is invalid" } = error;
	const path = instancePath.split("/").slice(1).map(unescape);
	const params: Readonly<Record<string, unknown>> = error.params;
	const at = (...names: readonly string[]): string => [...path, ...names].join(".") || name;
	const there = `, not ${shown(valueAt(data, path))}`;
	switch (keyword) {
		case "required":
			return `${at(String(params.missingProperty))}: is missing`;
		case "dependentRequired":
		case "dependencies":
			return `${at(String(params.missingProperty))}: is missing, because ${String(params.property)} is there`;
		case "additionalProperties":
			return `${at(String(params.additionalProperty))}: is not expected`;
		case "unevaluatedProperties":
			return `${at(String(params.unevaluatedProperty))}: is not expected`;
		case "enum":
			return `${at()}: must be one of ${listed(params.allowedValues)}${there}`;
		case "const":
			return `${at()}: must be ${shown(params.allowedValue)}${there}`;
		case "type":
			return `${at()}: ${message.replaceAll(",", " or ")}${there}`;
		case "anyOf":
			return `${at()}: fits none of the alternatives in anyOf`;
		case "oneOf":
			return `${at()}: ${oneOf(params.passingSchemas)}`;
		case "not":
			return `${at()}: fits what the schema excludes (not)`;
		case "false schema":
			return `${at()}: is not allowed`;
		default:
			return `${at()}: ${message}`;
	}
}

function oneOf(passing: unknown): string {
	return Array.isArray(passing)
		? `fits more than one of the alternatives in oneOf (${passing.join(" and ")})`
		: "fits none of the alternatives in oneOf";
}

function listed(values: unknown): string {
	const all: readonly unknown[] = Array.isArray(values) ? values : [];
	const more = all.length - limits.listedValues;
	const shownValues = all.slice(0, limits.listedValues).map(shown).join(", ");
	return more > 0 ? `${shownValues} and ${more} more` : shownValues;
}

function shown(value: unknown): string {
	return oneLine(JSON.stringify(value) ?? "nothing", limits.valueChars);
}

function unescape(name: string): string {
	return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

function valueAt(data: unknown, path: readonly string[]): unknown {
	let current = data;
	for (const name of path) {
		if (typeof current !== "object" || current === null || !Object.hasOwn(current, name)) return undefined;
		current = Reflect.get(current, name);
	}
	return current;
}
