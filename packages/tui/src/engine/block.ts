/** One block of a transcript: its rows in their layout, while it changes and after it is final. */
import { hasSeam, isScrolled, type Component } from "../component.ts";
import { engineLimits } from "../limits.ts";
import { firstUncommitted } from "./rewrap.ts";
import { Settling } from "./settle.ts";

/** A component in a transcript. It may change while `isFinal` returns false; without `isFinal` it never does. */
export interface TranscriptBlock extends Component {
	isFinal?(): boolean;
}

export class Block {
	readonly component: TranscriptBlock;
	/** The transcript's number of its first row, and how many there are. */
	start = 0;
	count = 0;
	/** The number of its rows that will not change any more. */
	settled = 0;
	/** The number of its rows that are in the terminal's history. */
	committed = 0;
	/** True if its rows are final: they are laid out once per width and never examined again. */
	frozen = false;
	/** The width of the layout; 0 before the first. */
	width = 0;
	#rows: string[] | undefined;
	/** True if its rows were released and not requested since. */
	#isReleased = false;
	#settling: Settling | undefined;
	/** Its component shows something else than the rows that are in the history. */
	#isStale = false;

	constructor(component: TranscriptBlock) {
		this.component = component;
	}

	/** Lays it out; for one that is final this is the last time at this width. */
	layout(width: number): void {
		const component: TranscriptBlock = this.component;
		this.#isReleased = false;
		this.#isStale = false;
		if (isScrolled(component)) {
			this.#rows = undefined;
			this.count = component.rowCount(width);
		} else {
			this.#rows = component.render(width);
			this.count = this.#rows.length;
		}
		// Known only now: a very long text may not be laid out to its end.
		const live = this.component.isFinal?.() === false;
		this.settled = live ? this.#settledRows(width) : this.count;
		this.frozen = !live;
		this.width = width;
		if (!live) this.#settling = undefined;
	}

	rows(from: number, to: number): string[] {
		this.#isReleased = false;
		if (isScrolled(this.component) && this.#rows === undefined) {
			const rows = this.component.rows(this.width, from, to);
			// A text that was replaced since it was counted may be shorter, until the next frame.
			while (rows.length < to - from) rows.push("");
			return rows;
		}
		const rows = this.#rows ?? this.component.render(this.width);
		// Released rows may come back in another number if the component was not final after all.
		return Array.from({ length: to - from }, (_, at) => rows[from + at] ?? "");
	}

	/** Releases rows that are in the history; if the block has to be drawn again, they are rendered again. */
	release(): void {
		if (!this.frozen || this.#isReleased) return;
		this.#isReleased = true;
		this.#rows = undefined;
		this.component.invalidate();
	}

	/** Its content has changed, but its rows in the history cannot: those that are still compared are kept. */
	keepRows(committed: number): void {
		if (this.start + this.count > committed - engineLimits.historyKept)
			this.#rows ??= this.rows(0, this.count);
		this.#isStale = true;
	}

	/** What it shows has changed: it is laid out again. */
	reopen(): void {
		this.component.invalidate();
		this.frozen = false;
		this.#settling = undefined;
	}

	/** Lays it out at another width and recomputes how much of it is in the history. */
	rewrap(width: number): void {
		if (width === this.width && !this.#isStale) return;
		const part = this.committed > 0;
		const whole = part && this.committed >= this.count;
		const known = part && !whole ? this.rows(0, this.committed) : [];
		this.#settling = undefined;
		this.layout(width);
		// What is in the history is found only in all of it.
		if (part) while (isScrolled(this.component) && this.component.isBehind?.()) this.layout(width);
		if (whole) this.committed = this.count;
		else this.committed = part ? firstUncommitted(known, this.rows(0, this.count)) : 0;
	}

	/** Call when the theme changes: rows that are not history yet are drawn in the new one. */
	invalidate(): void {
		this.component.invalidate();
		if (this.committed === 0) this.frozen = false;
	}

	/** Colors of code were loaded: rows that are not history yet get them. Scrolled components notice by themselves. */
	recolor(): void {
		if (this.committed > 0) return;
		this.frozen = false;
		if (!isScrolled(this.component)) this.component.invalidate();
	}

	#settledRows(width: number): number {
		const { component } = this;
		if (hasSeam(component)) {
			const live = component.liveFrom(width);
			return Math.min(this.count, Math.max(live, component.settledUpTo?.(width) ?? live));
		}
		this.#settling ??= new Settling();
		return this.#settling.watch(this.#rows ?? []);
	}
}
