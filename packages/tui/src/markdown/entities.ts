/** Decodes character references and backslash escapes. */

const reference = /^&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|[A-Za-z][A-Za-z0-9]{1,31});/;

/** The character of a reference at the start of the text, and the length of the reference. */
export function referenceAt(text: string, at: number): { text: string; length: number } | undefined {
	const match = reference.exec(text.slice(at, at + 34));
	if (match === null) return undefined;
	const [source, decimal, hex] = match;
	if (decimal !== undefined) return { text: character(parseInt(decimal, 10)), length: source.length };
	if (hex !== undefined) return { text: character(parseInt(hex, 16)), length: source.length };
	const named = namedReference(source);
	return named === undefined ? undefined : { text: named, length: source.length };
}

function character(code: number): string {
	// A reference must not add characters that are stripped from text: controls, direction marks, lone surrogates.
	const isUnsafe =
		code < 0x20 ? code !== 0x09 && code !== 0x0a : (code >= 0x7f && code < 0xa0) || code > 0x10ffff;
	const isHidden =
		(code >= 0xd800 && code <= 0xdfff) ||
		code === 0x061c ||
		(code >= 0x200e && code <= 0x200f) ||
		(code >= 0x2028 && code <= 0x202e) ||
		(code >= 0x2066 && code <= 0x2069);
	return isUnsafe || isHidden ? "\u{fffd}" : String.fromCodePoint(code);
}

/** Bun knows the 2,125 names; a lookup takes a microsecond, and our own table would take 30 KB. */
function namedReference(source: string): string | undefined {
	const html = Bun.markdown.html(source).trim().slice("<p>".length, -"</p>".length);
	if (html === `&amp;${source.slice(1)}`) return undefined;
	// `&lrm;` and `&rlm;` are direction marks.
	return (escaped[html] ?? html).replace(/[\u200e\u200f]/, "\u{fffd}");
}

const escaped: Readonly<Record<string, string>> = {
	"&amp;": "&",
	"&lt;": "<",
	"&gt;": ">",
	"&quot;": '"',
};

/** The characters that can be escaped with a backslash. */
export const punctuation = /[!-/:-@[-`{-~]/;

/** Text in which only references and backslashes have a meaning: addresses, titles, info strings. */
export function unescapeText(text: string): string {
	if (!/[\\&]/.test(text)) return text;
	let plain = "";
	for (let at = 0; at < text.length; at++) {
		const unit = text.charAt(at);
		const following = text[at + 1];
		if (unit === "\\" && following !== undefined && punctuation.test(following)) {
			plain += following;
			at++;
			continue;
		}
		const found = unit === "&" ? referenceAt(text, at) : undefined;
		plain += found?.text ?? unit;
		if (found) at += found.length - 1;
	}
	return plain;
}
