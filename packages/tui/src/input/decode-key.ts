/** Parses one complete terminal sequence as a key: legacy, kitty and modifyOtherKeys forms. */
import { modifier, type Chord } from "./key-id.ts";
import {
	controlKeys,
	functionalKeys,
	keypadSs3,
	letterKeys,
	linuxConsole,
	rxvtEndings,
	tildeKeys,
} from "./key-tables.ts";

export type KeyEventType = "press" | "repeat" | "release";

export interface DecodedKey {
	/** The possible meanings of the sequence, the usual one first; empty for a key without a name. */
	readonly chords: readonly Chord[];
	readonly event: KeyEventType;
	/** The text that it types. */
	readonly text?: string;
}

const { shift, alt, ctrl } = modifier;
const CAPS_LOCK = 64;
/** Caps lock and num lock do not change shortcuts. */
const LOCKS = 64 | 128;
const KNOWN = 1 | 2 | 4 | 8;

let last: { data: string; key: DecodedKey | undefined } = { data: "", key: undefined };

/** Undefined for input that is not a key: replies, mouse reports, pastes, torn sequences, more than one character. */
export function decodeKey(data: string): DecodedKey | undefined {
	// Every binding checks the same sequence in turn.
	if (data !== last.data) last = { data, key: decode(data) };
	return last.key;
}

function decode(data: string): DecodedKey | undefined {
	if (data === "") return undefined;
	if (!data.startsWith("\x1b") || data.length === 1) return isOneCharacter(data) ? rawKey(data) : undefined;
	const rest = data.slice(1);
	if (rest.startsWith("[") && rest.length > 1) return csiKey(rest.slice(1));
	if (rest.startsWith("O") && rest.length > 1) return ss3Key(rest.slice(1));
	if (rest.startsWith("\x1b") && rest.length > 1) return withAlt(decode(rest));
	return isOneCharacter(rest) ? withAlt(rawKey(rest)) : undefined;
}

function isOneCharacter(text: string): boolean {
	return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}

function press(chords: readonly Chord[], text?: string): DecodedKey {
	return text === undefined ? { chords, event: "press" } : { chords, event: "press", text };
}

function withAlt(key: DecodedKey | undefined): DecodedKey | undefined {
	if (key === undefined) return undefined;
	return press(key.chords.map(({ key: name, mods }) => ({ key: name, mods: mods | alt })));
}

function rawKey(character: string): DecodedKey | undefined {
	const code = character.codePointAt(0) ?? 0;
	const chords = controlKeys.get(code);
	if (chords !== undefined) return press(chords);
	if (code < 0x20) return press([{ key: String.fromCharCode(code + 0x60), mods: ctrl }]);
	if (code >= 0x7f && code < 0xa0) return undefined;
	return press(chordsOf(code, 0), character);
}

/** The chords for a character that the terminal reports itself, upper case or lower. */
function chordsOf(code: number, mods: number): Chord[] {
	if (code === 0x20) return [{ key: "space", mods }];
	const character = String.fromCodePoint(code);
	const lower = character.toLowerCase();
	if (lower !== character && isOneCharacter(lower)) return [{ key: lower, mods: mods | shift }];
	// A shifted symbol is that symbol; whether Shift matters depends on the layout.
	if (mods & shift && !/\p{L}/u.test(character)) {
		return [
			{ key: character, mods: mods & ~shift },
			{ key: character, mods },
		];
	}
	return [{ key: character, mods }];
}

const csiForm = /^(?:(\d+)(?::(\d*))?(?::(\d*))?)?(?:;(\d*)(?::(\d*))?)?(?:;([\d:]*))?([A-HP-SZa-d~^$@u])$/;

function csiKey(body: string): DecodedKey | undefined {
	const console = linuxConsole.get(body);
	if (console !== undefined) return press([{ key: console, mods: 0 }]);
	const form = csiForm.exec(body);
	if (form === null) return undefined;
	const [, code = "", shifted = "", base = "", held = "", event = "", rest = "", ending = ""] = form;
	const mods = modifiersOf(held);
	if (mods === undefined) return undefined;
	if (ending === "u") return kittyKey({ code: Number(code), shifted, base, mods, event, text: rest });
	if (ending === "~" && code === "27" && rest !== "") return otherKey(Number(rest), mods);
	const key = ending === "~" ? tildeKeys.get(Number(code)) : undefined;
	if (key !== undefined) return named(key, mods, event);
	const rxvt = rxvtEndings.get(ending);
	if (rxvt !== undefined) return rxvtKey(ending, Number(code), rxvt);
	return ending === "~" ? undefined : letterKey(ending, code, held, mods, event);
}

/** `undefined` for Hyper and Meta, which no id has: such a key must neither type nor match without them. */
function modifiersOf(held: string): number | undefined {
	const value = Math.max(0, Number(held === "" ? 1 : held) - 1);
	return (value & ~(KNOWN | LOCKS)) === 0 ? value : undefined;
}

function named(key: string, mods: number, event: string): DecodedKey {
	return { chords: [{ key, mods: mods & KNOWN }], event: eventOf(event) };
}

function eventOf(event: string): KeyEventType {
	if (event === "3") return "release";
	return event === "2" ? "repeat" : "press";
}

function rxvtKey(ending: string, code: number, mods: number): DecodedKey | undefined {
	const key = letterKeys.get(ending.toUpperCase()) ?? tildeKeys.get(code);
	return key === undefined ? undefined : press([{ key, mods }]);
}

function letterKey(
	ending: string,
	code: string,
	held: string,
	mods: number,
	event: string,
): DecodedKey | undefined {
	if (ending === "Z") return press([{ key: "tab", mods: (mods & KNOWN) | shift }]);
	const key = letterKeys.get(ending);
	if (key === undefined) return undefined;
	if (code === "" || code === "1") return named(key, mods, event);
	// Old terminals omit the 1: CSI 5 C. A second number there is a cursor report, not a key.
	const alone = held === "" ? modifiersOf(code) : undefined;
	return alone === undefined ? undefined : named(key, alone, event);
}

function ss3Key(body: string): DecodedKey | undefined {
	const [, held = "", ending = ""] = /^(?:(?:1;)?(\d{1,2}))?(.)$/.exec(body) ?? [];
	const mods = modifiersOf(held);
	if (mods === undefined || ending === "") return undefined;
	const key = letterKeys.get(ending);
	if (key !== undefined) return named(key, mods, "");
	// rxvt: Ctrl with an arrow.
	if (/[a-d]/.test(ending)) return rxvtKey(ending, 0, ctrl);
	const keypad = keypadSs3.get(ending);
	if (keypad === undefined) return undefined;
	return keypad.length > 1 ? named(keypad, mods, "") : press([{ key: keypad, mods: 0 }], keypad);
}

interface KittyForm {
	code: number;
	shifted: string;
	base: string;
	mods: number;
	event: string;
	text: string;
}

function kittyKey(form: KittyForm): DecodedKey | undefined {
	const chords = kittyChords(form);
	const text = kittyText(form);
	if (chords.length === 0 && text === undefined) return undefined;
	const event = eventOf(form.event);
	return text === undefined || event === "release" ? { chords, event } : { chords, event, text };
}

function kittyChords({ code, shifted, base, mods: all }: KittyForm): Chord[] {
	const mods = all & KNOWN;
	const key = functionalKeys.get(code);
	if (key !== undefined) return [{ key, mods }];
	if (!isPrintable(code)) return [];
	const above = Number(shifted);
	// If both levels of a key are reported, the first is the one without Shift.
	const chords =
		shifted === "" ? chordsOf(code, mods) : [{ key: String.fromCodePoint(code).toLowerCase(), mods }];
	// Ctrl+Shift+- is also Ctrl+_.
	if (mods & shift && isPrintable(above) && above !== code && !/\p{L}/u.test(String.fromCodePoint(above))) {
		const symbol = { key: String.fromCodePoint(above), mods: mods & ~shift };
		if (mods === shift) chords.unshift(symbol);
		else chords.push(symbol);
	}
	// On a layout without Latin letters, a shortcut is at its position on the usual one. A Latin layout keeps its
	// own.
	const place = Number(base);
	if (code > 0x7f && isPrintable(place) && place < 0x7f) {
		const usual = chordsOf(place, mods);
		if (mods & ~shift) chords.unshift(...usual);
		else chords.push(...usual);
	}
	return chords;
}

function kittyText({ code, shifted, mods, text }: KittyForm): string | undefined {
	const held = mods & KNOWN & ~shift;
	if (held !== 0) return undefined;
	const typed = text.split(":").map(Number).filter(isPrintable);
	if (typed.length > 0) return String.fromCodePoint(...typed);
	const keypad = functionalKeys.get(code);
	if (keypad !== undefined) return keypad.length === 1 ? keypad : keypad === "space" ? " " : undefined;
	if (!isPrintable(code)) return undefined;
	const isUp = (mods & shift) !== 0;
	if (isUp && isPrintable(Number(shifted))) return String.fromCodePoint(Number(shifted));
	const character = String.fromCodePoint(code);
	return isUp !== ((mods & CAPS_LOCK) !== 0) ? character.toUpperCase() : character;
}

/** Private-use codes are keys without text, such as Shift by itself. */
function isPrintable(code: number): boolean {
	if (!Number.isInteger(code) || code < 0x20 || code > 0x10ffff) return false;
	if (code >= 0x7f && code < 0xa0) return false;
	return (code < 0xd800 || code > 0xdfff) && (code < 57344 || code > 63743);
}

/** CSI 27 ; modifiers ; code ~ */
function otherKey(code: number, all: number): DecodedKey | undefined {
	const mods = all & KNOWN;
	const types = (mods & ~shift) === 0;
	const key = functionalKeys.get(code);
	if (key !== undefined) return press([{ key, mods }], key === "space" && types ? " " : undefined);
	if (!isPrintable(code)) return undefined;
	return press(chordsOf(code, mods), types ? String.fromCodePoint(code) : undefined);
}
