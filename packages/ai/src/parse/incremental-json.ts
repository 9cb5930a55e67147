/** Parses JSON while it arrives: after each piece, the best value so far, at linear cost. */
import { GrowingText } from "./growing-text.ts";
import { isWholeNumber, type NumberPart, numberPartAfter } from "./json-number.ts";
import { limits } from "./limits.ts";

type Frame =
	| { kind: "array"; holder: unknown[]; count: number }
	| { kind: "object"; holder: Record<string, unknown>; key: string };

/** What comes next in the text, or what is open. */
type State =
	| "value"
	| "item or ]"
	| "key or }"
	| "key"
	| "colon"
	| "comma or close"
	| "string"
	| "escape"
	| "unicode"
	| "number"
	| "literal"
	| "done"
	| "failed";

interface JsonEnd {
	/**
	 * Everything that could be read; `{}` for blank input, undefined when not even the beginning of a value was
	 * there.
	 */
	value: unknown;
	/** One line: why the value is incomplete, and where. */
	malformed?: string;
	/** One line: what strict JSON forbids but could be read without loss. */
	note?: string;
}

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;

const escapes = new Map([
	['"', '"'],
	["\\", "\\"],
	["/", "/"],
	["b", "\b"],
	["f", "\f"],
	["n", "\n"],
	["r", "\r"],
	["t", "\t"],
]);

const literals = new Map<string, { word: string; value: unknown }>([
	["t", { word: "true", value: true }],
	["f", { word: "false", value: false }],
	["n", { word: "null", value: null }],
]);

export class IncrementalJson {
	#state: State = "value";
	#root: unknown;
	readonly #outer: Frame[] = [];
	#top: Frame | undefined;
	/** Characters of all pushes before the current one. */
	#before = 0;
	#reason: string | undefined;

	/** The open string, key or number. */
	readonly #text = new GrowingText();
	#inKey = false;
	#hex = "";
	#part: NumberPart | undefined;
	/** How much of the open number was a whole number at the last check, and how much of it is shown. */
	#wholeChars = 0;
	#shownChars = 0;
	#literal: { word: string; value: unknown } | undefined;
	#matched = 0;

	#rawControls = 0;
	#firstRawControl = "";

	push(delta: string): void {
		let at = 0;
		while (at < delta.length && this.#state !== "failed") at = this.#step(delta, at);
		this.#showOpen();
		this.#before += delta.length;
	}

	/**
	 * The best value so far; undefined until one begins. Objects and arrays are live: the same ones grow with each
	 * push. An open string contains what has arrived, a number what is valid so far; a literal, and a key whose value
	 * has not begun, are left out.
	 */
	get value(): unknown {
		return this.#root;
	}

	/**
	 * The part of `value` that is complete: a copy in which open objects and arrays have their complete members only,
	 * and an open string, number or literal is left out. Undefined until there is such a part.
	 * Only a repeated key can still replace a complete value.
	 */
	get closedValue(): unknown {
		if (this.#top === undefined) return this.#state === "done" ? this.#root : undefined;
		let part = closedPart(this.#top, this.#isMemberOpen);
		for (const frame of this.#outer.toReversed()) part = closedPart(frame, true, part);
		return part;
	}

	/** True if the last named member of the innermost object is incomplete. */
	get #isMemberOpen(): boolean {
		switch (this.#state) {
			case "comma or close":
			case "key":
			case "key or }":
				return false;
			case "string":
			case "escape":
			case "unicode":
				return !this.#inKey;
			default:
				return true;
		}
	}

	end(): JsonEnd {
		const reason = this.#reason ?? this.#finish();
		const blank = this.#root === undefined && reason === undefined;
		const result: JsonEnd = { value: blank ? {} : this.#root };
		if (reason !== undefined) result.malformed = reason;
		if (this.#rawControls > 0) {
			result.note = `${this.#rawControls} raw control character(s) inside strings, the first ${this.#firstRawControl}`;
		}
		return result;
	}

	/** Completes what the end of input can complete, and describes what else was open. */
	#finish(): string | undefined {
		const inNumber = this.#state === "number";
		if (inNumber && isWholeNumber(this.#part)) this.#put(Number(this.#text.value));
		if (this.#top === undefined) {
			// Models call a tool without arguments by sending nothing at all.
			if (this.#state === "value" || this.#state === "done") return undefined;
			if (inNumber && isWholeNumber(this.#part)) return undefined;
		}
		return `ended inside ${this.#openThing()} at position ${this.#before}`;
	}

	#openThing(): string {
		switch (this.#state) {
			case "string":
			case "escape":
			case "unicode":
				return this.#inKey ? "a key" : "a string";
			case "number":
				return "a number";
			case "literal":
				return `the literal ${this.#literal?.word}`;
			default:
				return this.#top?.kind === "array" ? "an array" : "an object";
		}
	}

	#step(text: string, at: number): number {
		switch (this.#state) {
			case "string":
				return this.#readString(text, at);
			case "escape":
				return this.#readEscape(text, at);
			case "unicode":
				return this.#readUnicode(text, at);
			case "number":
				return this.#readNumber(text, at);
			case "literal":
				return this.#readLiteral(text, at);
			default:
				return this.#readStructure(text, at);
		}
	}

	#readStructure(text: string, at: number): number {
		const char = text.charAt(at);
		if (char === " " || char === "\n" || char === "\r" || char === "\t") return at + 1;
		switch (this.#state) {
			case "value":
				return this.#beginValue(char, at);
			case "item or ]":
				return char === "]" ? this.#close(at) : this.#beginValue(char, at);
			case "key or }":
				return char === "}" ? this.#close(at) : this.#beginKey(char, at);
			case "key":
				return this.#beginKey(char, at);
			case "colon":
				if (char !== ":") return this.#unexpected(char, at);
				this.#state = "value";
				return at + 1;
			case "comma or close":
				return this.#separate(char, at);
			default:
				return this.#unexpected(char, at);
		}
	}

	#separate(char: string, at: number): number {
		const inArray = this.#top?.kind === "array";
		if (char === (inArray ? "]" : "}")) return this.#close(at);
		if (char !== ",") return this.#unexpected(char, at);
		this.#state = inArray ? "value" : "key";
		return at + 1;
	}

	#beginKey(char: string, at: number): number {
		if (char !== '"') return this.#unexpected(char, at);
		this.#inKey = true;
		return this.#beginString(at);
	}

	#beginValue(char: string, at: number): number {
		if (char === '"') {
			this.#inKey = false;
			return this.#beginString(at);
		}
		if (char === "{") return this.#open({ kind: "object", holder: {}, key: "" }, "key or }", at);
		if (char === "[") return this.#open({ kind: "array", holder: [], count: 0 }, "item or ]", at);
		this.#literal = literals.get(char);
		if (this.#literal !== undefined) {
			this.#matched = 1;
			this.#state = "literal";
			return at + 1;
		}
		if (numberPartAfter(undefined, char) === undefined) return this.#unexpected(char, at);
		this.#text.clear();
		this.#part = undefined;
		this.#wholeChars = 0;
		this.#shownChars = 0;
		this.#state = "number";
		return at;
	}

	#beginString(at: number): number {
		this.#text.clear();
		this.#state = "string";
		return at + 1;
	}

	#open(frame: Frame, state: State, at: number): number {
		if (this.#outer.length + (this.#top ? 1 : 0) === limits.jsonDepth) {
			return this.#fail(`nested deeper than ${limits.jsonDepth} levels at position ${this.#before + at}`, at);
		}
		this.#put(frame.holder);
		if (this.#top) this.#outer.push(this.#top);
		this.#top = frame;
		this.#state = state;
		return at + 1;
	}

	#close(at: number): number {
		this.#top = this.#outer.pop();
		this.#completed();
		return at + 1;
	}

	#readString(text: string, from: number): number {
		let at = from;
		let code = 0;
		for (; at < text.length; at++) {
			code = text.charCodeAt(at);
			if (code === quote || code === backslash) break;
			if (code < firstPrintable) this.#noteRawControl(text.charAt(at), at);
		}
		this.#text.add(text.slice(from, at));
		if (at === text.length) return at;
		if (code === backslash) this.#state = "escape";
		else this.#endString();
		return at + 1;
	}

	#endString(): void {
		if (this.#inKey && this.#top?.kind === "object") {
			this.#top.key = this.#text.value;
			this.#state = "colon";
			return;
		}
		this.#put(this.#text.value);
		this.#completed();
	}

	#readEscape(text: string, at: number): number {
		const char = text.charAt(at);
		if (char === "u") {
			this.#hex = "";
			this.#state = "unicode";
			return at + 1;
		}
		const decoded = escapes.get(char);
		if (decoded === undefined) return this.#unexpected(char, at);
		this.#text.add(decoded);
		this.#state = "string";
		return at + 1;
	}

	#readUnicode(text: string, at: number): number {
		const char = text.charAt(at);
		if (!/[0-9a-fA-F]/.test(char)) return this.#unexpected(char, at);
		this.#hex += char;
		if (this.#hex.length === 4) {
			this.#text.add(String.fromCharCode(Number.parseInt(this.#hex, 16)));
			this.#state = "string";
		}
		return at + 1;
	}

	#readNumber(text: string, from: number): number {
		const start = this.#text.length - from;
		let at = from;
		for (; at < text.length; at++) {
			const part = numberPartAfter(this.#part, text.charAt(at));
			if (part === undefined) break;
			this.#part = part;
			const chars = start + at + 1;
			if (chars <= limits.openNumberChars && isWholeNumber(part)) this.#wholeChars = chars;
		}
		this.#text.add(text.slice(from, at));
		if (at === text.length) return at;
		if (!isWholeNumber(this.#part)) return this.#unexpected(text.charAt(at), at);
		this.#put(Number(this.#text.value));
		this.#completed();
		return at;
	}

	#readLiteral(text: string, at: number): number {
		const literal = this.#literal;
		const char = text.charAt(at);
		if (char !== literal?.word.charAt(this.#matched)) return this.#unexpected(char, at);
		this.#matched++;
		if (this.#matched === literal.word.length) {
			this.#put(literal.value);
			this.#completed();
		}
		return at + 1;
	}

	/** Puts the known part of an open string or number into its container. */
	#showOpen(): void {
		switch (this.#state) {
			case "string":
			case "escape":
			case "unicode":
				if (!this.#inKey) this.#put(this.#text.value);
				return;
			case "number":
				if (this.#wholeChars === this.#shownChars) return;
				this.#shownChars = this.#wholeChars;
				this.#put(Number(this.#text.value.slice(0, this.#wholeChars)));
		}
	}

	#put(value: unknown): void {
		const top = this.#top;
		if (top === undefined) this.#root = value;
		else if (top.kind === "array") top.holder[top.count] = value;
		else putField(top.holder, top.key, value);
	}

	#completed(): void {
		this.#text.clear();
		if (this.#top?.kind === "array") this.#top.count++;
		this.#state = this.#top === undefined ? "done" : "comma or close";
	}

	#noteRawControl(char: string, at: number): void {
		if (this.#rawControls === 0) this.#firstRawControl = `${printed(char)} at position ${this.#before + at}`;
		this.#rawControls++;
	}

	#unexpected(char: string, at: number): number {
		const where = `at position ${this.#before + at}`;
		return this.#fail(`unexpected ${printed(char)} ${where}, ${this.#expectation()}`, at);
	}

	#expectation(): string {
		switch (this.#state) {
			case "value":
				return "where a value should begin";
			case "item or ]":
				return "where a value or ] should be";
			case "key or }":
				return "where a quoted key or } should be";
			case "key":
				return "where a quoted key should be";
			case "colon":
				return "where the : after a key should be";
			case "comma or close":
				return `where a comma or ${this.#top?.kind === "array" ? "]" : "}"} should be`;
			case "escape":
			case "unicode":
				return "inside an escape sequence";
			case "done":
				return "after the end of the value";
			default:
				return `inside ${this.#openThing()}`;
		}
	}

	/** Nothing after the first error is read: a guess could run a tool with the wrong arguments. */
	#fail(reason: string, at: number): number {
		this.#showOpen();
		this.#reason = reason;
		this.#state = "failed";
		return at;
	}
}

/** A copy of an open object or array in which `inner`, the complete part of its open member, replaces that member. */
function closedPart(frame: Frame, isMemberOpen: boolean, inner?: Frame["holder"]): Frame["holder"] {
	if (frame.kind === "array") {
		const items = frame.holder.slice(0, frame.count);
		return inner === undefined ? items : [...items, inner];
	}
	const members = { ...frame.holder };
	if (isMemberOpen) delete members[frame.key];
	if (inner !== undefined) putField(members, frame.key, inner);
	return members;
}

function putField(holder: Record<string, unknown>, key: string, value: unknown): void {
	// Assignment to an inherited name may run a setter (`__proto__`); JSON names are always plain fields.
	if (key in Object.prototype) {
		Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
	} else {
		holder[key] = value;
	}
}

/** A character for display: printable ASCII unchanged, anything else by its number. */
function printed(char: string): string {
	if (char >= "!" && char <= "~") return `'${char}'`;
	return `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
