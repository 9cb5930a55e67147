/** A position in a line, in characters and columns; a tab extends to the next multiple of four. */

const tabStop = 4;

export class LineCursor {
	readonly text: string;
	at = 0;
	#column = 0;
	/** True if the tab at `at` is partly consumed. */
	#isInTab = false;
	/** The next non-space character, and the columns before it. */
	next = 0;
	indent = 0;

	constructor(text: string) {
		this.text = text;
		this.#look();
	}

	get isBlank(): boolean {
		return this.next >= this.text.length;
	}

	/** Indented enough for an indented code block. */
	get isIndented(): boolean {
		return this.indent >= tabStop;
	}

	/** The text from the next non-space character on. */
	get word(): string {
		return this.text.slice(this.next);
	}

	/** The remaining text, with the rest of a partly consumed tab as spaces. */
	get rest(): string {
		if (!this.#isInTab) return this.text.slice(this.at);
		return " ".repeat(tabStop - (this.#column % tabStop)) + this.text.slice(this.at + 1);
	}

	/** Skips up to this many columns of white space. */
	skipColumns(count: number): void {
		let left = count;
		while (left > 0) {
			const unit = this.text[this.at];
			if (unit !== " " && unit !== "\t") break;
			const columns = unit === "\t" ? tabStop - (this.#column % tabStop) : 1;
			this.#isInTab = columns > left;
			this.#column += Math.min(columns, left);
			if (!this.#isInTab) this.at++;
			left -= columns;
		}
		this.#look();
	}

	/** Advances to the next non-space character, and by this many characters more. */
	skipWord(characters: number): void {
		this.#column += this.indent + characters;
		this.at = this.next + characters;
		this.#isInTab = false;
		this.#look();
	}

	#look(): void {
		let at = this.at;
		let column = this.#column;
		for (; at < this.text.length; at++) {
			const unit = this.text[at];
			if (unit === "\t") column += tabStop - (column % tabStop);
			else if (unit === " ") column++;
			else break;
		}
		this.next = at;
		this.indent = column - this.#column;
	}
}
