/** Adapts a pattern so that it matches lines that end in CR LF as it matches those that end in LF. */

export interface LineEndPattern {
	pattern: string;
	literal: boolean;
	/** True if `$` has to match before CR LF. Ripgrep then also lets it match before a lone CR, which `.` never matches. */
	crlf: boolean;
}

/** An explicit CR means that byte. A verbose pattern may contain line ends that mean nothing. */
const unchanged = /\r|\\r|\\x0d|\\x\{0*d\}|\\cM|\\R|\(\?[a-wyz]*x/i;

export function adaptLineEnds(pattern: string, literal: boolean): LineEndPattern {
	if (literal) {
		if (!pattern.includes("\n")) return { pattern, literal, crlf: false };
		const lines = pattern.split(/\r?\n/).map((line) => line.replaceAll(special, "\\$&"));
		return { pattern: lines.join(lineEnd), literal: false, crlf: false };
	}
	if (unchanged.test(pattern)) return { pattern, literal, crlf: false };
	return { ...rewrite(pattern), literal };
}

const lineEnd = "(?:\\r?\\n)";
const special = /[\\^$.*+?()[\]{}|]/g;

/** One token at a time: quoted text, an escape, any other character. */
const token = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|[\s\S]/g;

function rewrite(pattern: string): Pick<LineEndPattern, "pattern" | "crlf"> {
	let crlf = false;
	let out = "";
	const tokens = Array.from(pattern.matchAll(token), ([text]) => text);
	while (tokens.length > 0) {
		if (tokens[0] === "[") {
			out += rewriteClass(takeClass(tokens));
			continue;
		}
		const text = tokens.shift() ?? "";
		if (text === "$") crlf = true;
		out += isLineEnd(text) ? lineEnd : text;
	}
	return { pattern: out, crlf };
}

/** Classes may be nested, and a bracket right after the start is an ordinary character. */
function takeClass(tokens: string[]): string[] {
	const taken: string[] = [];
	let depth = 0;
	do {
		const text = tokens.shift() ?? "";
		const isFirst = taken.at(-1) === "[" || (taken.at(-1) === "^" && taken.at(-2) === "[");
		if (text === "[") depth++;
		if (text === "]" && !isFirst) depth--;
		taken.push(text);
	} while (depth > 0 && tokens.length > 0);
	return taken;
}

function rewriteClass(tokens: readonly string[]): string {
	const text = tokens.join("");
	if (!tokens.some(isLineEnd)) return text;
	if (tokens[1] === "^") return tokens.map((each) => (isLineEnd(each) ? "\\r\\n" : each)).join("");
	return `(?:\\r?${text})`;
}

function isLineEnd(text: string): boolean {
	return text === "\n" || text === "\\n";
}
