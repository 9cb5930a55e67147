/** Collects an output of any length and returns the part that a model can use, with the address of the rest. */
import { OutputTail } from "@tau/sys";
import { cutUnits, stripControls } from "@tau/utils";
import type { ArtifactStore } from "@tau/session/artifacts";

import { limits } from "./limits.ts";
import { Spill } from "./spill.ts";

export interface SinkOptions {
	/** Whose output it is: part of the artifact's name. */
	tool: string;
	/** Without a store the part that is not shown is lost. */
	artifacts?: ArtifactStore;
	headBytes?: number;
	tailBytes?: number;
	windowBytes?: number;
}

export interface OutputSummary {
	/** Lines as a terminal would show them, with a note where some are left out. */
	text: string;
	totalBytes: number;
	totalLines: number;
	/** Something is left out: lines, or the ends of long lines. */
	truncated: boolean;
	/** The number of lines in the text that are lines of the output. */
	outputLines: number;
	artifactId?: string;
}

type Shown = Pick<OutputSummary, "text" | "truncated" | "outputLines">;

export class OutputSink implements Disposable {
	readonly #bounds: { headBytes: number; tailBytes: number };
	readonly #windowBytes: number;
	readonly #tail: OutputTail;
	readonly #head: Buffer[] = [];
	readonly #spill: Spill | undefined;
	#headRoom: number;
	#isSpilling = false;
	/** What is shown, until there is more of it. */
	#shown: Shown | undefined;

	constructor(options: SinkOptions) {
		const { headBytes = limits.headBytes, tailBytes = limits.tailBytes } = options;
		this.#bounds = { headBytes, tailBytes };
		this.#windowBytes = options.windowBytes ?? limits.windowBytes;
		this.#tail = new OutputTail(this.#windowBytes);
		this.#spill = options.artifacts && new Spill(options.artifacts, options.tool);
		this.#headRoom = headBytes;
	}

	get totalBytes(): number {
		return this.#tail.totalBytes;
	}

	get totalLines(): number {
		return this.#tail.totalLines;
	}

	/** The chunk is only valid during the call. */
	push(chunk: Uint8Array): void {
		this.#shown = undefined;
		if (this.#headRoom > 0) {
			this.#head.push(Buffer.from(chunk.subarray(0, this.#headRoom)));
			this.#headRoom -= chunk.length;
		}
		const isOver = this.#tail.totalBytes + chunk.length > this.#windowBytes;
		if (isOver && !this.#isSpilling) this.#spillAll(this.#tail.bytes());
		if (isOver) this.#spill?.write(chunk);
		this.#tail.push(chunk);
	}

	/** Returns the output so far. After the last call, the artifact has the part that is not shown. */
	summary(): OutputSummary {
		const { text, truncated, outputLines } = this.#show();
		if (truncated && !this.#isSpilling) this.#spillAll(this.#tail.bytes());
		const shown = truncated ? this.#show().text : text;
		const { totalBytes, totalLines } = this;
		const id = this.#spill?.id;
		return {
			text: shown,
			totalBytes,
			totalLines,
			truncated,
			outputLines,
			...(id === undefined ? {} : { artifactId: id }),
		};
	}

	/** Returns the end of the output, for live display. */
	live(): string {
		return this.#show().text;
	}

	/** Returns the lines after the first `seen`, as far as they are stored, and the number of complete lines. */
	since(seen: number): { text: string; lines: number } {
		const lines = shownLines(this.#tail.text());
		const total = this.#tail.totalLines;
		const first = Math.max(0, lines.length - Math.max(0, total - seen));
		const fresh = lastLines(lines.slice(first).map(capped), this.#bounds.tailBytes);
		const missed = Math.max(0, total - seen) - fresh.length;
		const note = missed > 0 ? [this.#note(seen + 1, seen + missed)] : [];
		const isOpen = this.#tail.totalBytes > 0 && this.#tail.bytes().at(-1) !== 0x0a;
		return { text: [...note, ...fresh].join("\n"), lines: total - (isOpen ? 1 : 0) };
	}

	[Symbol.dispose](): void {
		this.#spill?.[Symbol.dispose]();
	}

	#spillAll(bytes: Uint8Array): void {
		this.#isSpilling = true;
		this.#shown = undefined;
		this.#spill?.write(bytes);
	}

	/** Asked several times for a command that has ended. */
	#show(): Shown {
		return (this.#shown ??= this.#cut());
	}

	#cut(): Shown {
		const { headBytes, tailBytes } = this.#bounds;
		const isWhole = !this.#tail.truncated;
		const kept = shownLines(this.#tail.text());
		const lines = kept.map(capped);
		const isCut = lines.some((line, index) => line !== kept[index]);
		if (isWhole && size(lines) <= headBytes + tailBytes) {
			const note = isCut ? [this.#longLinesNote()] : [];
			const outputLines = lines.length;
			return { text: [...lines, ...note].join("\n").trimEnd(), truncated: isCut, outputLines };
		}
		const end = lastLines(lines, tailBytes);
		const lastLeftOut = this.#tail.totalLines - end.length;
		const start = firstLines((isWhole ? lines : this.#headLines()).slice(0, lastLeftOut), headBytes);
		const isAll = isWhole && start.length === lastLeftOut;
		const note = isAll ? [] : [this.#note(start.length + 1, lastLeftOut)];
		return {
			text: [...start, ...note, ...end].join("\n").trimEnd(),
			truncated: !isAll || isCut,
			outputLines: start.length + end.length,
		};
	}

	/** Returns whole lines only: the last line continues elsewhere. */
	#headLines(): string[] {
		const text = Buffer.concat(this.#head).toString("utf8");
		return shownLines(text.slice(0, text.lastIndexOf("\n") + 1)).map(capped);
	}

	#note(from: number, to: number): string {
		// Of one line alone, its start.
		if (from > to) return this.#longLinesNote();
		const lines = from === to ? `line ${from}` : `lines ${from}-${to}`;
		return `[${lines} of ${this.#tail.totalLines} omitted${this.#way()}]`;
	}

	#longLinesNote(): string {
		return `[parts of long lines are omitted${this.#way()}]`;
	}

	#way(): string {
		const { id, lost } = this.#spill ?? { id: undefined, lost: 0 };
		if (id === undefined) return "";
		const note = lost > 0 ? `, without the last ${lost} bytes` : "";
		return `: read artifact://${id} with offset and limit${note}`;
	}
}

function capped(line: string): string {
	if (line.length <= limits.lineChars) return line;
	const start = cutUnits(line, limits.lineChars);
	return `${start}… [${line.length - start.length} more characters]`;
}

function size(lines: readonly string[]): number {
	return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

function firstLines(lines: readonly string[], bytes: number): string[] {
	let room = bytes;
	const end = lines.findIndex((line) => (room -= Buffer.byteLength(line) + 1) < 0);
	return lines.slice(0, end < 0 ? lines.length : end);
}

/** The last one always: a line has a bound of its own. */
function lastLines(lines: readonly string[], bytes: number): string[] {
	let room = bytes;
	const start = lines.findLastIndex((line, index) => {
		room -= Buffer.byteLength(line) + 1;
		return room < 0 && index < lines.length - 1;
	});
	return lines.slice(start + 1);
}

/** Returns the lines without an empty one at the end: a newline ends a line and does not begin one. */
function shownLines(text: string): string[] {
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines.map((line) => stripControls(overwritten(line), { newline: false }));
}

/** A carriage return moves to the start of the line, and the following text overwrites the line. */
function overwritten(line: string): string {
	let end = line.length;
	while (line[end - 1] === "\r") end--;
	return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}
