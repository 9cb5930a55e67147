/** The arithmetic of the append-only terminal: which rows go into its history, and which are on the screen. */

/** The measurements of one frame. Rows are counted from the first row of the frame. */
export interface Heights {
	/** The number of rows of the frame. */
	length: number;
	/** B: rows before it are final. */
	boundary: number;
	/** The row at which the content ends and the chrome begins; equal to the length if there is no chrome. */
	contentEnd: number;
	/** The height of the terminal. */
	height: number;
}

export interface Step {
	/** The rows that enter the history with this frame. */
	chunk: { from: number; to: number };
	/** The rows on the screen afterwards. */
	window: { from: number; to: number };
}

/** `none` while an overlay is shown; `all` in the last frame, which must write everything. */
export type Commits = "settled" | "none" | "all";

export class Ledger {
	/** C: rows before it are in the terminal's history, permanently. */
	#committed = 0;
	#contentEnd = 0;
	/** The height of the chrome when the content last changed. */
	#restingChrome = 0;

	get committed(): number {
		return this.#committed;
	}

	/** Call when the history was cleared, or when rows are recounted and this many of them are in it. */
	restart(committed = 0): void {
		this.#committed = committed;
		this.#contentEnd = -1;
	}

	/**
	 * Call when a component has changed rows of the history, from `from` on. The old rows stay; the new ones are shown
	 * from here, and written again when they are final: twice is better than never.
	 */
	anchor(from: number, { length, height }: Heights): void {
		this.#committed = Math.min(this.#committed, from, Math.max(0, length - height));
	}

	step(frame: Heights, commits: Commits): Step {
		const from = this.#committed;
		const top = Math.max(from, frame.length - frame.height);
		const boundary = commits === "all" ? frame.length : frame.boundary;
		const requested = commits === "none" ? from : this.#wanted(frame, commits);
		const to = Math.max(from, Math.min(boundary, top, requested));
		this.#committed = to;
		return { chunk: { from, to }, window: { from: top, to: frame.length } };
	}

	/**
	 * Chrome that grows and shrinks again (a menu, a longer prompt) commits no rows to the history: the rows that it
	 * covers come back. They are committed as soon as the content itself grows.
	 */
	#wanted({ length, contentEnd, height }: Heights, commits: Commits): number {
		const chrome = length - contentEnd;
		if (contentEnd !== this.#contentEnd || commits === "all") {
			this.#contentEnd = contentEnd;
			this.#restingChrome = chrome;
		}
		return contentEnd + Math.min(chrome, this.#restingChrome) - height;
	}
}
