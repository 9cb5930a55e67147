/** Streams a file that is too large for memory, and stores only the requested lines. */
import { cutUtf8Bytes } from "@tau/utils";

import type { Page } from "./page.ts";

export interface Streamed {
	/** The number of lines; absent when the file was not read to the end. */
	total?: number;
}

const newline = 0x0a;

/** Stops after the page unless the lines have to be counted to the end. The chunks begin with the line `from`. */
export async function streamLines(
	chunks: AsyncIterable<Uint8Array>,
	page: Page,
	countAll: boolean,
	from = 1,
): Promise<Streamed> {
	const decoder = new TextDecoder();
	const line = new LineStart(page.keptBytes);
	let number = from;
	let isDone = false;
	for await (const chunk of chunks) {
		let at = 0;
		while (at < chunk.length) {
			const end = chunk.indexOf(newline, at);
			const isWanted = !isDone && number >= page.first;
			if (isWanted) line.push(chunk.subarray(at, end < 0 ? chunk.length : end));
			line.isOpen = end < 0;
			if (end < 0) break;
			if (isWanted) isDone = !take(page, line, decoder);
			number++;
			at = end + 1;
		}
		if (isDone && !countAll) return {};
	}
	if (!line.isOpen) return { total: number - 1 };
	// The last line has no end.
	if (!isDone && number >= page.first) take(page, line, decoder);
	return { total: number };
}

/** Returns whether more fits. */
function take(page: Page, line: LineStart, decoder: TextDecoder): boolean {
	const { bytes, behind } = line.end();
	const isTaken = page.add(decoder.decode(bytes), behind);
	return isTaken && !page.isFull;
}

/** The beginning of a line, which may come in many pieces. */
class LineStart {
	/** True when a part of the line has arrived, but not its end. */
	isOpen = false;
	readonly #kept: Uint8Array;
	#length = 0;
	#behind = 0;

	constructor(max: number) {
		this.#kept = new Uint8Array(max);
	}

	push(piece: Uint8Array): void {
		const part = piece.subarray(0, this.#kept.length - this.#length);
		this.#kept.set(part, this.#length);
		this.#length += part.length;
		this.#behind += piece.length - part.length;
	}

	/** The line so far, without a carriage return at its end; the next one starts. */
	end(): { bytes: Uint8Array; behind: number } {
		const isCarriage = this.#behind === 0 && this.#kept[this.#length - 1] === 0x0d;
		const whole = this.#kept.subarray(0, Math.max(0, this.#length - (isCarriage ? 1 : 0)));
		const behind = this.#behind;
		// The cut may have torn a character.
		const bytes = behind === 0 ? whole : cutUtf8Bytes(whole, whole.length - 1, "head");
		this.#length = 0;
		this.#behind = 0;
		return { bytes, behind: behind + whole.length - bytes.length };
	}
}
