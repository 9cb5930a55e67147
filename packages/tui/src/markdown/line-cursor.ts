/** A place in a line, counted in characters and in columns, where a tab reaches to the next multiple of four. */

const tabStop = 4;

export class LineCursor {
	readonly text: string;
	at = 0;
	#column = 0;
	/** Only a part of the tab at `at` has been passed. */
	#isInTab = false;
	/** The next character that is no white space, and the columns before it. */
	next = 0;
	indent = 0;

	constructor(text: string) {
		this.text = text;
		this.#look();
	}

	get isBlank(): boolean {
		return this.next >= this.text.length;
	}

	/** Indented so far that it is code where code may stand. */
	get isIndented(): boolean {
		return this.indent >= tabStop;
	}

	/** From the next character that is no white space. */
	get word(): string {
		return this.text.slice(this.next);
	}

	/** What is left, with the rest of a broken tab as spaces. */
	get rest(): string {
		if (!this.#isInTab) return this.text.slice(this.at);
		return " ".repeat(tabStop - (this.#column % tabStop)) + this.text.slice(this.at + 1);
	}

	/** Passes so many columns of white space, as far as there are any. */
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

	/** To the next character that is no white space, and so many characters on. */
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
