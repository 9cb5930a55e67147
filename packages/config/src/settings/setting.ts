/** The definition of a setting: its type, its default, who may set it, and how a user is asked for it. */
import { refined, shapes, type Shape } from "@tau/utils";

const { array, either, integer, looseObject, number, object, optional, record, strictObject, word } = shapes;

/** Where a value may be set: in the user's file, in the project's file, or for the running session alone. */
export type Scope = "global" | "project" | "session";

/** How a value is asked for on a screen. */
export type Hint =
	| { kind: "toggle" }
	| { kind: "choice"; choices: readonly string[] }
	| { kind: "number"; unit?: string }
	| { kind: "text" }
	| { kind: "list" }
	| { kind: "table" }
	/** Too deep for one line: written as JSON, or in the file. */
	| { kind: "json" };

export interface Setting<T = unknown> {
	readonly description: string;
	readonly default: T;
	readonly scopes: readonly Scope[];
	/** Why a repository may not set it, where it may not. */
	readonly notForProjects?: string;
	/** A trusted repository's value is read by its consumer: here it sets nothing, and is no mistake. */
	readonly hasOwnReader?: true;
	readonly hint: Hint;
	readonly type: Shape;
	/** What the type requires, to follow "must be". */
	readonly expected: string;
	/** What it requires of each item of a list; text without it. */
	readonly expectedItem?: string;
	/** Lists and replies show that it is set, and not its value. */
	readonly isSecret?: true;
}

interface Common {
	description: string;
	/** A repository may be hostile: it may set only what costs nothing, runs nothing and redirects nothing. */
	notForProjects?: string;
	hasOwnReader?: true;
	/** It is read once, when a session starts. */
	fixed?: true;
	isSecret?: true;
}

export function toggle(from: Common & { default: boolean }): Setting<boolean> {
	return {
		...common(from),
		default: from.default,
		hint: { kind: "toggle" },
		type: shapes.boolean,
		expected: "true or false",
	};
}

export function choice<const C extends string, D extends C | undefined>(
	choices: readonly C[],
	from: Common & {
		default: D;
		/** Values that are understood and not offered, such as those of other programs. */
		alsoReads?: Readonly<Record<string, C>>;
	},
): Setting<C | D> {
	const { alsoReads = {} } = from;
	const present = (value: unknown): unknown =>
		typeof value === "string" && Object.hasOwn(alsoReads, value) ? alsoReads[value] : value;
	return {
		...common(from),
		default: from.default,
		hint: { kind: "choice", choices },
		type: preprocessed(present, shapes.oneOf(choices)),
		expected: `one of ${choices.join(", ")}`,
	};
}

interface Range {
	least: number;
	most: number;
	unit?: string;
}

export function count<D extends number | undefined>(
	range: Range,
	from: Common & {
		default: D;
		/** The number that `true` means where another program has a switch; `false` is 0. */
		on?: number;
	},
): Setting<number | D> {
	const setting = numeric("a whole number", integer, range, from);
	const { on } = from;
	if (on === undefined) return setting;
	const present = (value: unknown): unknown => (value === true ? on : value === false ? 0 : value);
	return { ...setting, type: preprocessed(present, setting.type) };
}

export function amount<D extends number | undefined>(
	range: Range,
	from: Common & { default: D },
): Setting<number | D> {
	return numeric("a number", number, range, from);
}

function numeric<D extends number | undefined>(
	what: string,
	type: Shape<number>,
	{ least, most, unit }: Range,
	from: Common & { default: D },
): Setting<number | D> {
	return {
		...common(from),
		default: from.default,
		hint: { kind: "number", ...(unit === undefined ? {} : { unit }) },
		type: refined(
			type,
			(value) => value >= least && value <= most,
			() => "out of range",
		),
		expected: `${what} from ${least} to ${most}`,
	};
}

export function text<D extends string | undefined>(from: Common & { default: D }): Setting<string | D> {
	return { ...common(from), default: from.default, hint: { kind: "text" }, type: word, expected: "text" };
}

export function list(from: Common): Setting<readonly string[]> {
	return {
		...common(from),
		default: [],
		hint: { kind: "list" },
		type: array(word),
		expected: "a list of strings",
	};
}

const port = refined(
	word,
	(value) => portWord.test(value),
	() => "not a port",
);
const portWord = /^(?:(?:127\.0\.0\.1|localhost|\[::1\]):)?\d{1,5}$|^(?:allow|ask|deny)$/;

/** Ports of a loopback, or one word for all of them: `5432`, `[3000, localhost:5173]`, `deny`. */
export function ports(from: Common): Setting<readonly string[]> {
	const listed = (value: unknown): unknown =>
		(Array.isArray(value) ? value : [value]).map((each) => (typeof each === "number" ? `${each}` : each));
	return {
		...list(from),
		type: preprocessed(listed, array(port)),
		expected: "a list of ports, or allow, ask or deny",
		expectedItem: "a port of this machine, or allow, ask or deny",
	};
}

/** Texts, or groups that name a `source` and say more about it. */
export function sources(from: Common): Setting<readonly (string | Readonly<Record<string, unknown>>)[]> {
	return {
		...list(from),
		default: [],
		type: array(either(word, looseObject(object({ source: word })))),
		expected: "a list of sources",
	};
}

export function table(from: Common): Setting<Readonly<Record<string, string>>> {
	return {
		...common(from),
		default: {},
		hint: { kind: "table" },
		type: record(word),
		expected: "key: value pairs",
	};
}

/** Groups that each contain at least these texts. */
export function groups<const K extends string>(
	keys: readonly K[],
	from: Common,
): Setting<readonly Readonly<Record<K, string> & Record<string, unknown>>[]> {
	return {
		...common(from),
		default: [],
		hint: { kind: "json" },
		type: array(looseObject(object(Object.fromEntries(keys.map((key) => [key, word]))))),
		expected: `a list of groups with ${keys.join(" and ")}`,
	};
}

/** Its consumer reads it itself, entry by entry. */
export function group(from: Common): Setting<Readonly<Record<string, unknown>>> {
	return {
		...common(from),
		default: {},
		hint: { kind: "json" },
		type: record(shapes.unknown),
		expected: "a group",
	};
}

/** Other values of some settings, by a name such as a pattern of models. */
export function overrides<T extends Readonly<Record<string, Setting>>>(
	settings: T,
	from: Common,
): Setting<Readonly<Record<string, OverriddenValues<T>>>> {
	const types = Object.fromEntries(
		Object.entries(settings).map(([name, { type }]) => [name, optional(type)]),
	);
	return {
		...common(from),
		default: {},
		hint: { kind: "json" },
		type: record(strictObject(object(types)), word),
		expected: `groups with some of ${Object.keys(settings).join(", ")}`,
	};
}

type OverriddenValues<T> = { readonly [K in keyof T]?: T[K] extends Setting<infer V> ? V : never };

/** Turns a value that is understood into the one that is meant. */
function preprocessed(present: (value: unknown) => unknown, shape: Shape): Shape {
	return (value, report) => shape(present(value), report);
}

function common({
	description,
	notForProjects,
	hasOwnReader,
	fixed,
	isSecret,
}: Common): Pick<Setting, "description" | "scopes" | "notForProjects" | "hasOwnReader" | "isSecret"> {
	const scopes: Scope[] = ["global"];
	if (notForProjects === undefined) scopes.push("project");
	if (!fixed) scopes.push("session");
	return {
		description,
		scopes,
		...(notForProjects === undefined ? {} : { notForProjects }),
		...(hasOwnReader ? { hasOwnReader } : {}),
		...(isSecret ? { isSecret } : {}),
	};
}
