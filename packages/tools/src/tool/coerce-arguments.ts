/** Repairs arguments of nearly the right shape, where only one meaning is possible, and reports the repair. */
import { nearest, oneLine } from "@tau/utils";
import type { z } from "zod";

import { limits } from "./limits.ts";

export interface CoercedArguments {
	value: Record<string, unknown>;
	/** The descriptions of the repairs, one each. */
	notes: string[];
}

type Issue = z.core.$ZodIssue;

/** The new value at a path, and the text that reports it. */
interface Repair {
	path: readonly PropertyKey[];
	/** Absent when the key is removed. */
	value?: unknown;
	note: string;
}

/** Returns undefined when a problem has several remedies, or none: then nothing is guessed at all. */
export function coerceArguments(
	parameters: z.ZodObject,
	input: Record<string, unknown>,
): CoercedArguments | undefined {
	const mended = structuredClone(input);
	const notes: string[] = [];
	// A value that was parsed from a text may need a repair too.
	for (let round = 0; round <= limits.repairRounds; round++) {
		const parsed = parameters.safeParse(mended);
		if (parsed.success) return { value: parsed.data, notes };
		for (const issue of parsed.error.issues) {
			const repair = repairOf(issue, at(mended, issue.path));
			if (!repair || !apply(repair, mended)) return undefined;
			notes.push(repair.note);
		}
	}
	return undefined;
}

/** Reports unknown keys, with the nearest known one. */
export function unknownKeys(parameters: z.ZodObject, input: Record<string, unknown>): string[] {
	const names = Object.keys(parameters.shape);
	if (parameters.def.catchall && parameters.def.catchall._zod.def.type !== "never") return [];
	return Object.keys(input)
		.filter((key) => !names.includes(key))
		.map((key) => {
			const [near] = nearest(key, names, 1);
			const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
			return `${shown(key)} is not an argument of this tool${hint}`;
		});
}

function repairOf(issue: Issue, value: unknown): Repair | undefined {
	const { path } = issue;
	const name = path.map(String).join(".");
	const as = (taken: unknown, what = shown(taken)): Repair => ({
		path,
		value: taken,
		note: `${name}: ${shown(value)} was read as ${what}`,
	});
	if (value === null && path.length > 0) return { path, note: `${name}: null was treated as omitted` };
	if (issue.code === "invalid_value") return choiceOf(issue.values, value, as);
	if (issue.code !== "invalid_type") return undefined;
	switch (issue.expected) {
		case "number":
			return typeof value === "string" && isNumber(value) ? as(Number(value)) : undefined;
		case "boolean":
			return typeof value === "string" && isBoolean(value) ? as(/true/i.test(value)) : undefined;
		case "array":
			return value === undefined ? undefined : asList(value, as);
		case "tuple":
			return asJson(value, Array.isArray, "the list in it", as);
		case "object":
		case "record":
			return asJson(value, isPlainObject, "the object in it", as);
		default:
			return undefined;
	}
}

type As = (taken: unknown, what?: string) => Repair;

function asList(value: unknown, as: As): Repair {
	return asJson(value, Array.isArray, "the list in it", as) ?? as([value], "a list of one");
}

function asJson(value: unknown, fits: (read: unknown) => boolean, what: string, as: As): Repair | undefined {
	if (typeof value !== "string") return undefined;
	try {
		const read: unknown = JSON.parse(value);
		return fits(read) ? as(read, what) : undefined;
	} catch {
		// The text is not JSON, so it remains a text.
		return undefined;
	}
}

/** Returns the one choice that differs only in case and surrounding white space. */
function choiceOf(choices: readonly unknown[], value: unknown, as: As): Repair | undefined {
	if (typeof value !== "string") return undefined;
	const plain = (text: string): string => text.trim().toLowerCase();
	const fitting = choices.filter((choice) => typeof choice === "string" && plain(choice) === plain(value));
	return fitting.length === 1 ? as(fitting[0]) : undefined;
}

function isNumber(text: string): boolean {
	return /^\s*[+-]?(\d+(\.\d+)?|\.\d+)(e[+-]?\d{1,3})?\s*$/i.test(text) && Number.isFinite(Number(text));
}

function isBoolean(text: string): boolean {
	return /^\s*(true|false)\s*$/i.test(text);
}

function isPlainObject(value: unknown): boolean {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>((inside, key) => (isHolder(inside) ? inside[key] : undefined), value);
}

/** Returns whether the path existed. An element of a list is not removed: the others would move up. */
function apply(repair: Repair, into: unknown): boolean {
	const key = repair.path.at(-1);
	const holder = at(into, repair.path.slice(0, -1));
	if (key === undefined || !isHolder(holder)) return false;
	if ("value" in repair) holder[key] = repair.value;
	else if (Array.isArray(holder)) return false;
	else delete holder[key];
	return true;
}

function isHolder(value: unknown): value is Record<PropertyKey, unknown> {
	return typeof value === "object" && value !== null;
}

function shown(value: unknown): string {
	return oneLine(JSON.stringify(value) ?? "nothing", limits.shownValueChars);
}
