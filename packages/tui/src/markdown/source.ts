/** Reads streaming Markdown: finished leaves, and those at its end that may still change. */
import { ControlStripper } from "@tau/utils";

import { BlockParser } from "./block-parser.ts";
import { tableCells } from "./block-starts.ts";
import type { Definition, Leaf } from "./leaf.ts";
import { markdownLimits } from "./limits.ts";

/** Ambiguous characters at the start of a line: the next character decides what it is. */
const undecided = /^[\s>]*(?:[-+*_=~`#|:]+|\d{1,9}[.)]?)[ \t]*$/;

export class Source {
	readonly #parser = new BlockParser();
	readonly #stripper = new ControlStripper();
	/** The incomplete last line, and whether its start was passed to the parser already. */
	#line = "";
	#isRest = false;
	#endsWithReturn = false;

	/** The finished leaves, in order; leaves are only appended. */
	get closed(): readonly Leaf[] {
		return this.#parser.leaves;
	}

	get definitions(): ReadonlyMap<string, Definition> {
		return this.#parser.definitions;
	}

	/** The leaf with complete lines to which more may be added. */
	get open(): Leaf | undefined {
		return this.#parser.openLeaf();
	}

	append(text: string): void {
		const lines = this.#stripper.push(this.#withLineFeeds(text)).split("\n");
		for (const [at, part] of lines.entries()) {
			this.#line += part;
			this.#cut();
			if (at === lines.length - 1) break;
			this.#give(this.#line);
			this.#line = "";
			this.#isRest = false;
		}
	}

	/**
	 * Shows the text after the closed leaves: as the end of the text, or, while more may follow, as what it will most
	 * likely become. The leaves are valid only during the call.
	 */
	withTail<T>(mayGrow: boolean, show: (tail: readonly Leaf[]) => T): T {
		const parser = this.#parser;
		const mark = parser.mark();
		const isHeld = mayGrow && !this.#isRest && undecided.test(this.#line);
		if (this.#line !== "" && !isHeld) this.#give(this.#line);
		if (!mayGrow) parser.end();
		const tail = parser.leaves.slice(mark.leaves);
		const open = parser.openLeaf();
		if (open) tail.push(...(open.kind === "paragraph" ? likelyTable(open) : [open]));
		try {
			return show(tail);
		} finally {
			parser.reset(mark);
		}
	}

	/** The parser strips other line ends as control characters. */
	#withLineFeeds(text: string): string {
		const whole = this.#endsWithReturn ? `\r${text}` : text;
		this.#endsWithReturn = whole.endsWith("\r");
		const known = this.#endsWithReturn ? whole.slice(0, -1) : whole;
		return known.includes("\r") ? known.replaceAll(/\r\n?/g, "\n") : known;
	}

	/** Passes on the start of a line that is too long to be parsed repeatedly. */
	#cut(): void {
		while (this.#line.length > markdownLimits.lineChars) {
			const space = this.#line.lastIndexOf(" ", markdownLimits.lineChars);
			const isPair = /[\ud800-\udbff]/.test(this.#line.charAt(markdownLimits.lineChars - 1));
			const end = space > 0 ? space : markdownLimits.lineChars - (isPair ? 1 : 0);
			this.#give(this.#line.slice(0, end));
			this.#line = this.#line.slice(space > 0 ? end + 1 : end);
			this.#isRest = true;
		}
	}

	#give(line: string): void {
		if (this.#isRest) this.#parser.moreOfLine(line);
		else this.#parser.line(line);
	}
}

/** A line with bars at the end of the text is likely the header of a table. */
function likelyTable(paragraph: Extract<Leaf, { kind: "paragraph" }>): Leaf[] {
	const lines = paragraph.text.split("\n");
	const last = lines.at(-1) ?? "";
	const isRuled = lines.length > 1 && /^\|?[-:| \t]*$/.test(last) && isRow(lines.at(-2) ?? "");
	if (!isRuled && !isRow(last)) return [paragraph];
	const header = tableCells(lines.at(isRuled ? -2 : -1) ?? "");
	const before = lines.slice(0, isRuled ? -2 : -1).join("\n");
	const { path, blank } = paragraph;
	const table: Leaf = {
		kind: "table",
		path,
		blank: blank && before === "",
		align: header.map(() => undefined),
		header,
		rows: [],
		isOpen: true,
		isGuess: true,
	};
	return before === "" ? [table] : [{ ...paragraph, text: before }, table];
}

function isRow(line: string): boolean {
	return line.startsWith("|") && line.length > 1;
}
