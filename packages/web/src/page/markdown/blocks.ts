/** Cuts Markdown that is still being written into blocks: those that cannot change any more, and the open one at the end. */

export interface Block {
	readonly text: string;
	/** A fenced block of code: its language and its lines, without the fences. */
	readonly code?: { readonly language: string; readonly text: string };
}

const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$/;
const item = /^(?:[-*+]|\d{1,9}[.)])[ \t]/;

/** Takes text as it grows. `finished` only gets longer; `open` is what may still change. */
export class BlockCutter {
	readonly finished: Block[] = [];
	/** The first line that is in no finished block, and how far lines were read. */
	#start = 0;
	#read = 0;
	#fence: { mark: string; language: string; bodyAt: number } | undefined;
	#text = "";

	/** `text` is the whole so far; what was given before is its beginning. */
	take(text: string, isDone: boolean): void {
		this.#text = text;
		for (let end = text.indexOf("\n", this.#read); end !== -1; end = text.indexOf("\n", this.#read)) {
			this.#line(text.slice(this.#read, end), this.#read, end + 1);
			this.#read = end + 1;
		}
		if (!isDone) return;
		// The last line of an answer, often the end of a block of code, has no line break.
		if (this.#read < text.length) this.#line(text.slice(this.#read), this.#read, text.length);
		this.#finish();
	}

	/** The block at the end; its text is empty when there is none. */
	get open(): Block {
		const text = this.#text.slice(this.#start);
		if (!this.#fence) return { text };
		return { text, code: { language: this.#fence.language, text: this.#text.slice(this.#fence.bodyAt) } };
	}

	#line(line: string, from: number, next: number): void {
		if (this.#fence) {
			const { mark, language, bodyAt } = this.#fence;
			const closing = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
			if (closing === undefined || closing.charAt(0) !== mark.charAt(0) || closing.length < mark.length)
				return;
			this.#fence = undefined;
			this.#cut(next, { language, text: this.#text.slice(bodyAt, Math.max(bodyAt, from - 1)) });
			return;
		}
		const [, mark, language = ""] = fence.exec(line) ?? [];
		if (mark !== undefined) {
			this.#cut(from);
			this.#fence = { mark, language, bodyAt: next };
			return;
		}
		// A blank line ends a paragraph, not a list item, whose next line may be indented.
		if (line.trim() === "" && !this.#isInList()) return this.#cut(next);
		// Each item is a block: a list of thousands is not parsed again for each new one.
		const startsBlock = item.test(line) || (/^\S/.test(line) && this.#endsBlank(from));
		if (startsBlock && from > this.#start) this.#cut(from);
	}

	#isInList(): boolean {
		return item.test(this.#text.slice(this.#start, this.#start + 16));
	}

	#endsBlank(at: number): boolean {
		return /\n[ \t]*\n$/.test(this.#text.slice(Math.max(this.#start, at - 80), at));
	}

	#cut(end: number, code?: Block["code"]): void {
		const text = this.#text.slice(this.#start, end);
		this.#start = end;
		if (text.trim() !== "") this.finished.push(code ? { text, code } : { text });
	}

	#finish(): void {
		if (this.#fence) {
			const { language, bodyAt } = this.#fence;
			this.#fence = undefined;
			this.#cut(this.#text.length, { language, text: this.#text.slice(bodyAt) });
		} else this.#cut(this.#text.length);
		this.#read = this.#text.length;
	}
}
