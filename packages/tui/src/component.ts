/** The contract between the engine and everything on the screen. */

export interface Component {
	/**
	 * The rows at this width. A function of state and width: no I/O, no clock, never throws, no row wider than
	 * `width`.
	 */
	render(width: number): string[];
	/** Handles a key sequence while the component has the focus. */
	handleInput?(data: string): void;
	/** True if the component also receives key releases. */
	wantsKeyRelease?: boolean;
	/** What it shows in the place of another component, which others know by that. */
	readonly wrapped?: Component;
	/** While it has the focus, no overlay is drawn: the user must see what the keys decide. */
	readonly hidesOverlays?: boolean;
	/** Drops cached rows: the theme or the width model has changed. */
	invalidate(): void;
}

/** A component that takes keys; the engine sets whether it has the focus. */
export interface Focusable {
	/** While it is true, `render` puts `CURSOR_MARKER` where the caret is. */
	focused: boolean;
}

/** Takes no cell; the engine removes it and puts the terminal's cursor there. Its bytes are those of pi. */
export const CURSOR_MARKER = "\u001B_pi:c\u0007";

export function isFocusable(component: Component | null): component is Component & Focusable {
	return component !== null && "focused" in component;
}

/**
 * The commit boundary (docs/terminal.md): a component that has it reports which of its rows are final. Rows that may
 * still change are kept out of the terminal's history, and so is everything below them.
 */
export interface Seam {
	/** The first row that may still change; the number of rows when none may. */
	liveFrom(width: number): number;
	/** A deeper boundary: rows before it will not change any more, although the rest of the block does. */
	settledUpTo?(width: number): number;
}

/**
 * A component that may be very tall and returns its rows by range, so that a frame costs only the visible rows. Only
 * direct children of the `TUI` (and blocks of a `Transcript`) are drawn this way; elsewhere `render` returns all
 * rows.
 */
export interface Scrolled extends Component, Seam {
	/** The engine calls this first in every frame: here the component checks what has changed. */
	rowCount(width: number): number;
	rows(width: number, from: number, to: number): string[];
	/** Rows before this one are in the terminal's history now: they will hardly be requested again. */
	committed?(rows: number): void;
	/**
	 * The number of rows from the first on that are unchanged since they were committed; called when some are missing
	 * or new.
	 */
	intact?(): number;
	/**
	 * The width has changed: rows are counted again. With `replay`, from as far back as should be visible again;
	 * otherwise from the first row that is not in the terminal's history, or a little before. Returns the number of
	 * that row.
	 */
	restart?(width: number, replay: boolean): number;
	/** True if its rows are those that were counted last, so that `rows` returns them whatever has streamed meanwhile. */
	isPlaced?(): boolean;
	/** True if it has laid out only a part of its content, and continues with the next frame. */
	isBehind?(): boolean;
	/** Colors of code were loaded: rows that lack them are drawn again if they are still to be seen. */
	recolor?(): void;
	/** True if this component, which requested a redraw, is inside. */
	holds?(component: Component): boolean;
}

export function isScrolled(component: Component): component is Scrolled {
	return "rowCount" in component && "rows" in component && "liveFrom" in component;
}

export function hasSeam(component: Component): component is Component & Seam {
	return "liveFrom" in component;
}
