/** The names of keys: the types, the helper that builds them, and their parser. */
import { limits } from "./limits.ts";

type Letter =
	| ("a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m")
	| ("n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z");
type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
type SymbolKey =
	| ("`" | "-" | "=" | "[" | "]" | "\\" | ";" | "'" | "," | "." | "/" | "!" | "@" | "#" | "$" | "%")
	| ("^" | "&" | "*" | "(" | ")" | "_" | "+" | "|" | "~" | "{" | "}" | ":" | "<" | ">" | "?");
type SpecialKey =
	| ("escape" | "esc" | "enter" | "return" | "tab" | "space" | "backspace" | "delete" | "insert" | "clear")
	| ("home" | "end" | "pageUp" | "pageDown" | "up" | "down" | "left" | "right")
	| ("f1" | "f2" | "f3" | "f4" | "f5" | "f6" | "f7" | "f8" | "f9" | "f10" | "f11" | "f12");
type BaseKey = Letter | Digit | SymbolKey | SpecialKey;
type ModifierName = "ctrl" | "shift" | "alt" | "super";
type ModifiedKeyId<K extends string, Left extends ModifierName = ModifierName> = {
	[M in Left]: `${M}+${K}` | `${M}+${ModifiedKeyId<K, Exclude<Left, M>>}`;
}[Left];

/** Every name of a key, with its modifiers in any order. */
export type KeyId = BaseKey | ModifiedKeyId<BaseKey>;

/** The bits of the kitty protocol; xterm's numbers are the same. */
export const modifier = { shift: 1, alt: 2, ctrl: 4, super: 8 } as const;

/** A key and its modifiers. */
export interface Chord {
	readonly key: string;
	readonly mods: number;
}

const order = [
	["ctrl", modifier.ctrl],
	["shift", modifier.shift],
	["alt", modifier.alt],
	["super", modifier.super],
] as const;

const bits: ReadonlyMap<string, number> = new Map(order);

/** `ctrl+shift+left`: one notation for each chord. */
export function spell({ key, mods }: Chord): string {
	let id = "";
	for (const [name, bit] of order) if (mods & bit) id += `${name}+`;
	return id + key;
}

const read = new Map<string, Chord | undefined>();

/** The chord of an id, in any order and case; undefined when it is invalid. */
export function readKeyId(id: string): Chord | undefined {
	if (read.has(id)) return read.get(id);
	if (read.size >= limits.parsedKeyIds) read.clear();
	const chord = parseKeyId(id);
	read.set(id, chord);
	return chord;
}

function parseKeyId(id: string): Chord | undefined {
	let mods = 0;
	let rest = id;
	for (;;) {
		// The plus key itself ends an id: `+`, `ctrl++`.
		const plus = rest.indexOf("+");
		if (plus <= 0 || plus === rest.length - 1) break;
		const bit = bits.get(rest.slice(0, plus).toLowerCase());
		if (bit === undefined) return undefined;
		mods |= bit;
		rest = rest.slice(plus + 1);
	}
	const lower = rest.toLowerCase();
	const key = special.get(lower) ?? (/^(?:\S|f(?:[1-9]|[12]\d|3[0-5]))$/u.test(lower) ? lower : undefined);
	return key === undefined ? undefined : { key, mods };
}

const special: ReadonlyMap<string, string> = new Map([
	..."escape enter tab space backspace delete insert clear home end up down left right"
		.split(" ")
		.map((name): [string, string] => [name, name]),
	["esc", "escape"],
	["return", "enter"],
	["pageup", "pageUp"],
	["pagedown", "pageDown"],
]);

const held =
	<M extends string>(mods: M) =>
	<K extends BaseKey>(key: K): `${M}+${K}` =>
		`${mods}+${key}`;

/** Builds key ids with completion and without typing errors: `Key.ctrl("c")`, `Key.pageUp`. */
export const Key = {
	escape: "escape",
	esc: "esc",
	enter: "enter",
	return: "return",
	tab: "tab",
	space: "space",
	backspace: "backspace",
	delete: "delete",
	insert: "insert",
	clear: "clear",
	home: "home",
	end: "end",
	pageUp: "pageUp",
	pageDown: "pageDown",
	up: "up",
	down: "down",
	left: "left",
	right: "right",
	f1: "f1",
	f2: "f2",
	f3: "f3",
	f4: "f4",
	f5: "f5",
	f6: "f6",
	f7: "f7",
	f8: "f8",
	f9: "f9",
	f10: "f10",
	f11: "f11",
	f12: "f12",
	backtick: "`",
	hyphen: "-",
	equals: "=",
	leftbracket: "[",
	rightbracket: "]",
	backslash: "\\",
	semicolon: ";",
	quote: "'",
	comma: ",",
	period: ".",
	slash: "/",
	exclamation: "!",
	at: "@",
	hash: "#",
	dollar: "$",
	percent: "%",
	caret: "^",
	ampersand: "&",
	asterisk: "*",
	leftparen: "(",
	rightparen: ")",
	underscore: "_",
	plus: "+",
	pipe: "|",
	tilde: "~",
	leftbrace: "{",
	rightbrace: "}",
	colon: ":",
	lessthan: "<",
	greaterthan: ">",
	question: "?",
	ctrl: held("ctrl"),
	shift: held("shift"),
	alt: held("alt"),
	super: held("super"),
	ctrlShift: held("ctrl+shift"),
	shiftCtrl: held("shift+ctrl"),
	ctrlAlt: held("ctrl+alt"),
	altCtrl: held("alt+ctrl"),
	shiftAlt: held("shift+alt"),
	altShift: held("alt+shift"),
	ctrlSuper: held("ctrl+super"),
	superCtrl: held("super+ctrl"),
	shiftSuper: held("shift+super"),
	superShift: held("super+shift"),
	altSuper: held("alt+super"),
	superAlt: held("super+alt"),
	ctrlShiftAlt: held("ctrl+shift+alt"),
	ctrlShiftSuper: held("ctrl+shift+super"),
} as const;
