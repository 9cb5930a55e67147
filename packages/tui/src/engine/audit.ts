/** Watches the end of the history: a component that changes rows which are already there must not hide any row. */
import { engineLimits } from "../limits.ts";
import { makeRow, plainText, type Row } from "./row.ts";

/** The rows of a frame by number; fewer when the frame ends before `to`. */
export interface RowSource {
	rows(from: number, to: number): string[];
}

export class HistoryAudit {
	/** The last rows that were committed, as they were then. */
	#kept: Row[] = [];

	restart(): void {
		this.#kept = [];
	}

	commit(rows: readonly Row[]): void {
		for (const row of rows.slice(-engineLimits.historyKept)) this.#kept.push(row);
		const over = this.#kept.length - engineLimits.historyKept;
		// In batches: removing one row from the front for each committed row would move the whole list each time.
		if (over > engineLimits.historyKept) this.#kept.splice(0, over);
	}

	/** Call when the ledger moves back: the last rows are no longer history. */
	truncate(rows: number): void {
		if (rows > 0) this.#kept.splice(Math.max(0, this.#kept.length - rows));
	}

	/**
	 * The first row that has changed, or `undefined` if the history is unchanged. A single row that differs was edited
	 * or ticks: its old text stays, unless the row has moved down or was incomplete. A frame that is shorter and differs
	 * has lost rows, and everything below them has moved.
	 */
	firstChange(frame: RowSource, committed: number, width: number, shorter: boolean): number | undefined {
		const { sampled } = this.#compare(frame, committed, width, engineLimits.auditRows);
		const [row, ...more] = sampled;
		if (row === undefined) return undefined;
		const alone = more.length === 0 && !shorter;
		if (
			alone &&
			!this.#movedDown(frame, committed, width, row) &&
			!this.#grew(frame, committed, width, row)
		) {
			return undefined;
		}
		return this.#compare(frame, committed, width, engineLimits.historyKept).first;
	}

	#movedDown(frame: RowSource, committed: number, width: number, row: number): boolean {
		const then = this.#kept[this.#kept.length - (committed - row)];
		const below = frame.rows(row + 1, row + 1 + engineLimits.auditRows);
		return then !== undefined && below.some((raw) => isSame(then, raw, width));
	}

	/** True if the last row of the history was incomplete when it was committed. */
	#grew(frame: RowSource, committed: number, width: number, row: number): boolean {
		const [now = ""] = frame.rows(row, row + 1);
		const then = this.#kept.at(-1);
		return (
			row === committed - 1 &&
			then !== undefined &&
			plainText(makeRow(now, width)).startsWith(plainText(then))
		);
	}

	/** The first row that differs, and the differing ones among the samples: the last rows that are informative. */
	#compare(frame: RowSource, committed: number, width: number, most: number) {
		const count = Math.min(this.#kept.length, most, committed);
		const start = committed - count;
		const now = frame.rows(start, committed);
		const sampled: number[] = [];
		let samples = 0;
		let first: number | undefined;
		for (let at = count - 1; at >= 0; at--) {
			const then = this.#kept[this.#kept.length - count + at];
			if (then === undefined) continue;
			const same = isSame(then, now[at], width);
			if (!same) first = start + at;
			// A row that was blank and still is carries no information.
			if (samples === engineLimits.auditSamples || (same && plainText(then) === "")) continue;
			samples++;
			if (!same) sampled.push(start + at);
		}
		return { sampled, first };
	}
}

/** Ignores colors: a change of theme must not write everything twice. */
function isSame(then: Row, raw: string | undefined, width: number): boolean {
	if (raw === undefined) return false;
	return then.raw === raw || plainText(then) === plainText(makeRow(raw, width));
}
