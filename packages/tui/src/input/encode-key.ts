/** Sends a key on to a program in another terminal: whatever form the user's terminal reports, the program gets xterm's. */
import { decodeKey } from "./decode-key.ts";
import { modifier, type Chord } from "./key-id.ts";
import { controlKeys, letterKeys, tildeKeys } from "./key-tables.ts";

export interface KeyModes {
	/** The program reads SS3 sequences for the arrow keys, Home and End. */
	readonly applicationCursor: boolean;
}

const { shift, alt, ctrl } = modifier;

/** Undefined for what a program does not get: releases, replies of the terminal, mouse reports. */
export function encodeKey(data: string, { applicationCursor }: KeyModes): string | undefined {
	// Ctrl+H and Backspace are one byte in some terminals and two in others.
	if (data.length === 1) return data;
	const decoded = decodeKey(data);
	if (decoded?.event === "release") return undefined;
	if (decoded?.text !== undefined) return decoded.text;
	// Several characters at once, as from a terminal that does not mark what is pasted.
	if (decoded === undefined) return data.startsWith("\x1b") ? undefined : data;
	const [chord] = decoded.chords;
	return chord && (namedKey(chord, applicationCursor) ?? characterKey(chord));
}

/** The codes that xterm sends; the tables have those of other terminals, too. */
const letters = new Map([...letterKeys].map(([letter, key]) => [key, letter]));
const numbers = new Map(
	[...tildeKeys].filter(([code]) => code > 1 && code !== 4 && code < 50).map(([code, key]) => [key, code]),
);
const simple: ReadonlyMap<string, string> = new Map([
	["enter", "\r"],
	["escape", "\x1b"],
	["backspace", "\x7f"],
]);

function namedKey({ key, mods }: Chord, applicationCursor: boolean): string | undefined {
	const held = mods & (shift | alt | ctrl);
	const prefix = mods & alt ? "\x1b" : "";
	if (key === "tab") return prefix + (mods & shift ? "\x1b[Z" : "\t");
	if (key === "backspace" && mods & ctrl) return `${prefix}\b`;
	const bytes = simple.get(key);
	if (bytes !== undefined) return prefix + bytes;
	const letter = letters.get(key);
	if (letter !== undefined) {
		if (held !== 0) return `\x1b[1;${held + 1}${letter}`;
		return /^[PQRS]$/.test(letter) || applicationCursor ? `\x1bO${letter}` : `\x1b[${letter}`;
	}
	const number = numbers.get(key);
	return number === undefined ? undefined : `\x1b[${number}${held === 0 ? "" : `;${held + 1}`}~`;
}

/** The byte of each character that Ctrl changes, other than letters. */
const controls = new Map(
	[...controlKeys].flatMap(([code, chords]) =>
		chords
			.filter(({ mods }) => mods === ctrl)
			.map(({ key }): [string, string] => [key, String.fromCharCode(code)]),
	),
);

function characterKey({ key, mods }: Chord): string | undefined {
	const character = key === "space" ? " " : key;
	if ([...character].length !== 1) return undefined;
	const prefix = mods & alt ? "\x1b" : "";
	if (!(mods & ctrl)) return prefix + (mods & shift ? character.toUpperCase() : character);
	if (/^[a-z]$/.test(character)) return prefix + String.fromCharCode(character.charCodeAt(0) - 0x60);
	return prefix + (controls.get(key) ?? character);
}
