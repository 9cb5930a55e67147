/** Draws frames on the normal screen: history above, the window below, and rows of the history are never overwritten. */
import { takeForgotten } from "../images/placed.ts";
import { engineLimits } from "../limits.ts";
import { HistoryAudit } from "./audit.ts";
import type { Frame } from "./frame.ts";
import { Ledger, type Commits } from "./ledger.ts";
import { layLayers, type Layer } from "./overlay.ts";
import { blankRow, makeRow, type Row, plainText } from "./row.ts";
import { Screen, type Caret } from "./screen.ts";
import { firstUncommitted } from "./rewrap.ts";

export interface Painted {
	/** The bytes of the rows; empty when none has changed. */
	body: string;
	/** The bytes that move the cursor to its place. */
	cursor: string;
	hasCaret: boolean;
	/** The state of the ledger, for the log. */
	committed: number;
	windowTop: number;
	length: number;
}

/** Erases the scrollback. Used only after an action of the user, and never in a multiplexer. */
const eraseAll = "\x1b[2J\x1b[H\x1b[3J";

interface Size {
	columns: number;
	rows: number;
}

export class Painter {
	readonly #ledger = new Ledger();
	readonly #audit = new HistoryAudit();
	readonly #screen: Screen;
	#frame: Frame | undefined;
	#known = new Map<string, Row>();
	#width = 0;
	/** The number of the first row on the screen; undefined while overlays cover rows. */
	#window: number | undefined;
	#clear = "";
	/** The number of committed rows that components know of. */
	#reportedRows = -1;

	/** In a multiplexer rows are wrapped again when a pane becomes narrower. */
	constructor(isMultiplexer: () => boolean) {
		this.#screen = new Screen(isMultiplexer);
	}

	/** Starts a region at the cursor: at the start, and after another program used the terminal. */
	open(): void {
		this.#screen.open();
	}

	/** Makes the next frame write all rows of the window again. */
	rewrite(): void {
		this.#screen.forget();
		this.#known.clear();
	}

	/** Makes the next frame show everything from its first row; `erase` clears the screen and the scrollback first. */
	replace(erase: boolean): void {
		this.#ledger.restart();
		this.#reportedRows = -1;
		this.#audit.restart();
		this.#known.clear();
		if (erase) {
			this.#clear = eraseAll;
			this.#screen.open();
		} else this.#screen.forget();
	}

	/** Call when the terminal was resized and its history cannot be rewritten. */
	rewrap({ columns, rows }: Size, cursorRow: number | undefined, compose: () => Frame): void {
		const pushed = this.#screen.resized(columns, rows, cursorRow);
		if (pushed > 0) this.#adopt(pushed);
		// Where the terminal answers, it may say later that rows went astray: then older ones are needed again.
		if (columns !== this.#width) this.recount(columns, cursorRow !== undefined, compose);
	}

	/** What was written since may not be what the terminal shows: rows from `from` on are written again. */
	rollBack(from: number): void {
		this.#screen.lose();
		this.#window = undefined;
		const { committed } = this.#ledger;
		if (from >= committed) return;
		this.#ledger.restart(from);
		this.#audit.truncate(committed - from);
		if (this.#frame) this.#emitCommitted(this.#frame);
	}

	get committed(): number {
		return this.#ledger.committed;
	}

	/** The terminal has pushed rows out of its top by itself: those that are final are in its history now. */
	#adopt(pushed: number): void {
		const frame = this.#frame;
		const window = this.#window;
		if (frame === undefined || window === undefined) return;
		const { committed } = this.#ledger;
		const now = Math.min(window + pushed, frame.boundary);
		if (now <= committed) return;
		this.#audit.commit(this.#rows(frame, committed, now, this.#width));
		this.#ledger.restart(now);
		this.#emitCommitted(frame);
	}

	/**
	 * Recounts the rows, as `compose` lays them out; the history stays. To `replay`, they are
	 * counted from further back than is needed here.
	 */
	recount(width: number, replay: boolean, compose: () => Frame): void {
		if (this.#frame === undefined) return;
		const committed = rewrapCommitted(this.#frame, this.#ledger.committed, width, replay);
		this.#ledger.restart(committed);
		this.#reportedRows = -1;
		this.#known.clear();
		this.#frame = compose();
		this.#width = width;
		this.#audit.restart();
		const from = Math.max(0, committed - engineLimits.historyKept);
		this.#audit.commit(this.#rows(this.#frame, from, committed, width));
	}

	paint(frame: Frame, width: number, height: number, layers: readonly Layer[], commits: Commits): Painted {
		this.#checkHistory(frame, width, height);
		const { chunk, window } = this.#ledger.step(frame.heights(height), layers.length > 0 ? "none" : commits);
		const chunkRows = this.#rows(frame, chunk.from, chunk.to, width);
		const windowRows = this.#rows(frame, window.from, Math.min(window.to, window.from + height), width);
		const shown = layers.length > 0 ? layLayers(filled(windowRows, height), layers, width) : windowRows;
		const body = this.#clear + takeForgotten() + this.#screen.draw([...chunkRows, ...shown], width, height);
		const caret = findCaret(shown);
		const cursor = this.#screen.park(caret);
		this.#audit.commit(chunkRows);
		this.#emitCommitted(frame);
		this.#clear = "";
		this.#frame = frame;
		this.#width = width;
		this.#window = layers.length > 0 ? undefined : window.from;
		this.#known = new Map(windowRows.map((row) => [row.raw, row]));
		const hasCaret = caret !== undefined;
		return { body, cursor, hasCaret, committed: chunk.to, windowTop: window.from, length: frame.length };
	}

	/** Moves the cursor to a new line after everything. */
	leave(): string {
		return this.#screen.leave();
	}

	/** Components must not change rows that are in the history; if one has, the rows are shown again. */
	#checkHistory(frame: Frame, width: number, height: number): void {
		const before = this.#ledger.committed;
		const known = Math.min(frame.intact(), frame.length, frame.contentEnd);
		const shorter = known < before || frame.contentEnd < (this.#frame?.contentEnd ?? 0);
		const changed = this.#audit.firstChange(frame, before, width, shorter) ?? known;
		const from = Math.min(known, changed);
		// A frame that has shrunk into its history must not leave the screen empty.
		if (before === 0 || (from >= before && frame.length > before)) return;
		this.#ledger.anchor(from, frame.heights(height));
		this.#audit.truncate(before - this.#ledger.committed);
		this.#emitCommitted(frame);
	}

	/** Tall components release rows that are history, and must know when some are not after all. */
	#emitCommitted(frame: Frame): void {
		const { committed } = this.#ledger;
		if (committed !== this.#reportedRows) frame.emitCommitted(committed);
		this.#reportedRows = committed;
	}

	/** Rows of the last frame are not sanitized and measured again. */
	#rows(frame: Frame, from: number, to: number, width: number): Row[] {
		return frame.rows(from, to).map((raw) => this.#known.get(raw) ?? makeRow(raw, width));
	}
}

/** Overlays are positioned on the screen, so the region must fill it: only then does it start at the first row. */
function filled(rows: readonly Row[], height: number): Row[] {
	return Array.from({ length: height }, (_, at) => rows[at] ?? blankRow);
}

function findCaret(rows: readonly Row[]): Caret | undefined {
	const row = rows.findLastIndex(({ caret }) => caret !== undefined);
	const column = rows[row]?.caret;
	return column === undefined ? undefined : { row, column };
}

/** How many rows of the next frame, laid out at `width`, are in the history; a partly committed row appears twice. */
function rewrapCommitted(frame: Frame, committed: number, width: number, replay: boolean): number {
	let rows = 0;
	let open = false;
	for (const { component, start, count, source } of frame.segments) {
		const inHistory = Math.max(0, Math.min(count, committed - start));
		let now: number;
		if (!Array.isArray(source)) now = source.restart?.(width, replay) ?? inHistory;
		else if (width === frame.width) now = inHistory;
		else {
			const laid = component.render(width);
			now = inHistory === count ? laid.length : firstUncommitted(source.slice(0, inHistory), laid);
		}
		if (!open) rows += now;
		open ||= inHistory < count;
	}
	return rows;
}

/** Writes frames to a dumb terminal or a pipe: each row once, when it is final, as plain text. */
export class PlainPainter {
	#shown = 0;

	/** The rows that have become final; the chrome is never written, because it could not be erased. */
	paint(frame: Frame, commits: Commits): string {
		const end = commits === "all" ? frame.contentEnd : frame.boundary;
		const rows = frame.rows(Math.min(this.#shown, end), end);
		this.#shown = end;
		return rows.map((raw) => `${plainText(makeRow(raw, Number.POSITIVE_INFINITY))}\r\n`).join("");
	}
}
