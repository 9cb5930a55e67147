/**
 * Checks the files that every start reads: settings, models and trust. zod, which checks everything else, would take a
 * start 10 ms and 8 MB to load and to build these schemas.
 */
import { isRecord } from "./values.ts";

export interface ShapeIssue {
	readonly path: readonly (string | number)[];
	readonly message: string;
}

/** Returns the value as it is used, and reports what does not fit. A value with issues is not used. */
export type Shape<T = unknown> = (value: unknown, report: (issue: ShapeIssue) => void) => T;

export type ShapeValue<S> = S extends Shape<infer T> ? T : never;

type OptionalShape<T> = Shape<T | undefined> & { readonly isOptional: true };

type Fields = Readonly<Record<string, Shape>>;

type OptionalKeys<F extends Fields> = {
	[K in keyof F]: F[K] extends { readonly isOptional: true } ? K : never;
}[keyof F];

type Flat<T> = { [K in keyof T]: T[K] };

type ObjectValue<F extends Fields> = Flat<
	{ [K in Exclude<keyof F, OptionalKeys<F>>]: ShapeValue<F[K]> } & {
		[K in OptionalKeys<F>]?: ShapeValue<F[K]>;
	}
>;

export type ObjectShape<F extends Fields = Fields> = Shape<ObjectValue<F>> & { readonly fields: F };

export type ShapeResult<T> =
	{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly issues: readonly ShapeIssue[] };

export function parseShape<T>(shape: Shape<T>, value: unknown): ShapeResult<T> {
	const issues: ShapeIssue[] = [];
	const taken = shape(value, (issue) => void issues.push(issue));
	return issues.length === 0 ? { ok: true, value: taken } : { ok: false, issues };
}

export function fits(shape: Shape, value: unknown): boolean {
	return parseShape(shape, value).ok;
}

/** A type by a test of its own. */
function typed<T>(expected: string, is: (value: unknown) => value is T, otherwise: T): Shape<T> {
	return (value, report) => {
		if (is(value)) return value;
		report({ path: [], message: `Invalid input: expected ${expected}, received ${kindOf(value)}` });
		return otherwise;
	};
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

const string = typed("string", isText, "");
const number = typed("number", isFiniteNumber, 0);
const integer = typed("int", isInteger, 0);
const boolean = typed("boolean", isBoolean, false);
const word = refined(
	string,
	(text) => text !== "",
	() => "Too small: expected string to have >=1 characters",
);
const positive = refined(
	number,
	(value) => value > 0,
	() => "Too small: expected number to be >0",
);

/** Undefined counts as absent. */
function optional<T>(shape: Shape<T>): OptionalShape<T> {
	const read: Shape<T | undefined> = (value, report) => (value === undefined ? value : shape(value, report));
	return Object.assign(read, { isOptional: true as const });
}

function fallback<T>(shape: Shape<T>, otherwise: T): Shape<T> {
	return (value, report) => (value === undefined ? otherwise : shape(value, report));
}

function nullable<T>(shape: Shape<T>): Shape<T | null> {
	return (value, report) => (value === null ? value : shape(value, report));
}

function oneOf<const C extends string>(choices: readonly C[]): Shape<C> {
	return (value, report) => {
		const choice = choices.find((each) => each === value);
		if (choice !== undefined) return choice;
		const list = choices.map((each) => JSON.stringify(each)).join("|");
		report({ path: [], message: `Invalid option: expected one of ${list}` });
		// Whoever asks sees the issue, and not this value.
		return value as C;
	};
}

function array<T>(item: Shape<T>): Shape<T[]> {
	const isList = typed("array", (value): value is unknown[] => Array.isArray(value), []);
	return (value, report) => isList(value, report).map((each, index) => item(each, within(index, report)));
}

function record<T, K extends string = string>(item: Shape<T>, key?: Shape<K>): Shape<Record<K, T>> {
	const isMap = typed("record", isRecord, {});
	return (value, report) => {
		const entries = Object.entries(isMap(value, report)).map(([name, each]) => {
			key?.(name, within(name, report));
			return [name, item(each, within(name, report))];
		});
		return Object.fromEntries(entries) as Record<K, T>;
	};
}

/** Fields that it does not know are left out. */
function object<F extends Fields>(fields: F): ObjectShape<F> {
	const isMap = typed("object", isRecord, undefined);
	const read: Shape<ObjectValue<F>> = (value, report) => {
		const taken: Record<string, unknown> = {};
		const given = isMap(value, report);
		for (const name of given ? Object.keys(fields) : []) {
			const field = fields[name]?.(given?.[name], within(name, report));
			if (field !== undefined) taken[name] = field;
		}
		return taken as ObjectValue<F>;
	};
	return Object.assign(read, { fields });
}

/** Fields that it does not know are kept. */
function looseObject<F extends Fields>(
	shape: ObjectShape<F>,
): Shape<ObjectValue<F> & Record<string, unknown>> {
	return (value, report) => ({ ...(isRecord(value) ? value : {}), ...shape(value, report) });
}

/** Fields that it does not know are reported. */
function strictObject<F extends Fields>(shape: ObjectShape<F>): Shape<ObjectValue<F>> {
	return (value, report) => {
		const unknown = isRecord(value)
			? Object.keys(value).filter((key) => !Object.hasOwn(shape.fields, key))
			: [];
		for (const key of unknown) report({ path: [key], message: "unknown field" });
		return shape(value, report);
	};
}

function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
	return (value, report) => (fits(first, value) ? first(value, report) : second(value, report));
}

/** What a value has to be beyond its type. */
export function refined<T>(
	shape: Shape<T>,
	isRight: (value: T) => boolean,
	message: (value: T) => string,
): Shape<T> {
	return (value, report) => {
		let hasType = true;
		const taken = shape(value, (issue) => {
			hasType = false;
			report(issue);
		});
		if (hasType && !isRight(taken)) report({ path: [], message: message(taken) });
		return taken;
	};
}

function within(key: string | number, report: (issue: ShapeIssue) => void): (issue: ShapeIssue) => void {
	return ({ path, message }) => report({ path: [key, ...path], message });
}

/** A value's type in the words of an issue. */
export function kindOf(value: unknown): string {
	return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}

export const shapes = {
	string,
	/** A text that is not empty. */
	word,
	number,
	positive,
	integer,
	boolean,
	unknown: ((value) => value) satisfies Shape,
	optional,
	fallback,
	nullable,
	oneOf,
	array,
	record,
	object,
	looseObject,
	strictObject,
	either,
};
