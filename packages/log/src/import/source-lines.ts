/** Reads a file of JSON lines piece by piece; a line that cannot be read is a line too. Or a file with one object. */
import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { extname } from "node:path";

import { isRecord } from "@tau/utils";

import { readSpan } from "../log/file/scan.ts";
import { limits } from "./limits.ts";
import type { SourceLine } from "./transcript.ts";

/** Empty lines are passed over. Throws what the file system says, and when the file is too large. */
export function* sourceLines(path: string, upTo: number = limits.fileBytes): Generator<SourceLine> {
	if (!statSync(path).isFile()) throw new Error(`${path} is not a file.`);
	const file = openSync(path, "r");
	try {
		const { size } = fstatSync(file);
		if (size > limits.fileBytes) throw new Error(`${path} is too large: ${size} bytes.`);
		yield* linesOf(file, Math.min(size, upTo), size <= upTo);
	} finally {
		closeSync(file);
	}
}

/** Undefined if the file is not one JSON object. Throws what the file system says. */
export function wholeObject(path: string): Record<string, unknown> | undefined {
	if (extname(path) !== ".json" || statSync(path).size > limits.lineBytes) return undefined;
	try {
		const value: unknown = JSON.parse(readFileSync(path, "utf8"));
		return isRecord(value) ? value : undefined;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

function* linesOf(file: number, end: number, isWhole: boolean): Generator<SourceLine> {
	let number = 0;
	/** What there is of a line that the last chunk did not end. */
	let begun = new Begun();
	for (let at = 0; at < end; at += limits.chunkBytes) {
		const bytes = readSpan(file, at, Math.min(limits.chunkBytes, end - at));
		let begin = 0;
		for (let newline = bytes.indexOf(0x0a); newline !== -1; newline = bytes.indexOf(0x0a, begin)) {
			begun.add(bytes.subarray(begin, newline));
			yield* read(begun.whole(), ++number);
			begun = new Begun();
			begin = newline + 1;
		}
		begun.add(bytes.subarray(begin));
	}
	// The other program may be writing it at this moment.
	if (isWhole) yield* read(begun.whole(), number + 1);
}

class Begun {
	readonly #parts: Buffer[] = [];
	#bytes = 0;

	add(part: Buffer): void {
		this.#bytes += part.length;
		if (this.#bytes > limits.lineBytes) this.#parts.length = 0;
		else this.#parts.push(part);
	}

	/** Undefined when it is too long. */
	whole(): Buffer | undefined {
		return this.#bytes > limits.lineBytes ? undefined : Buffer.concat(this.#parts);
	}
}

function* read(line: Buffer | undefined, number: number): Generator<SourceLine> {
	const text = line?.toString("utf8").trim();
	if (text === "") return;
	yield { number, value: text === undefined ? undefined : parse(text) };
}

function parse(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isRecord(value) ? value : undefined;
	} catch {
		// Counted as an unknown line.
		return undefined;
	}
}
