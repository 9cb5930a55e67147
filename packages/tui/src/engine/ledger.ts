/** The arithmetic of the append-only terminal: which rows go into its history, and which are on the screen. */

/** One frame, as far as the ledger is concerned. Rows are counted from the frame's first. */
export interface Heights {
	/** Rows of the whole frame. */
	length: number;
	/** B: rows before it are final. */
	boundary: number;
	/** Where the scrolled content ends and the chrome below it begins; the length where there is none. */
	contentEnd: number;
	/** Rows of the terminal. */
	height: number;
}

export interface Step {
	/** The rows that enter the history with this frame. */
	chunk: { from: number; to: number };
	/** The rows on the screen afterwards. */
	window: { from: number; to: number };
}

/** `none` while an overlay is shown; `all` in the last frame of a run, which must not keep anything to itself. */
export type Commits = "settled" | "none" | "all";

export class Ledger {
	/** C: rows before it are in the terminal's history, for ever. */
	#committed = 0;
	#contentEnd = 0;
	/** Rows of chrome when the content last changed. */
	#restingChrome = 0;

	get committed(): number {
		return this.#committed;
	}

	/** The history was cleared, or rows are counted anew and these of them are in it. */
	restart(committed = 0): void {
		this.#committed = committed;
		this.#contentEnd = -1;
	}

	/**
	 * A component has changed rows that are history, from `from` on. What is there stays there; the rows are shown
	 * again from here, and written again when they are final: twice is better than never.
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
	 * Chrome that grows and shrinks again (a menu, a longer prompt) pushes nothing into the history: the rows that it
	 * covers come back. They are written for good as soon as the content itself goes on.
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
