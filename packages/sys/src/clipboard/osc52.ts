/** The sequence that asks the terminal itself to copy; the only way that works over ssh. */
import type { Env } from "@tau/utils";
import { limits } from "../limits.ts";

/** The text to write to the terminal; undefined when the text is longer than terminals accept. */
export function osc52Copy(text: string, env: Env = process.env): string | undefined {
	const encoded = Buffer.from(text).toString("base64");
	if (encoded.length > limits.osc52Chars) return undefined;
	const sequence = `\x1b]52;c;${encoded}\x07`;
	// GNU screen discards unknown sequences unless they are wrapped, and accepts them in chunks only.
	if (!env["STY"]) return sequence;
	const pieces = sequence.match(/[\s\S]{1,240}/g) ?? [];
	return pieces.map((piece) => `\x1bP${piece}\x1b\\`).join("");
}
