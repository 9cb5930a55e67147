/** Checks a value against a JSON schema, mends what is only written differently, and says what is wrong. */
import { isRecord } from "@tau/utils";

import { limits } from "./limits.ts";

/** `problems` are for whoever sent the value: `path: what is wrong`. */
export type Checked = { ok: true; value: unknown } | { ok: false; problems: string[] };

type Schema = Readonly<Record<string, unknown>>;

/** Where a value stands in the whole, and whether it must be right as it is: nothing mended, no defaults put in. */
interface At {
	path: string;
	isStrict: boolean;
}

type Check = (value: unknown, schema: Schema, at: At) => Checked;

export function checkValue(schema: unknown, value: unknown, { isStrict = false } = {}): Checked {
	return check(schema, value, { path: "", isStrict });
}

function check(schema: unknown, value: unknown, at: At): Checked {
	if (schema === true || schema === undefined) return { ok: true, value };
	if (schema === false) return wrong(at, "nothing is allowed here");
	if (!isRecord(schema)) return { ok: true, value };
	let checked: Checked = { ok: true, value };
	for (const each of checks) {
		if (!checked.ok) return checked;
		checked = each(checked.value, schema, at);
	}
	return checked;
}

const checks: readonly Check[] = [
	checkType,
	checkConstant,
	checkUnions,
	checkNumber,
	checkText,
	checkList,
	checkObject,
];

/** Models write `"5"` for 5 and `"true"` for true; one value for a list of one. */
function checkType(value: unknown, schema: Schema, at: At): Checked {
	const { type } = schema;
	if (type === undefined) return { ok: true, value };
	const types = Array.isArray(type) ? type.map(String) : [String(type)];
	if (types.some((each) => isOfType(value, each))) return { ok: true, value };
	for (const each of at.isStrict ? [] : types) {
		const mended = mend(value, each);
		if (mended !== undefined) return { ok: true, value: mended };
	}
	return wrong(at, `must be ${types.join(" or ")}, not ${kindOf(value)}`);
}

function isOfType(value: unknown, type: string): boolean {
	switch (type) {
		case "integer":
			return Number.isInteger(value);
		case "number":
			return typeof value === "number" && Number.isFinite(value);
		case "array":
			return Array.isArray(value);
		case "object":
			return isRecord(value);
		case "null":
			return value === null;
		default:
			return typeof value === type;
	}
}

function mend(value: unknown, type: string): unknown {
	if (typeof value === "string" && (type === "number" || type === "integer")) {
		const number = value.trim() === "" ? Number.NaN : Number(value);
		return isOfType(number, type) ? number : undefined;
	}
	if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
	if (type === "string" && (typeof value === "number" || typeof value === "boolean")) return String(value);
	if (typeof value === "string" && (type === "array" || type === "object")) {
		const parsed = parse(value);
		return isOfType(parsed, type) ? parsed : undefined;
	}
	return undefined;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// It was no JSON; the caller says what it should have been.
		return undefined;
	}
}

function checkConstant(value: unknown, schema: Schema, at: At): Checked {
	if ("const" in schema && !Bun.deepEquals(value, schema.const))
		return wrong(at, `must be ${JSON.stringify(schema.const)}`);
	const { enum: allowed } = schema;
	if (!Array.isArray(allowed) || allowed.some((each) => Bun.deepEquals(each, value)))
		return { ok: true, value };
	return wrong(at, `must be one of ${allowed.map((each) => JSON.stringify(each)).join(", ")}`);
}

function checkUnions(value: unknown, schema: Schema, at: At): Checked {
	const { anyOf, oneOf, allOf, not } = schema;
	const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
	let now = value;
	if (choices) {
		const tried = choices.map((choice) => check(choice, now, at));
		// What fits as it is goes before what had to be mended.
		const fitting = tried.find((each) => isAsItWas(each, now)) ?? tried.find((each) => each.ok);
		if (!fitting?.ok) return { ok: false, problems: problemsOf(tried).slice(0, limits.problems) };
		now = fitting.value;
	}
	for (const part of Array.isArray(allOf) ? allOf : []) {
		const checked = check(part, now, at);
		if (!checked.ok) return checked;
		now = checked.value;
	}
	if (not !== undefined && isAsItWas(check(not, now, at), now)) return wrong(at, "is not allowed");
	return { ok: true, value: now };
}

/** Right without having been mended. */
function isAsItWas(checked: Checked, value: unknown): boolean {
	return checked.ok && Bun.deepEquals(checked.value, value);
}

function checkNumber(value: unknown, schema: Schema, at: At): Checked {
	if (typeof value !== "number") return { ok: true, value };
	const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
	if (typeof minimum === "number" && value < minimum) return wrong(at, `must be at least ${minimum}`);
	if (typeof maximum === "number" && value > maximum) return wrong(at, `must be at most ${maximum}`);
	if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
		return wrong(at, `must be more than ${exclusiveMinimum}`);
	if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
		return wrong(at, `must be less than ${exclusiveMaximum}`);
	if (typeof multipleOf === "number" && !Number.isInteger(value / multipleOf))
		return wrong(at, `must be a multiple of ${multipleOf}`);
	return { ok: true, value };
}

function checkText(value: unknown, schema: Schema, at: At): Checked {
	if (typeof value !== "string") return { ok: true, value };
	const { minLength, maxLength, pattern } = schema;
	if (typeof minLength === "number" && value.length < minLength)
		return wrong(at, `must have at least ${minLength} characters`);
	if (typeof maxLength === "number" && value.length > maxLength)
		return wrong(at, `must have at most ${maxLength} characters`);
	if (typeof pattern === "string" && regex(pattern)?.test(value) === false)
		return wrong(at, `must match ${pattern}`);
	return { ok: true, value };
}

/** A pattern that is no regex is a mistake of the tool, not of who calls it. */
function regex(pattern: string): RegExp | undefined {
	try {
		return new RegExp(pattern, "u");
	} catch {
		// Then nothing can be said against the text.
		return undefined;
	}
}

function checkList(value: unknown, schema: Schema, at: At): Checked {
	if (!Array.isArray(value)) return { ok: true, value };
	const { items, prefixItems, minItems, maxItems, uniqueItems } = schema;
	if (typeof minItems === "number" && value.length < minItems)
		return wrong(at, `must have at least ${minItems} items`);
	if (typeof maxItems === "number" && value.length > maxItems)
		return wrong(at, `must have at most ${maxItems} items`);
	if (uniqueItems === true && new Set(value.map((each) => JSON.stringify(each))).size < value.length)
		return wrong(at, "must not have an item twice");
	const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
	return all(
		value.map((each, index) =>
			check(places ? places[index] : items, each, { ...at, path: `${at.path}[${index}]` }),
		),
		(values) => values,
	);
}

function checkObject(value: unknown, schema: Schema, at: At): Checked {
	if (!isRecord(value)) return { ok: true, value };
	const { required } = schema;
	const properties = isRecord(schema.properties) ? schema.properties : {};
	const defaults = at.isStrict ? {} : defaultsOf(properties);
	const missing = (Array.isArray(required) ? required : []).filter(
		(name) => value[name] === undefined && defaults[name] === undefined,
	);
	const entries = Object.entries(value).filter(([, each]) => each !== undefined);
	const absent = missing.map((name): Checked => wrong(within(at, String(name)), "is missing"));
	const present = entries.map(([name, each]) =>
		check(schemaFor(name, schema, properties), each, within(at, name)),
	);
	return all([...absent, ...present], (values) => ({
		...defaults,
		...Object.fromEntries(entries.map(([name], index) => [name, values[index]])),
	}));
}

function schemaFor(name: string, schema: Schema, properties: Schema): unknown {
	if (Object.hasOwn(properties, name)) return properties[name];
	const { patternProperties, additionalProperties } = schema;
	const fitting = Object.entries(isRecord(patternProperties) ? patternProperties : {}).find(([pattern]) =>
		regex(pattern)?.test(name),
	);
	return fitting ? fitting[1] : additionalProperties;
}

export function defaultsOf(properties: Schema): Record<string, unknown> {
	const given = Object.entries(properties).flatMap(([name, each]) =>
		isRecord(each) && each.default !== undefined ? [[name, each.default]] : [],
	);
	return Object.fromEntries(given);
}

function all(parts: readonly Checked[], build: (values: unknown[]) => unknown): Checked {
	const problems = problemsOf(parts);
	if (problems.length > 0) return { ok: false, problems: problems.slice(0, limits.problems) };
	return { ok: true, value: build(parts.map((part) => (part.ok ? part.value : undefined))) };
}

function problemsOf(parts: readonly Checked[]): string[] {
	return parts.flatMap((part) => (part.ok ? [] : part.problems));
}

function wrong({ path }: At, what: string): Checked {
	return { ok: false, problems: [`${path || "arguments"}: ${what}`] };
}

function within(at: At, name: string): At {
	return { ...at, path: at.path === "" ? name : `${at.path}.${name}` };
}

function kindOf(value: unknown): string {
	return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}
