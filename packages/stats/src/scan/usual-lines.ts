/**
 * Reads the usual messages of a session straight from their bytes: decoding and parsing their ends took half of a first scan. What is
 * written in any other way is left to the parser.
 */
import { limits } from "../limits.ts";

/** What an answer that did not fail says behind its content. */
export interface UsualAnswer {
	kind: "answer";
	entry: string;
	provider: string;
	model: string;
	timestamp: number;
	durationMs: number | undefined;
	ttftMs: number | undefined;
	/** Input, output, cache read, cache write, all. */
	tokens: readonly number[];
	/** Dollars: input, output, cache read, cache write, all. */
	cost: readonly number[];
}

export interface UsualResult {
	kind: "result";
	tool: string;
	isError: boolean;
	timestamp: number;
	durationMs: number | undefined;
}

/** Text with holes: `$` is a name that repeats, `@` one that does not, `#` a number, `?` a value that nobody needs. */
type Shape = readonly { before: Uint8Array; hole: string }[];

const entryHead = shapeOf('{"type":"message","id":@,"parentId":?,"timestamp":?,"message":{"role":');
const answerHead = shapeOf('"assistant","content":[');
const resultHead = shapeOf('"toolResult","toolCallId":?,"toolName":$,"content":[');
const answerTail = shapeOf(
	'],"api":?,"provider":$,"model":$,"usage":{"input":#,"output":#,"cacheRead":#,"cacheWrite":#,"totalTokens":#,' +
		'"cost":{"input":#,"output":#,"cacheRead":#,"cacheWrite":#,"total":#}},"stopReason":$',
);
/** Quotes in a string would be escaped, so these are keys. */
const contentEnd = bytesOf('],"api":"');
const resultEnd = bytesOf(',"isError":');
const timestampField = shapeOf(',"timestamp":#');
const durationField = shapeOf(',"durationMs":#');
const usageKey = bytesOf('"usage":{');

/** Powers of ten up to this are exact as numbers. */
const exactPower = 22;
const powers = Array.from({ length: exactPower + 1 }, (_, exponent) => 10 ** exponent);
/** Models, tools and keys: far fewer, unless a file was made to have more. */
const namesKept = 1024;

export class UsualLines {
	#bytes: Buffer = Buffer.alloc(0);
	#at = 0;
	#end = 0;
	#numbers: number[] = [];
	#strings: string[] = [];
	#names = new Map<number, { name: string; bytes: Uint8Array }>();

	/** Undefined for everything but answers and results of tools that are written as usual. */
	read(bytes: Buffer, start: number, end: number): UsualAnswer | UsualResult | undefined {
		this.#bytes = bytes;
		this.#at = start;
		this.#end = end;
		this.#strings = [];
		if (!this.#matches(entryHead)) return undefined;
		if (this.#matches(answerHead)) return this.#answer();
		return this.#matches(resultHead) ? this.#result() : undefined;
	}

	#answer(): UsualAnswer | undefined {
		this.#numbers = [];
		if (!this.#toLast(contentEnd, limits.tailBytes) || !this.#matches(answerTail)) return undefined;
		const [entry = "", provider = "", model = "", stopReason] = this.#strings;
		if (stopReason === "error" || stopReason === "aborted") return undefined;
		const tokens = this.#numbers;
		const cost = tokens.splice(5);
		let timestamp = 0;
		let durationMs: number | undefined;
		let ttftMs: number | undefined;
		while (this.#skip(0x2c)) {
			const key = this.#name();
			if (key === undefined || !this.#skip(0x3a)) return undefined;
			const isTime = key === "timestamp" || key === "durationMs" || key === "ttftMs";
			if (!isTime) {
				// pi and omp call these times differently.
				if (key === "duration" || key === "ttft" || !this.#value()) return undefined;
				continue;
			}
			const value = this.#number();
			if (value === undefined) return undefined;
			if (key === "timestamp") timestamp = value;
			else if (key === "durationMs") durationMs = value;
			else ttftMs = value;
		}
		if (!this.#isLineEnd()) return undefined;
		return { kind: "answer", entry, provider, model, timestamp, durationMs, ttftMs, tokens, cost };
	}

	#result(): UsualResult | undefined {
		const [, tool = ""] = this.#strings;
		const headEnd = this.#at;
		if (!this.#toLast(resultEnd, limits.resultTailBytes)) return undefined;
		// What the tool paid stands before this, behind the content.
		if (this.#bytes[this.#at - 1] !== 0x5d && this.#hasUsage(headEnd)) return undefined;
		this.#at += resultEnd.length;
		const isError = this.#bytes[this.#at] === 0x74;
		if (!this.#value()) return undefined;
		this.#numbers = [];
		if (!this.#matches(timestampField)) return undefined;
		const hasDuration = this.#bytes[this.#at] === 0x2c;
		if ((hasDuration && !this.#matches(durationField)) || !this.#isLineEnd()) return undefined;
		const [timestamp = 0, durationMs] = this.#numbers;
		return { kind: "result", tool, isError, timestamp, durationMs };
	}

	/** Goes to the last place of the text within this many bytes before the end of the line. */
	#toLast(text: Uint8Array, within: number): boolean {
		const first = text[0];
		const least = Math.max(this.#at - 1, this.#end - within);
		const bytes = this.#bytes;
		for (let at = this.#end - text.length; at >= least; at--) {
			if (bytes[at] !== first || !this.#isAt(text, at)) continue;
			this.#at = at;
			return true;
		}
		return false;
	}

	#hasUsage(from: number): boolean {
		const least = Math.max(from, this.#end - limits.resultTailBytes);
		for (let at = this.#at - usageKey.length; at >= least; at--)
			if (this.#bytes[at] === 0x22 && this.#isAt(usageKey, at)) return true;
		return false;
	}

	#matches(shape: Shape): boolean {
		for (const { before, hole } of shape) {
			if (!this.#isAt(before, this.#at)) return false;
			this.#at += before.length;
			if (hole === "#") {
				const value = this.#number();
				if (value === undefined) return false;
				this.#numbers.push(value);
			} else if (hole === "$" || hole === "@") {
				const name = this.#name(hole === "$");
				if (name === undefined) return false;
				this.#strings.push(name);
			} else if (hole === "?" && !this.#value()) return false;
		}
		return true;
	}

	#isAt(text: Uint8Array, at: number): boolean {
		const bytes = this.#bytes;
		const { length } = text;
		if (at + length > this.#end) return false;
		for (let index = 0; index < length; index++) if (bytes[at + index] !== text[index]) return false;
		return true;
	}

	#skip(byte: number): boolean {
		if (this.#bytes[this.#at] !== byte || this.#at >= this.#end) return false;
		this.#at++;
		return true;
	}

	/** The message and its entry end, and nothing follows. */
	#isLineEnd(): boolean {
		return this.#skip(0x7d) && this.#skip(0x7d) && this.#at === this.#end;
	}

	/** A string of ASCII without escapes. */
	#name(isRepeated = true): string | undefined {
		if (!this.#skip(0x22)) return undefined;
		const bytes = this.#bytes;
		const end = this.#end;
		const from = this.#at;
		let hash = 0x811c9dc5;
		for (let at = from; at < end; at++) {
			const byte = bytes[at] ?? 0;
			if (byte === 0x22) {
				this.#at = at + 1;
				return isRepeated ? this.#known(hash, from, at) : this.#text(from, at);
			}
			if (byte < 0x20 || byte === 0x5c || byte >= 0x7f) return undefined;
			hash = Math.imul(hash ^ byte, 0x01000193);
		}
		return undefined;
	}

	#known(hash: number, from: number, to: number): string {
		const known = this.#names.get(hash);
		if (known?.bytes.length === to - from && this.#isAt(known.bytes, from)) return known.name;
		const name = this.#text(from, to);
		if (this.#names.size >= namesKept) this.#names.clear();
		this.#names.set(hash, { name, bytes: Uint8Array.from(this.#bytes.subarray(from, to)) });
		return name;
	}

	#text(from: number, to: number): string {
		return this.#bytes.toString("latin1", from, to);
	}

	#number(): number | undefined {
		const isNegative = this.#skip(0x2d);
		const from = this.#at;
		const whole = this.#digits(0);
		if (this.#at === from) return undefined;
		let mantissa = whole;
		let exponent = 0;
		if (this.#skip(0x2e)) {
			const point = this.#at;
			mantissa = this.#digits(whole);
			exponent = point - this.#at;
		}
		if (this.#skip(0x65)) {
			const isSmall = this.#skip(0x2d);
			if (!isSmall) this.#skip(0x2b);
			const value = this.#digits(0);
			exponent += isSmall ? -value : value;
		}
		if (exponent < -exactPower || exponent > exactPower) return undefined;
		const power = powers[Math.abs(exponent)] ?? 1;
		const value = exponent < 0 ? mantissa / power : mantissa * power;
		return isNegative ? -value : value;
	}

	#digits(value: number): number {
		const bytes = this.#bytes;
		const end = this.#end;
		let at = this.#at;
		let sum = value;
		for (; at < end; at++) {
			const digit = (bytes[at] ?? 0) - 0x30;
			if (digit < 0 || digit > 9) break;
			sum = sum * 10 + digit;
		}
		this.#at = at;
		return sum;
	}

	/** Passes over a string, a number, true, false or null. */
	#value(): boolean {
		if (!this.#skip(0x22)) return this.#word();
		const bytes = this.#bytes;
		const end = this.#end;
		for (let at = this.#at; at < end; at++) {
			const byte = bytes[at];
			if (byte === 0x5c) at++;
			else if (byte === 0x22) {
				this.#at = at + 1;
				return true;
			}
		}
		return false;
	}

	#word(): boolean {
		const from = this.#at;
		for (; this.#at < this.#end; this.#at++) {
			const byte = this.#bytes[this.#at] ?? 0;
			const isPart = (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x2b && byte <= 0x39 && byte !== 0x2c);
			if (!isPart) break;
		}
		return this.#at > from;
	}
}

function bytesOf(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}

function shapeOf(text: string): Shape {
	const parts = text.split(/([$@#?])/);
	return parts.flatMap((part, at) =>
		at % 2 === 0 ? [{ before: bytesOf(part), hole: parts[at + 1] ?? "" }] : [],
	);
}
