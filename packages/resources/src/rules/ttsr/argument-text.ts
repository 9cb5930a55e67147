/** Parses the arguments of a call while they stream: JSON in arbitrary chunks, in one pass. */
import { limits } from "./limits.ts";

export interface ArgumentReader {
	/** Receives the literal JSON, with the escapes in its strings resolved. */
	json(text: string): void;
	/** Receives a chunk of a string value; `key` is the nearest property name. */
	value(key: string, text: string): void;
	/** The value has ended. */
	valueEnd(key: string): void;
}

interface Level {
	isObject: boolean;
	key: string;
}

const short: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

export class ArgumentText {
	readonly #reader: ArgumentReader;
	readonly #levels: Level[] = [];
	/** The nesting depth below the tracked level. */
	#beyond = 0;
	#isInText = false;
	#isName = false;
	#name = "";
	/** An incomplete escape sequence. */
	#escape = "";

	constructor(reader: ArgumentReader) {
		this.#reader = reader;
	}

	push(delta: string): void {
		let at = 0;
		while (at < delta.length) at = this.#isInText ? this.#text(delta, at) : this.#between(delta, at);
	}

	#between(delta: string, from: number): number {
		const quote = delta.indexOf('"', from);
		const to = quote < 0 ? delta.length : quote + 1;
		const piece = delta.slice(from, to);
		for (const char of piece) this.#structure(char);
		this.#reader.json(piece);
		return to;
	}

	#structure(char: string): void {
		const top = this.#levels.at(-1);
		if (char === "{" || char === "[") {
			if (this.#levels.length >= limits.argumentDepth) this.#beyond++;
			else this.#levels.push({ isObject: char === "{", key: top?.key ?? "" });
			this.#isName = char === "{";
		} else if (char === "}" || char === "]") {
			if (this.#beyond > 0) this.#beyond--;
			else this.#levels.pop();
		} else if (char === ",") this.#isName = top?.isObject ?? false;
		else if (char === ":") this.#isName = false;
		else if (char === '"') {
			this.#isInText = true;
			if (this.#isName) this.#name = "";
		}
	}

	#text(delta: string, from: number): number {
		if (this.#escape !== "") return this.#resolve(delta, from);
		const [quote, escape] = [delta.indexOf('"', from), delta.indexOf("\\", from)];
		const to = Math.min(quote < 0 ? delta.length : quote, escape < 0 ? delta.length : escape);
		if (to > from) this.#emit(delta.slice(from, to));
		if (to === delta.length) return to;
		if (to === escape) this.#escape = "\\";
		else this.#close();
		return to + 1;
	}

	#resolve(delta: string, from: number): number {
		this.#escape += delta[from] ?? "";
		const kind = this.#escape[1] ?? "";
		if (kind === "u" && this.#escape.length < 6) return from + 1;
		const code = Number.parseInt(this.#escape.slice(2), 16);
		const text =
			kind === "u" ? String.fromCharCode(Number.isNaN(code) ? 0xfffd : code) : (short[kind] ?? kind);
		this.#escape = "";
		this.#emit(text);
		return from + 1;
	}

	#emit(text: string): void {
		this.#reader.json(text);
		if (!this.#isName) this.#reader.value(this.#key, text);
		else if (this.#name.length < limits.pathChars) this.#name += text;
	}

	#close(): void {
		this.#isInText = false;
		this.#reader.json('"');
		const top = this.#levels.at(-1);
		if (!this.#isName) this.#reader.valueEnd(this.#key);
		else if (top && this.#beyond === 0) top.key = this.#name;
	}

	get #key(): string {
		return this.#levels.at(-1)?.key ?? "";
	}
}
