/** Every sequence that terminals send is one key, wherever it is split. */
import { describe, expect, test } from "bun:test";

import {
	decodeKittyPrintable,
	decodePrintableKey,
	isKeyRelease,
	isKeyRepeat,
	Key,
	matchesKey,
	parseKey,
	type KeyId,
} from "./keys.ts";
import { StdinBuffer } from "./stdin-buffer.ts";

const modifiers = [
	"",
	"shift+",
	"alt+",
	"shift+alt+",
	"ctrl+",
	"ctrl+shift+",
	"ctrl+alt+",
	"ctrl+shift+alt+",
];
const editingKeys = {
	1: "home",
	2: "insert",
	3: "delete",
	4: "end",
	5: "pageUp",
	6: "pageDown",
	7: "home",
	8: "end",
};
const functionKeys = Object.fromEntries(
	[11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26].map((code, index) => [code, `f${index + 1}`]),
);

/** [sequence, id] */
const table: [string, string][] = [
	// One byte.
	["a", "a"],
	["Z", "shift+z"],
	["7", "7"],
	["!", "!"],
	["é", "é"],
	["世", "世"],
	["🎉", "🎉"],
	[" ", "space"],
	["\r", "enter"],
	["\n", "ctrl+j"],
	["\t", "tab"],
	["\x7f", "backspace"],
	["\b", "backspace"],
	["\x00", "ctrl+space"],
	["\x1c", "ctrl+\\"],
	["\x1d", "ctrl+]"],
	["\x1e", "ctrl+^"],
	["\x1f", "ctrl+-"],
	...[..."abcdefgklnopqrstuvwxyz"].map((letter): [string, string] => [
		String.fromCharCode(letter.charCodeAt(0) - 0x60),
		`ctrl+${letter}`,
	]),
	// Alt as ESC.
	["\x1bb", "alt+b"],
	["\x1bB", "shift+alt+b"],
	["\x1b1", "alt+1"],
	["\x1b.", "alt+."],
	["\x1b ", "alt+space"],
	["\x1b\r", "alt+enter"],
	["\x1b\t", "alt+tab"],
	["\x1b\x7f", "alt+backspace"],
	["\x1b\x01", "ctrl+alt+a"],
	["\x1b\x1d", "ctrl+alt+]"],
	["\x1b\x1f", "ctrl+alt+-"],
	["\x1bé", "alt+é"],
	// xterm and the VTs: cursor keys in both modes, editing keys, function keys.
	...Object.entries({ A: "up", B: "down", C: "right", D: "left", E: "clear", F: "end", H: "home" }).flatMap(
		([letter, key]): [string, string][] => [
			[`\x1b[${letter}`, key],
			[`\x1bO${letter}`, key],
			...modifiers.map((held, bits): [string, string] => [`\x1b[1;${bits + 1}${letter}`, held + key]),
		],
	),
	...Object.entries({ ...editingKeys, ...functionKeys }).flatMap(([code, key]): [string, string][] => [
		[`\x1b[${code}~`, key],
		...modifiers.map((held, bits): [string, string] => [`\x1b[${code};${bits + 1}~`, held + key]),
	]),
	...[..."PQRS"].flatMap((letter, index): [string, string][] => [
		[`\x1bO${letter}`, `f${index + 1}`],
		[`\x1b[${letter}`, `f${index + 1}`],
		[`\x1b[1;5${letter}`, `ctrl+f${index + 1}`],
		[`\x1bO5${letter}`, `ctrl+f${index + 1}`],
		[`\x1bO1;2${letter}`, `shift+f${index + 1}`],
	]),
	["\x1b[Z", "shift+tab"],
	["\x1b[1;5Z", "ctrl+shift+tab"],
	["\x1b[5C", "ctrl+right"],
	["\x1b[5D", "ctrl+left"],
	// rxvt.
	...[..."abcd"].flatMap((letter, index): [string, string][] => {
		const key = ["up", "down", "right", "left"][index]!;
		return [
			[`\x1b[${letter}`, `shift+${key}`],
			[`\x1bO${letter}`, `ctrl+${key}`],
			[`\x1b\x1b[${letter.toUpperCase()}`, `alt+${key}`],
			[`\x1b\x1bO${letter.toUpperCase()}`, `alt+${key}`],
		];
	}),
	["\x1b[3^", "ctrl+delete"],
	["\x1b[3$", "shift+delete"],
	["\x1b[3@", "ctrl+shift+delete"],
	["\x1b[7$", "shift+home"],
	["\x1b[11^", "ctrl+f1"],
	["\x1b\x1b[3~", "alt+delete"],
	// The Linux console.
	...[..."ABCDE"].map((letter, index): [string, string] => [`\x1b[[${letter}`, `f${index + 1}`]),
	// A keypad in application mode.
	["\x1bOM", "enter"],
	["\x1bOp", "0"],
	["\x1bOy", "9"],
	["\x1bOk", "+"],
	["\x1bOX", "="],
	// modifyOtherKeys.
	["\x1b[27;5;99~", "ctrl+c"],
	["\x1b[27;6;80~", "ctrl+shift+p"],
	["\x1b[27;5;13~", "ctrl+enter"],
	["\x1b[27;2;13~", "shift+enter"],
	["\x1b[27;3;127~", "alt+backspace"],
	["\x1b[27;5;32~", "ctrl+space"],
	["\x1b[27;2;33~", "!"],
	["\x1b[27;2;65~", "shift+a"],
	// CSI u, as kitty and tmux write it.
	["\x1b[97u", "a"],
	["\x1b[97;5u", "ctrl+a"],
	["\x1b[99;5u", "ctrl+c"],
	["\x1b[80;6u", "ctrl+shift+p"],
	["\x1b[112:80;6u", "ctrl+shift+p"],
	["\x1b[97:65;2u", "shift+a"],
	["\x1b[97:65;2;65u", "shift+a"],
	["\x1b[49:33;2u", "!"],
	["\x1b[45:95;6u", "ctrl+shift+-"],
	["\x1b[1089::99;5u", "ctrl+c"],
	["\x1b[1089::99;1u", "с"],
	["\x1b[1057:1057:99;6u", "ctrl+shift+c"],
	["\x1b[13;2u", "shift+enter"],
	["\x1b[13;3u", "alt+enter"],
	["\x1b[9;5u", "ctrl+tab"],
	["\x1b[27u", "escape"],
	["\x1b[127;5u", "ctrl+backspace"],
	["\x1b[32;5u", "ctrl+space"],
	["\x1b[107;9u", "super+k"],
	["\x1b[107;13u", "ctrl+super+k"],
	["\x1b[99;69u", "ctrl+c"],
	["\x1b[99;133u", "ctrl+c"],
	["\x1b[99;5:2u", "ctrl+c"],
	["\x1b[99;5:3u", "ctrl+c"],
	["\x1b[1;1:3A", "up"],
	["\x1b[3;5:2~", "ctrl+delete"],
	["\x1b[57399u", "0"],
	["\x1b[57413u", "+"],
	["\x1b[57414u", "enter"],
	["\x1b[57417;5u", "ctrl+left"],
	["\x1b[57427u", "clear"],
	["\x1b[57427~", "clear"],
	["\x1b[57376u", "f13"],
	["\x1b[57398u", "f35"],
];

/** Complete sequences that are not keys. */
const others = [
	"\x1b[I",
	"\x1b[O",
	"\x1b[<35;20;5m",
	"\x1b[M !!",
	"\x1b[?62;22c",
	"\x1b[?0u",
	"\x1b[?2026;2$y",
	"\x1b[?997;1n",
	"\x1b[24;80R",
	"\x1b[8;24;80t",
	"\x1b]11;rgb:1e1e/1e1e/1e1e\x07",
	"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
	"\x1bP>|XTerm(390)\x1b\\",
	"\x1b_Gi=31;OK\x1b\\",
	"\x1b[57441;2u",
	"\x1b[57358u",
	"\x1b[97;33u",
	"\x1b[97;17u",
];

/** The chunks as stdin delivers them: bytes. */
function keysOf(bytes: Uint8Array, cuts: number[]): string[] {
	using buffer = new StdinBuffer();
	const out: string[] = [];
	buffer.on("data", (sequence) => out.push(sequence));
	buffer.on("paste", (text) => out.push(`paste ${text}`));
	let from = 0;
	for (const cut of [...cuts, bytes.length]) {
		buffer.process(bytes.subarray(from, cut));
		from = cut;
	}
	buffer.flush();
	return out;
}

test.each(table)("%j is %s", (sequence, id) => {
	expect(parseKey(sequence)).toBe(id);
	expect(matchesKey(sequence, id as KeyId)).toBe(true);
	expect(matchesKey(sequence, (id.startsWith("ctrl+") ? id.slice(5) : `ctrl+${id}`) as KeyId)).toBe(false);
});

test.each(others)("%j is complete and not a key", (sequence) => {
	expect(parseKey(sequence)).toBeUndefined();
	expect(decodePrintableKey(sequence)).toBeUndefined();
});

test("a sequence is the same wherever it is split, with keys before and after it", () => {
	for (const sequence of [...table.map(([first]) => first), ...others]) {
		const bytes = Buffer.from(`x${sequence}\x1b[A`);
		const whole = keysOf(bytes, []);
		expect(whole).toEqual(["x", sequence, "\x1b[A"]);
		for (let cut = 1; cut < bytes.length; cut++) expect(keysOf(bytes, [cut])).toEqual(whole);
		expect(keysOf(bytes, [...bytes.keys()].slice(1))).toEqual(whole);
	}
});

describe("a key that several chords share", () => {
	test.each([
		["\x1b", ["escape", "esc", "ctrl+["]],
		["\r", ["enter", "return", "ctrl+m"]],
		["\t", ["tab", "ctrl+i"]],
		["\b", ["backspace", "ctrl+h"]],
		["\x1f", ["ctrl+-", "ctrl+_", "ctrl+/"]],
		["\x1b[45:95;6u", ["ctrl+shift+-", "shift+ctrl+-", "ctrl+_"]],
		["\x1b[49:33;2u", ["!", "shift+1"]],
		["\x1b[27;2;33~", ["!", "shift+!"]],
	] as [string, KeyId[]][])("%j matches all of %j", (sequence, ids) => {
		for (const id of ids) expect([id, matchesKey(sequence, id)]).toEqual([id, true]);
	});
});

test("a remapped Latin layout keeps its own shortcuts", () => {
	// Dvorak: the key where C is on QWERTY types J.
	expect(matchesKey("\x1b[106::99;5u", "ctrl+j")).toBe(true);
	expect(matchesKey("\x1b[106::99;5u", "ctrl+c")).toBe(false);
});

test("ids may have their modifiers in any order and case, and invalid ids match nothing", () => {
	expect(matchesKey("\x1b[112;6u", "shift+ctrl+p")).toBe(true);
	expect(matchesKey("\x1b[5;5~", "Ctrl+PageUp" as KeyId)).toBe(true);
	expect(matchesKey("+", "+")).toBe(true);
	expect(matchesKey("\x1b[43;5u", "ctrl++")).toBe(true);
	for (const id of ["", "ctrl+", "hyper+a", "banana", "ctrl+banana", "f99"]) {
		expect(matchesKey("a", id as KeyId)).toBe(false);
	}
});

test("release and repeat are distinguished from press", () => {
	for (const data of ["\x1b[97;1:3u", "\x1b[1;1:3A", "\x1b[3;1:3~"]) expect(isKeyRelease(data)).toBe(true);
	for (const data of ["\x1b[97u", "a", "\x1b[200~:3u"]) expect(isKeyRelease(data)).toBe(false);
	expect([isKeyRepeat("\x1b[97;1:2u"), isKeyRepeat("\x1b[97;1:1u")]).toEqual([true, false]);
});

test.each([
	["\x1b[97u", "a"],
	["\x1b[97;2u", "A"],
	["\x1b[97:65;2u", "A"],
	["\x1b[49:33;2u", "!"],
	["\x1b[97;65u", "A"],
	["\x1b[97;66u", "a"],
	["\x1b[32u", " "],
	["\x1b[57400u", "1"],
	["\x1b[1089::99;1u", "с"],
	["\x1b[0;;229u", "å"],
	["\x1b[97;;101:769u", "e\u0301"],
	["\x1b[97;5u", undefined],
	["\x1b[97;3u", undefined],
	["\x1b[13u", undefined],
	["\x1b[27u", undefined],
	["\x1b[57441u", undefined],
	["\x1b[97;1:3u", undefined],
	["\x1b[1;2A", undefined],
	["a", undefined],
])("%j types %j", (sequence, text) => {
	expect(decodeKittyPrintable(sequence)).toBe(text);
});

test("modifyOtherKeys and keypads type too", () => {
	expect(decodePrintableKey("\x1b[27;2;65~")).toBe("A");
	expect(decodePrintableKey("\x1b[27;2;32~")).toBe(" ");
	expect(decodePrintableKey("\x1b[27;5;65~")).toBeUndefined();
	expect(decodePrintableKey("\x1bOp")).toBe("0");
	expect(decodePrintableKey("\x1bOM")).toBeUndefined();
});

test("Key builds the names that the parser returns", () => {
	expect<string>(Key.ctrlShift("left")).toBe(parseKey("\x1b[1;6D")!);
	expect<string>(Key.alt("backspace")).toBe(parseKey("\x1b\x7f")!);
	expect<string>(Key.pageUp).toBe(parseKey("\x1b[5~")!);
});
