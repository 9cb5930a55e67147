/** The facts about terminals: which bytes and numbers mean which key. */
import { modifier, type Chord } from "./key-id.ts";

const { ctrl, shift } = modifier;

const held = (...keys: string[]): Chord[] => keys.map((key) => ({ key, mods: ctrl }));
const plain = (key: string): Chord => ({ key, mods: 0 });

/** Bytes below the printable ones. Several chords share a byte; the first is the usual one. */
export const controlKeys: ReadonlyMap<number, readonly Chord[]> = new Map([
	[0x00, held("space", "@", "2")],
	[0x08, [plain("backspace"), ...held("h")]],
	[0x09, [plain("tab"), ...held("i")]],
	[0x0d, [plain("enter"), ...held("m")]],
	[0x1b, [plain("escape"), ...held("[")]],
	[0x1c, held("\\", "4")],
	[0x1d, held("]", "5")],
	[0x1e, held("^", "6")],
	[0x1f, held("-", "_", "/", "7")],
	[0x7f, [plain("backspace")]],
]);

/** The last letter of CSI and SS3 sequences. */
export const letterKeys: ReadonlyMap<string, string> = new Map([
	["A", "up"],
	["B", "down"],
	["C", "right"],
	["D", "left"],
	["E", "clear"],
	["F", "end"],
	["H", "home"],
	["P", "f1"],
	["Q", "f2"],
	["R", "f3"],
	["S", "f4"],
]);

/** CSI number ~: the editing keys of the VT220 and the same keys in rxvt and the Linux console, then F1 to F20. */
export const tildeKeys: ReadonlyMap<number, string> = new Map([
	[1, "home"],
	[2, "insert"],
	[3, "delete"],
	[4, "end"],
	[5, "pageUp"],
	[6, "pageDown"],
	[7, "home"],
	[8, "end"],
	[57427, "clear"],
	...[11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34].map(
		(code, index): [number, string] => [code, `f${index + 1}`],
	),
]);

/** rxvt encodes modifiers in the last character instead of a number. */
export const rxvtEndings: ReadonlyMap<string, number> = new Map([
	["^", ctrl],
	["$", shift],
	["@", ctrl | shift],
	...["a", "b", "c", "d"].map((letter): [string, number] => [letter, shift]),
]);

export const linuxConsole: ReadonlyMap<string, string> = new Map(
	["A", "B", "C", "D", "E"].map((letter, index) => [`[${letter}`, `f${index + 1}`]),
);

/** SS3 letters of a keypad in application mode. */
export const keypadSs3: ReadonlyMap<string, string> = new Map([
	["M", "enter"],
	["I", "tab"],
	[" ", "space"],
	["X", "="],
	...[..."*+,-./0123456789"].map((key, index): [string, string] => [
		String.fromCharCode("j".charCodeAt(0) + index),
		key,
	]),
]);

/** Numbers of the kitty protocol for keys that are not characters, and for the keypad. */
export const functionalKeys: ReadonlyMap<number, string> = new Map([
	[8, "backspace"],
	[9, "tab"],
	[13, "enter"],
	[27, "escape"],
	[32, "space"],
	[127, "backspace"],
	...Array.from({ length: 23 }, (_, index): [number, string] => [57376 + index, `f${index + 13}`]),
	...[..."0123456789./*-+"].map((key, index): [number, string] => [57399 + index, key]),
	[57414, "enter"],
	[57415, "="],
	[57416, ","],
	[57417, "left"],
	[57418, "right"],
	[57419, "up"],
	[57420, "down"],
	[57421, "pageUp"],
	[57422, "pageDown"],
	[57423, "home"],
	[57424, "end"],
	[57425, "insert"],
	[57426, "delete"],
	[57427, "clear"],
]);
