/** Lays out a growing text: parts of it that cannot change are parsed and wrapped once. */
import { wrapTextWithAnsi } from "../text.ts";
import { isComplete } from "./inline-parser.ts";
import type { Definition } from "./leaf.ts";
import { markdownLimits } from "./limits.ts";

export interface FlowOptions {
	width: number;
	definitions: ReadonlyMap<string, Definition>;
	paint: (text: string, isOpen: boolean) => string;
}

export class Flow {
	readonly #options: FlowOptions;
	/** The parsed text, its complete rows, and its last row. */
	#done = "";
	#rows: string[] = [];
	#last = "";
	/** How far the end of the next part has been searched. */
	#tried = 0;

	constructor(options: FlowOptions) {
		this.#options = options;
	}

	rows(text: string, isOpen: boolean): string[] {
		if (!text.startsWith(this.#done)) {
			this.#done = this.#last = "";
			this.#rows = [];
			this.#tried = 0;
		}
		for (let end = this.#partEnd(text); end !== undefined; end = this.#partEnd(text)) {
			const rows = this.#wrap(text.slice(this.#done.length, end), false);
			this.#last = rows.pop() ?? "";
			for (const row of rows) this.#rows.push(row);
			this.#done = text.slice(0, end);
			this.#tried = 0;
		}
		return [...this.#rows, ...this.#wrap(text.slice(this.#done.length), isOpen)];
	}

	#wrap(text: string, isOpen: boolean): string[] {
		return wrapTextWithAnsi(this.#last + this.#options.paint(text, isOpen), this.#options.width);
	}

	/** The end of the next part, if the text determines it; more text does not change it. */
	#partEnd(text: string): number | undefined {
		const start = this.#done.length;
		let from = start + Math.max(this.#tried, markdownLimits.partChars);
		for (; from < text.length; from = start + this.#tried) {
			const end = wordEnd(text, from);
			if (end === undefined) return undefined;
			const isLong = end - start >= markdownLimits.partMost;
			if (isLong || isComplete(text.slice(start, end), this.#options.definitions)) return end;
			this.#tried = end - start + markdownLimits.partStep;
		}
		return undefined;
	}
}

const betweenWords = /(?<=\S) (?=\S)/g;

/** The first single space between two words from there on that is not part of a hard break. */
function wordEnd(text: string, from: number): number | undefined {
	betweenWords.lastIndex = from;
	return betweenWords.exec(text)?.index;
}
