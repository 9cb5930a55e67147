/** The value of a `$'…'` string. */

const escapes: Readonly<Record<string, string>> = {
	a: "\x07",
	b: "\b",
	e: "\x1b",
	E: "\x1b",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "\t",
	v: "\v",
	"\\": "\\",
	"'": "'",
	'"': '"',
	"?": "?",
};

/**
 * The value ends at a NUL, as in bash. Reads from after the opening quote; `end` is after the closing one, or -1 when there
 * is none, or for `\c` and `\x{…}`, which versions of bash read differently.
 */
export function ansiString(text: string, from: number): { value: string; end: number } {
	let value = "";
	let at = from;
	while (at < text.length) {
		const char = text[at] ?? "";
		if (char === "'") return { value: value.split("\0", 1)[0] ?? "", end: at + 1 };
		if (char !== "\\") {
			value += char;
			at++;
			continue;
		}
		if (/^(?:c|x\{)/u.test(text.slice(at + 1, at + 3))) return { value: "", end: -1 };
		const escape = escapeAt(text, at + 1);
		value += escape.value;
		at += 1 + escape.length;
	}
	return { value, end: -1 };
}

function escapeAt(text: string, at: number): { value: string; length: number } {
	const char = text[at] ?? "";
	const simple = escapes[char];
	if (simple !== undefined) return { value: simple, length: 1 };
	const patterns: readonly [RegExp, number][] = [
		[/x([0-9A-Fa-f]{1,2})/uy, 16],
		[/u([0-9A-Fa-f]{1,4})/uy, 16],
		[/U([0-9A-Fa-f]{1,8})/uy, 16],
		[/([0-7]{1,3})/uy, 8],
	];
	for (const [pattern, base] of patterns) {
		pattern.lastIndex = at;
		const match = pattern.exec(text);
		if (!match) continue;
		const code = Number.parseInt(match[1] ?? "0", base);
		return {
			value: code > 0x10ffff ? "\ufffd" : String.fromCodePoint(base === 8 ? code & 255 : code),
			length: match[0].length,
		};
	}
	return { value: `\\${char}`, length: 1 };
}
