/** Parses a regular expression that the engine has accepted into a tree, for analysis and compilation. */

export type RegexNode =
	/** One character; `char` is set if it is always the same. */
	| { kind: "one"; source: string; char?: string }
	| { kind: "assert"; what: "start" | "end" | "word" | "notWord" }
	| { kind: "row"; parts: RegexNode[] }
	| { kind: "either"; branches: RegexNode[] }
	| { kind: "repeat"; of: RegexNode; min: number; max: number }
	/** A lookaround: consumes no characters and needs backtracking. */
	| { kind: "look"; of: RegexNode }
	/** A part whose characters are known only while matching, such as a backreference, or that has its own syntax. */
	| { kind: "opaque" };

export function regexTree({ source, flags }: RegExp): RegexNode {
	return new Reader(source, flags.includes("u")).all();
}

class Reader {
	readonly #source: string;
	readonly #isUnicode: boolean;
	#at = 0;

	constructor(source: string, isUnicode: boolean) {
		this.#source = source;
		this.#isUnicode = isUnicode;
	}

	all(): RegexNode {
		const branches = [this.#row()];
		while (this.#takes("|")) branches.push(this.#row());
		return branches.length === 1 && branches[0] ? branches[0] : { kind: "either", branches };
	}

	#row(): RegexNode {
		const parts: RegexNode[] = [];
		while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? "")) {
			parts.push(this.#repeated(this.#item()));
		}
		return { kind: "row", parts };
	}

	#repeated(of: RegexNode): RegexNode {
		const match = this.#match(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y);
		if (!match) return of;
		const [text, least, comma, most] = match;
		if (least !== undefined) {
			const min = Number(least);
			const max = most ? Number(most) : comma ? Infinity : min;
			return { kind: "repeat", of, min, max };
		}
		return {
			kind: "repeat",
			of,
			min: text.startsWith("+") ? 1 : 0,
			max: text.startsWith("?") ? 1 : Infinity,
		};
	}

	#item(): RegexNode {
		if (this.#takes("^")) return { kind: "assert", what: "start" };
		if (this.#takes("$")) return { kind: "assert", what: "end" };
		const opened = this.#match(/\((?:\?(?:<?[=!]|:|<[^>]*>|[a-z-]*:))?/y);
		if (opened) return this.#group(opened[0]);
		// As in [] and [^], the first ] ends a set.
		const set = this.#match(/\[(?:[^\]\\]|\\[\s\S])*\]/y);
		if (set) return { kind: "one", source: set[0] };
		if (this.#source[this.#at] === "\\") return this.#escape();
		const [char = ""] = this.#isUnicode
			? this.#source.slice(this.#at, this.#at + 2)
			: this.#source.slice(this.#at, this.#at + 1);
		this.#at += char.length;
		return char === "." ? { kind: "one", source: "." } : { kind: "one", source: quoted(char), char };
	}

	#group(opened: string): RegexNode {
		const of = this.all();
		this.#takes(")");
		if (/[=!]$/.test(opened)) return { kind: "look", of };
		// (?i:…) changes how its characters are read, but not how often they repeat.
		return /^\(\?[a-z-]+:$/.test(opened) ? { kind: "row", parts: [{ kind: "opaque" }, of] } : of;
	}

	#escape(): RegexNode {
		if (this.#takes("\\b")) return { kind: "assert", what: "word" };
		if (this.#takes("\\B")) return { kind: "assert", what: "notWord" };
		if (this.#match(/\\(?:[1-9]\d*|k<[^>]*>)/y)) return { kind: "opaque" };
		const [source = "\\"] =
			this.#match(
				/\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}(?:\\ud[c-f][0-9a-f]{2})?|x[0-9a-f]{2}|c[a-z]|0|[pP]\{[^}]*\}|[\s\S])/iy,
			) ?? [];
		const isPair = /^\\u[0-9a-f]{4}\\/i.test(source);
		if (!this.#isUnicode && (isPair || /^\\(?:u\{|[pP]\{)/.test(source))) {
			this.#at -= source.length - (isPair ? 6 : 2);
			return { kind: "one", source: isPair ? source.slice(0, 6) : source.slice(0, 2) };
		}
		const plain = /^\\([^a-z0-9])$/i.exec(source)?.[1];
		return { kind: "one", source, ...(plain === undefined ? {} : { char: plain }) };
	}

	#takes(text: string): boolean {
		const isThere = this.#source.startsWith(text, this.#at);
		if (isThere) this.#at += text.length;
		return isThere;
	}

	#match(sticky: RegExp): RegExpExecArray | undefined {
		sticky.lastIndex = this.#at;
		const match = sticky.exec(this.#source) ?? undefined;
		if (match) this.#at += match[0].length;
		return match;
	}
}

function quoted(char: string): string {
	return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}
