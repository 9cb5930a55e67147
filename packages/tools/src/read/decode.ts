/** Distinguishes text from binary, and decodes it. */
import { limits as shared } from "../tool/limits.ts";

export interface Decoded {
	/** The text without a byte order mark. */
	text: string;
	/** Properties of the file's encoding that the text does not show; absent for plain UTF-8. */
	note?: string;
}

export type Utf16 = "utf-16le" | "utf-16be";

/** Detects the encoding by its byte order mark; a four-byte mark is UTF-32, which is not used in practice. */
export function utf16Of(head: Uint8Array): Utf16 | undefined {
	const [first, second, third, fourth] = head;
	if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? undefined : "utf-16le";
	return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

export function isBinary(head: Uint8Array): boolean {
	return utf16Of(head) === undefined && head.subarray(0, shared.binaryProbeBytes).includes(0);
}

export function decodeText(bytes: Uint8Array): Decoded {
	const utf16 = utf16Of(bytes);
	if (utf16) {
		const note = `decoded from ${utf16.toUpperCase()}; edit and write support UTF-8 only`;
		return { text: new TextDecoder(utf16).decode(bytes), note };
	}
	try {
		return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
	} catch {
		// The decoder's error has no details.
		const note = "not valid UTF-8 throughout: \ufffd stands for invalid bytes";
		return { text: new TextDecoder().decode(bytes), note };
	}
}
