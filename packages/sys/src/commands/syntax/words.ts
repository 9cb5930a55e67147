/** Reads the words of a script: quotes, escapes, expansions, and the scripts inside of them. */
import type { DynamicPart, Part, Script, Word } from "./tree.ts";
import { Cursor } from "./cursor.ts";
import { ansiString } from "./quotes.ts";

/** Where a word is read decides which characters are special in it. */
type Quoting = "none" | "double" | "heredoc";

const identifier = /[A-Za-z_][A-Za-z0-9_]*/uy;
const parameter = /[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]/uy;
const plainText = /[^\s;&|()<>$`'"\\*?[\]{}#!@+]+/uy;
const numberParameters = /^(?:[#?$!]|RANDOM|SECONDS|LINENO|UID|EUID|PPID|BASHPID|EPOCHSECONDS|OPTIND)$/u;

export abstract class WordReader extends Cursor {
	/** Reads a script up to its closing character, which is not consumed. */
	protected abstract script(closing: ")" | ""): Script;
	/** Reads a script that is contained in this one as text. */
	protected abstract inner(text: string): Script;

	/** A word ends at blanks and operators. Returns nothing when there is none here. */
	protected word(): Word | undefined {
		const start = this.at;
		const parts: Part[] = [];
		while (!this.ended) {
			this.step();
			const read = this.#parts();
			if (read === undefined) break;
			parts.push(...read);
		}
		const text = this.text.slice(start, this.at);
		return parts.length === 0 ? undefined : { text, parts: withoutLoneBrackets(parts) };
	}

	#parts(): readonly Part[] | undefined {
		const plain = this.match(plainText);
		if (plain !== undefined) return [this.#literal(plain, false, plain.length)];
		const char = this.char;
		switch (char) {
			case "'":
				return [this.#singleQuoted()];
			case '"':
				return this.#doubleQuoted();
			case "\\":
				if (this.peek() === "") this.fail("the command is incomplete");
				if (this.peek() !== "\n") return [this.#literal(this.peek(), true, 2)];
				this.at += 2;
				return [];
			case "$":
				if (this.peek() !== '"') return [this.expansion("none")];
				this.at++;
				return this.#doubleQuoted();
			case "`":
				return [this.expansion("none")];
			case "<":
			case ">":
				return this.peek() === "(" ? [this.#processSubstitution()] : undefined;
			case "*":
			case "?":
			case "[":
			case "]":
			case "@":
			case "+":
			case "!":
				return [this.#pattern(char)];
			default:
				return isWordEnd(char) ? undefined : [this.#literal(char, false, 1)];
		}
	}

	#literal(text: string, quoted: boolean, length: number): Part {
		this.at += length;
		return { kind: "literal", text, quoted };
	}

	#singleQuoted(): Part {
		const end = this.text.indexOf("'", this.at + 1);
		if (end < 0) this.fail("a quote is not closed");
		const text = this.text.slice(this.at + 1, end);
		this.step(text.length);
		return this.#literal(text, true, text.length + 2);
	}

	#doubleQuoted(): Part[] {
		this.at++;
		const parts = this.nested(() => this.quotedParts('"', "double"));
		this.expect('"');
		return parts;
	}

	/** Text with expansions, up to an unescaped closing character. */
	protected quotedParts(closing: string, quoting: Quoting): Part[] {
		const parts: Part[] = [];
		let literal = "";
		while (!this.ended && this.char !== closing) {
			this.step();
			if (this.char === "\\") {
				const next = this.peek();
				if (next === "") this.fail("the command is incomplete");
				const escapes =
					next === "$" || next === "`" || next === "\\" || (next === '"' && quoting === "double");
				if (escapes) literal += next;
				else if (next !== "\n") literal += `\\${next}`;
				this.at += 2;
			} else if (this.char === "$" || this.char === "`") {
				const part = this.expansion(quoting);
				if (part.kind === "literal") literal += part.text;
				else {
					if (literal !== "") parts.push({ kind: "literal", text: literal, quoted: true });
					literal = "";
					parts.push(part);
				}
			} else {
				literal += this.char;
				this.at++;
			}
		}
		if (literal !== "" || parts.length === 0) parts.push({ kind: "literal", text: literal, quoted: true });
		return parts;
	}

	/** What begins with `$` or a backtick. */
	protected expansion(quoting: Quoting): Part {
		const quoted = quoting !== "none";
		if (this.char === "`") return this.#backticks(quoting);
		const next = this.peek();
		if (next === "'" && !quoted) return this.#ansiQuoted();
		if (next === "(") return this.#substitution(quoted);
		if (next === "{") return this.nested(() => this.#braced(quoting));
		if (next === "[") return this.#oldArithmetic(quoted);
		// Bash joins the lines before it looks for the parenthesis.
		if (next === "\\" && this.peek(2) === "\n") this.fail("a line is continued inside of an expansion");
		const start = this.at++;
		const name = this.match(parameter);
		if (name === undefined) return { kind: "literal", text: "$", quoted: true };
		this.at += /^\d/u.test(name) ? 1 : name.length;
		// The name continues in the next line.
		if (this.match(/(?:\\\n)+\w/uy) !== undefined) this.fail("a line is continued inside of an expansion");
		const gives = numberParameters.test(name) ? "number" : "value";
		return this.#dynamic(start, quoted, { gives, variable: name });
	}

	#dynamic(start: number, quoted: boolean, rest: Partial<DynamicPart>): DynamicPart {
		return {
			kind: "dynamic",
			text: this.text.slice(start, this.at),
			gives: "value",
			quoted,
			scripts: [],
			...rest,
		};
	}

	#ansiQuoted(): Part {
		const { value, end } = ansiString(this.text, this.at + 2);
		if (end < 0) this.fail("a quote is not closed");
		return this.#literal(value, true, end - this.at);
	}

	#backticks(quoting: Quoting): Part {
		const start = this.at++;
		let inner = "";
		while (this.char !== "`") {
			this.step();
			if (this.ended) this.fail("a backtick is not closed");
			// In a heredoc the quote stays escaped.
			if (
				this.char === "\\" &&
				("`\\$".includes(this.peek()) || (quoting === "double" && this.peek() === '"'))
			)
				this.at++;
			inner += this.char;
			this.at++;
		}
		this.at++;
		return this.#dynamic(start, quoting !== "none", { scripts: [this.inner(inner)] });
	}

	#substitution(quoted: boolean): Part {
		const start = this.at;
		this.at++;
		this.refuseContinuedParentheses();
		this.at = start;
		if (this.peek(2) === "(") {
			this.at += 3;
			const operands = this.arithmeticOrNothing();
			if (operands) return this.#dynamic(start, quoted, { gives: "number", ...operands });
			this.at = start;
		}
		this.at += 2;
		const script = this.nested(() => this.script(")"));
		this.expect(")");
		return this.#dynamic(start, quoted, { scripts: [script] });
	}

	#processSubstitution(): Part {
		const start = this.at;
		this.at += 2;
		const script = this.nested(() => this.script(")"));
		this.expect(")");
		// The shell puts a path like /dev/fd/63 there.
		return this.#dynamic(start, true, { gives: "glob", scripts: [script] });
	}

	#oldArithmetic(quoted: boolean): Part {
		const start = this.at;
		this.at += 2;
		const operands = this.nested(() => this.arithmetic("]"));
		this.expect("]");
		return this.#dynamic(start, quoted, { gives: "number", ...operands });
	}

	/** Bash joins the lines before it tells `((` from two parentheses, and `))` as well. */
	protected refuseContinuedParentheses(): void {
		if (this.match(/\((?:\\\n)+\(/uy) !== undefined) this.fail("a line is continued between parentheses");
	}

	/** Reads `…))` as arithmetic; returns nothing, as bash does, when the parentheses are those of subshells. */
	protected arithmeticOrNothing(): Operands | undefined {
		const operands = this.nested(() => this.arithmetic(")"));
		if (this.looksAt(")\\\n")) this.fail("a line is continued between parentheses");
		return this.take("))") ? operands : undefined;
	}

	/** Reads an expression up to an unbalanced closing character. Bash evaluates the values of its variables in turn. */
	protected arithmetic(closing: string): Operands {
		const arithmetic: Part[] = [];
		const assigns: string[] = [];
		let open = 0;
		while (!this.ended) {
			this.step();
			if (this.char === closing && open === 0) break;
			if (this.char === "(" || this.char === "[") open++;
			else if (this.char === ")" || this.char === "]") open = Math.max(0, open - 1);
			const name = this.match(identifier);
			if (name !== undefined) {
				const start = this.at;
				this.at += name.length;
				arithmetic.push(this.#dynamic(start, true, { variable: name }));
				if (/^\s*(?:\+\+|--|(?:[-+*/%&^|]|<<|>>)?=(?!=))/u.test(this.text.slice(this.at, this.at + 16)))
					assigns.push(name);
				const before = this.text.slice(Math.max(0, start - 3), start).trimEnd();
				if (before.endsWith("++") || before.endsWith("--")) assigns.push(name);
			} else if (this.char === "$" || this.char === "`") arithmetic.push(this.expansion("double"));
			else if (this.char === "'" || this.char === '"') this.fail("an arithmetic expression has quotes");
			else if (this.char === "\\") this.fail("an arithmetic expression has escapes");
			else if (this.char === "0" && /[xX]/u.test(this.peek())) this.at += 2;
			else this.at += /\d/u.test(this.char) ? (this.match(/\d+(?:#[0-9A-Za-z@_]+)?/uy)?.length ?? 1) : 1;
		}
		return { arithmetic, assigns };
	}

	/** `${…}` */
	#braced(quoting: Quoting): Part {
		const quoted = quoting !== "none";
		const start = this.at;
		this.at += 2;
		if (this.char === "#" && this.peek() !== "}") return this.#length(start, quoted);
		if (this.char === "!") return this.#indirect(start, quoted);
		const name = this.match(parameter);
		if (name === undefined) this.fail("a parameter expansion is not understood");
		this.at += name.length;
		const arithmetic: Part[] = [];
		const assigns: string[] = [];
		const isPlain = this.char === "}";
		if (this.char === "[") this.#subscript(arithmetic, assigns);
		const operator = this.match(/:?[-=?+]|@[A-Za-z]|##?|%%?|\/[/#%]?|\^\^?|,,?|:/uy) ?? "";
		this.at += operator.length;
		const scripts: Script[] = [];
		if (operator === ":") {
			const operands = this.arithmetic("}");
			arithmetic.push(...operands.arithmetic);
			assigns.push(...operands.assigns);
		} else if (operator !== "") {
			for (const part of this.#replacement(quoting)) {
				if (part.kind !== "dynamic") continue;
				scripts.push(...part.scripts);
				arithmetic.push(...(part.arithmetic ?? []));
				assigns.push(...(part.assigns ?? []));
				if (part.opaque !== undefined) this.fail(part.opaque);
			}
		}
		this.expect("}");
		if (operator.endsWith("=")) assigns.push(name);
		return this.#dynamic(start, quoted, {
			gives: isPlain && numberParameters.test(name) ? "number" : "value",
			...(isPlain ? { variable: name } : {}),
			scripts,
			arithmetic,
			assigns,
			...(operator === "@P" ? { opaque: "a prompt expansion (@P) runs what is in a variable" } : {}),
		});
	}

	#length(start: number, quoted: boolean): Part {
		this.at++;
		this.at += this.match(parameter)?.length ?? this.fail("a parameter expansion is not understood");
		const arithmetic: Part[] = [];
		if (this.char === "[") this.#subscript(arithmetic, []);
		this.expect("}");
		return this.#dynamic(start, quoted, { gives: "number", arithmetic });
	}

	#indirect(start: number, quoted: boolean): Part {
		const names = this.match(/![A-Za-z_]\w*(?:\[[@*]\]|[@*])\}/uy);
		if (names !== undefined) {
			this.at += names.length;
			return this.#dynamic(start, quoted, {});
		}
		return this.fail("an indirect expansion (${!x}) runs what is in a variable");
	}

	#subscript(arithmetic: Part[], assigns: string[]): void {
		const all = this.match(/\[[@*]\]/uy);
		if (all !== undefined) {
			this.at += all.length;
			return;
		}
		this.at++;
		const operands = this.arithmetic("]");
		this.expect("]");
		arithmetic.push(...operands.arithmetic);
		assigns.push(...operands.assigns);
	}

	/** The word after an operator of `${x:-…}`, up to the first unquoted brace. */
	#replacement(quoting: Quoting): Part[] {
		const quoted = quoting !== "none";
		const parts: Part[] = [];
		while (this.char !== "}") {
			this.step();
			if (this.ended) this.fail("a parameter expansion is not closed");
			if (this.char === "\\") this.at += 2;
			else if (this.char === "$" || this.char === "`") parts.push(this.expansion(quoting));
			else if (this.char === "'" && quoted) this.fail("a quote inside of a quoted expansion");
			else if (this.char === "'") parts.push(this.#singleQuoted());
			else if (this.char === '"') parts.push(...this.#doubleQuoted());
			else if ((this.char === "<" || this.char === ">") && this.peek() === "(")
				parts.push(this.#processSubstitution());
			else this.at++;
		}
		return parts;
	}

	/** Pattern characters; `@(…)` and its kin contain patterns in parentheses. */
	#pattern(char: string): Part {
		const start = this.at++;
		const isGroup = "*?@+!".includes(char) && this.char === "(";
		if (!isGroup) {
			if ("@+!]".includes(char)) return { kind: "literal", text: char, quoted: false };
			return this.#dynamic(start, false, { gives: "glob" });
		}
		this.at++;
		const scripts: Script[] = [];
		this.nested(() => {
			while (this.char !== ")") {
				this.step();
				if (this.ended) this.fail("a pattern is not closed");
				const word = this.word();
				if (word) scripts.push(...scriptsIn(word.parts));
				else if (this.char === "|" || this.char === " ") this.at++;
				else if (this.char !== ")") this.fail("a pattern is not understood");
			}
		});
		this.at++;
		return this.#dynamic(start, false, { gives: "glob", scripts });
	}
}

/** `[` begins a pattern only when a `]` follows in the same word. */
function withoutLoneBrackets(parts: readonly Part[]): readonly Part[] {
	const isBracket = (part: Part): boolean => part.kind === "dynamic" && part.text === "[";
	if (!parts.some(isBracket)) return parts;
	const end = parts.findLastIndex((part) => part.kind === "literal" && !part.quoted && part.text === "]");
	return parts.map((part, index) =>
		isBracket(part) && index > end ? { kind: "literal", text: "[", quoted: false } : part,
	);
}

/** The text of a word that neither quotes nor expands anything. */
export function literalText({ parts }: Word): string {
	return parts.every((part) => part.kind === "literal" && !part.quoted)
		? parts.map((part) => part.text).join("")
		: "";
}

/** The line that ends a heredoc, and whether its text stays as it is; nothing for `<<"$x"`, whose quotes do not count here. */
export function delimiterOf({ parts }: Word): { delimiter: string; quoted: boolean } | undefined {
	if (parts.some((part) => part.kind === "dynamic" && (part.gives !== "glob" || part.scripts.length > 0)))
		return undefined;
	return { delimiter: parts.map(({ text }) => text).join(""), quoted: parts.some(({ quoted }) => quoted) };
}

export interface Operands {
	readonly arithmetic: readonly Part[];
	readonly assigns: readonly string[];
}

function isWordEnd(char: string): boolean {
	return char === "" || " \t\n;&|()<>".includes(char);
}

function scriptsIn(parts: readonly Part[]): Script[] {
	return parts.flatMap((part) => (part.kind === "dynamic" ? part.scripts : []));
}
