/** What can be drawn: the contract between the engine and everything on the screen. */

export interface Component {
	/** The rows at this width. A function of state and width: no I/O, no clock, never throws, no row wider than `width`. */
	render(width: number): string[];
	/** A key sequence, while the component has the focus. */
	handleInput?(data: string): void;
	/** Whether it also hears keys being let go. */
	wantsKeyRelease?: boolean;
	/** Forgets what it keeps for drawing: the theme or the width model has changed. */
	invalidate(): void;
}

/** A component that takes keys; the engine says whether they go there now. */
export interface Focusable {
	/** While it is true, `render` puts `CURSOR_MARKER` where the caret is. */
	focused: boolean;
}

/** Takes no cell; the engine takes it out and puts the terminal's cursor there. Its bytes are those of pi. */
export const CURSOR_MARKER = "\u001B_pi:c\u0007";

export function isFocusable(component: Component | null): component is Component & Focusable {
	return component !== null && "focused" in component;
}

/**
 * The commit boundary (docs/terminal.md): a component that has it says which of its rows are final. Rows that may
 * still change are kept out of the terminal's history, and so is everything below them.
 */
export interface Seam {
	/** The first row that may still change; the number of rows when none may. */
	liveFrom(width: number): number;
	/** A deeper boundary: rows before it will not change any more, though the rest of the block does. */
	settledUpTo?(width: number): number;
}

/**
 * A component that may be very tall and gives its rows by range, so that a frame costs what is visible. Only direct
 * children of the `TUI` (and blocks of a `Transcript`) are asked this way; elsewhere `render` gives all rows.
 */
export interface Scrolled extends Component, Seam {
	/** The engine asks this first in every frame: here the component looks at what has changed. */
	rowCount(width: number): number;
	rows(width: number, from: number, to: number): string[];
	/** Rows before this one are in the terminal's history now: they will hardly be asked for again. */
	committed?(rows: number): void;
	/** Rows from the first on that are what they were when they were committed; asked when some are missing or new. */
	intact?(): number;
	/**
	 * The width has changed: rows are counted anew. To `replay`, from as far back as is to be seen again; otherwise from
	 * the first row that is not in the terminal's history, or a little before. Gives the number of that row.
	 */
	restart?(width: number, replay: boolean): number;
	/** Whether this component, which wants to be drawn again, is in here. */
	holds?(component: Component): boolean;
}

export function isScrolled(component: Component): component is Scrolled {
	return "rowCount" in component && "rows" in component && "liveFrom" in component;
}

export function hasSeam(component: Component): component is Component & Seam {
	return "liveFrom" in component;
}
