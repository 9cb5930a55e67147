/** Splits TypeScript into tokens, so that a check never mistakes a comment or a string for code. */

export type TokenKind = "name" | "number" | "punct" | "string" | "template" | "regex" | "comment";

/** `text` is the content between the delimiters; of a template, its fixed parts with a space per interpolation. */
export type Token = { kind: TokenKind; text: string; line: number; holes?: Token[] };

/** Keywords after which a slash starts a regular expression. */
const beforeRegex = new Set(
	"return typeof case in of delete void throw new else do yield await instanceof".split(" "),
);

const space = /\s+/y;
const comment = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const name = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const number = /\d[\w.]*/y;
// An unclosed quote ends with its line: text in JSX is full of apostrophes.
const string = /"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?/y;
const regex = /\/(?![*/])(?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\/[a-z]*/y;
const hashbang = /^#![^\n]*/y;
/** Neither a name nor a number begins with one: most tokens need no other pattern. */
const asciiPunct = /^[!-#%-/:-@[-^`{-~]$/;

/** Every token in source order; those in interpolations are nested in their template. */
export function tokenize(source: string): Token[] {
	return new Cutter(source).cut(false);
}

/** Tokens that are code, with those in interpolations right after their template. */
export function codeTokens(tokens: Token[]): Token[] {
	return tokens.flatMap((token) => {
		if (token.kind === "comment") return [];
		return token.holes ? [token, ...codeTokens(token.holes)] : [token];
	});
}

export function comments(tokens: Token[]): Token[] {
	return tokens.flatMap((token) => (token.kind === "comment" ? [token] : comments(token.holes ?? [])));
}

class Cutter {
	readonly #source: string;
	#at = 0;
	#line = 1;

	constructor(source: string) {
		this.#source = source;
	}

	/** Reads to the end of the source, or of the interpolation that it is in. */
	cut(inHole: boolean): Token[] {
		const tokens: Token[] = [];
		let depth = 0;
		/** The last token that is no comment. */
		let before: Token | undefined;
		for (;;) {
			this.#take(space);
			const point = this.#source.codePointAt(this.#at);
			if (point === undefined) return tokens;
			const char = String.fromCodePoint(point);
			if (inHole && char === "}" && depth === 0) return tokens;
			if (char === "{") depth++;
			if (char === "}") depth--;
			const token = this.#next(char, before);
			tokens.push(token);
			if (token.kind !== "comment") before = token;
		}
	}

	#next(char: string, before: Token | undefined): Token {
		const line = this.#line;
		if (char === "`") return this.#template();
		if (char === '"' || char === "'") return { kind: "string", text: unquote(this.#take(string)), line };
		if (char === "/" || (char === "#" && this.#at === 0)) {
			const said = this.#take(char === "/" ? comment : hashbang);
			if (said) return { kind: "comment", text: said, line };
		}
		if (char === "/" && mayStartRegex(before)) {
			const text = this.#take(regex);
			if (text) return { kind: "regex", text: text.slice(1, text.lastIndexOf("/")), line };
		}
		if (!asciiPunct.test(char)) {
			const word = this.#take(name);
			if (word) return { kind: "name", text: word, line };
			const digits = this.#take(number);
			if (digits) return { kind: "number", text: digits, line };
		}
		this.#at += char.length;
		return { kind: "punct", text: char, line };
	}

	#template(): Token {
		const line = this.#line;
		const parts: string[] = [];
		const holes: Token[] = [];
		let from = ++this.#at;
		for (; this.#at < this.#source.length; this.#at++) {
			const char = this.#source[this.#at];
			if (char === "`") break;
			if (char === "\n") this.#line++;
			if (char === "\\") {
				this.#at++;
				if (this.#source[this.#at] === "\n") this.#line++;
			}
			if (char !== "$" || this.#source[this.#at + 1] !== "{") continue;
			parts.push(this.#source.slice(from, this.#at));
			this.#at += 2;
			holes.push(...this.cut(true));
			from = this.#at + 1;
		}
		parts.push(this.#source.slice(from, this.#at));
		this.#at = Math.min(this.#at + 1, this.#source.length);
		return { kind: "template", text: parts.join(" "), line, holes };
	}

	#take(pattern: RegExp): string {
		pattern.lastIndex = this.#at;
		const text = pattern.exec(this.#source)?.[0] ?? "";
		this.#at += text.length;
		for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) this.#line++;
		return text;
	}
}

function mayStartRegex(before: Token | undefined): boolean {
	if (before === undefined) return true;
	if (before.kind === "name") return beforeRegex.has(before.text);
	return before.kind === "punct" && !")]}".includes(before.text);
}

function unquote(text: string): string {
	const quote = text[0] ?? "";
	return text.length > 1 && text.endsWith(quote) ? text.slice(1, -1) : text.slice(1);
}
