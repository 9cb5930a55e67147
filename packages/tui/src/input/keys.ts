/** Questions of components about input: which key is it, was it released, what does it type. */
import { decodeKey } from "./decode-key.ts";
import { readKeyId, spell, type KeyId } from "./key-id.ts";

export type { KeyEventType } from "./decode-key.ts";
export { Key, type KeyId } from "./key-id.ts";

let kittyActive = false;

/** Set once the terminal has answered; the parser itself understands all forms at any time. */
export function setKittyProtocolActive(active: boolean): void {
	kittyActive = active;
}

export function isKittyProtocolActive(): boolean {
	return kittyActive;
}

/** True if the sequence is this key, in any form that a terminal may send. */
export function matchesKey(data: string, keyId: KeyId): boolean {
	const chord = readKeyId(keyId);
	if (chord === undefined) return false;
	const chords = decodeKey(data)?.chords ?? [];
	return chords.some(({ key, mods }) => key === chord.key && mods === chord.mods);
}

/** The id of the key, such as `ctrl+shift+left`, or undefined if it is not a key. */
export function parseKey(data: string): string | undefined {
	const chord = decodeKey(data)?.chords[0];
	return chord === undefined ? undefined : spell(chord);
}

export function isKeyRelease(data: string): boolean {
	return decodeKey(data)?.event === "release";
}

/** The window got the focus or lost it; sent only to programs that ask for it. */
export function isFocusReport(data: string): boolean {
	return data === "\u001B[I" || data === "\u001B[O";
}

export function isKeyRepeat(data: string): boolean {
	return decodeKey(data)?.event === "repeat";
}

/** The text of a CSI u sequence; undefined with Ctrl, Alt or Super held. */
export function decodeKittyPrintable(data: string): string | undefined {
	return data.endsWith("u") ? decodePrintableKey(data) : undefined;
}

/** The text of an escape sequence: kitty protocol, modifyOtherKeys or a keypad. */
export function decodePrintableKey(data: string): string | undefined {
	return data.startsWith("\x1b") ? decodeKey(data)?.text : undefined;
}
