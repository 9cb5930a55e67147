/** What components ask about input: which key is it, was it let go, what does it type. */
import { decodeKey } from "./decode-key.ts";
import { readKeyId, spell, type KeyId } from "./key-id.ts";

export type { KeyEventType } from "./decode-key.ts";
export { Key, type KeyId } from "./key-id.ts";

let kittyActive = false;

/** The terminal says so once it has answered; the parser itself understands all forms at any time. */
export function setKittyProtocolActive(active: boolean): void {
	kittyActive = active;
}

export function isKittyProtocolActive(): boolean {
	return kittyActive;
}

/** Whether the sequence is this key, in any form that a terminal may send it. */
export function matchesKey(data: string, keyId: KeyId): boolean {
	const wanted = readKeyId(keyId);
	if (wanted === undefined) return false;
	const chords = decodeKey(data)?.chords ?? [];
	return chords.some(({ key, mods }) => key === wanted.key && mods === wanted.mods);
}

/** The id of the key, `ctrl+shift+left`, or nothing for what is no key. */
export function parseKey(data: string): string | undefined {
	const chord = decodeKey(data)?.chords[0];
	return chord === undefined ? undefined : spell(chord);
}

export function isKeyRelease(data: string): boolean {
	return decodeKey(data)?.event === "release";
}

export function isKeyRepeat(data: string): boolean {
	return decodeKey(data)?.event === "repeat";
}

/** What a CSI u sequence types; nothing with Ctrl, Alt or Super held. */
export function decodeKittyPrintable(data: string): string | undefined {
	return data.endsWith("u") ? decodePrintableKey(data) : undefined;
}

/** What an escape sequence types, of the kitty protocol, modifyOtherKeys or a keypad. */
export function decodePrintableKey(data: string): string | undefined {
	return data.startsWith("\x1b") ? decodeKey(data)?.text : undefined;
}
