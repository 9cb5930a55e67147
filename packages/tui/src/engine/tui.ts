/** The screen of an application: its components, the focus, the overlays, and when and how they are drawn. */
import { env, envFlag, log } from "@tau/utils";

import { isScrolled, type Component } from "../component.ts";
import { isFocusReport, isKeyRelease, matchesKey } from "../input/index.ts";
import { engineLimits } from "../limits.ts";
import { detectFeatures, type TerminalFeatures } from "../terminal-features.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { FocusStack, type OverlayHandle } from "./focus.ts";
import { Composer, type Frame } from "./frame.ts";
import { FullScreen } from "./full-screen.ts";
import type { Commits } from "./ledger.ts";
import type { OverlayOptions } from "./overlay.ts";
import { useTerminalCaret } from "./row.ts";
import { Pacing, type Clock } from "./pacing.ts";
import { TerminalQueries } from "./terminal-queries.ts";
import { Painter, PlainPainter, type Painted } from "./painter.ts";

export type InputListenerResult = { consume?: boolean; data?: string } | undefined;
export type InputListener = (data: string) => InputListenerResult;

export interface RenderOptions {
	/** The shown content is obsolete: it is erased if possible, and everything is drawn again. */
	clearScrollback?: boolean;
}

export class TUI extends TerminalQueries {
	protected readonly focus: FocusStack;
	readonly #pacing: Pacing;
	readonly #composer = new Composer();
	readonly #painter = new Painter(() => this.#features.multiplexer);
	readonly #fullScreen = new FullScreen();
	readonly #plain = new PlainPainter();
	readonly #debug = envFlag("TAU_DEBUG_REDRAW");
	#detected: TerminalFeatures | undefined;
	#listeners: InputListener[] = [];
	#showHardwareCursor: boolean;
	#clearOnShrink = true;
	#cursorShown = false;
	/** Components that requested to be drawn again; `undefined` if everything has to be. */
	#scope: Set<Component> | undefined = new Set();
	#gesture: "none" | "rewrite" | "replace" = "none";
	/** What the current frame is for, for the log. */
	#intent: "update" | "rewrite" | "replace" = "update";
	#size = { columns: 0, rows: 0 };
	/** Frames whose size the multiplexer has not confirmed, with the first row that each committed. */
	#unconfirmed: { from: number }[] = [];
	/** Where the cursor is after a resize, and at which size. */
	#cursor: { columns: number; rows: number; row: number | undefined } | undefined;
	#running = false;
	/** Another program has the terminal. */
	#isLent = false;
	#redraws = 0;

	constructor(terminal: Terminal, showHardwareCursor = envFlag("TAU_HARDWARE_CURSOR"), clock?: Clock) {
		super(terminal);
		this.#showHardwareCursor = showHardwareCursor;
		this.#pacing = new Pacing((isForKey) => this.#draw("settled", isForKey), clock);
		this.focus = new FocusStack(
			() => this.#now(),
			() => this.requestRender(),
		);
	}

	/** The number of full redraws. */
	get fullRedraws(): number {
		return this.#redraws;
	}

	/** For screen readers: no lines and blocks, and a cursor that they can follow. */
	setLinear(on: boolean): void {
		this.#composer.isLinear = on;
		useTerminalCaret(this.getShowHardwareCursor());
		this.invalidate();
		this.requestRender(true);
	}

	getShowHardwareCursor(): boolean {
		return this.#showHardwareCursor || this.#composer.isLinear;
	}

	setShowHardwareCursor(enabled: boolean): void {
		this.#showHardwareCursor = enabled;
		useTerminalCaret(this.getShowHardwareCursor());
		this.requestRender(true);
	}

	getClearOnShrink(): boolean {
		return this.#clearOnShrink;
	}

	/** For components that were written for pi: Tau always erases removed rows. */
	setClearOnShrink(enabled: boolean): void {
		this.#clearOnShrink = enabled;
	}

	setFocus(component: Component | null): void {
		this.focus.setFocus(component);
		this.requestRender();
	}

	/** The component as its owner knows it, even if another one is drawn in its place. */
	getFocusedComponent(): Component | null {
		let component = this.focus.focused;
		while (component?.wrapped) component = component.wrapped;
		return component;
	}

	/** omp's name of it. */
	getFocused(): Component | null {
		return this.getFocusedComponent();
	}

	showOverlay(component: Component, options?: OverlayOptions): OverlayHandle {
		return this.focus.show(component, options);
	}

	/** Removes the topmost overlay. */
	hideOverlay(): void {
		this.focus.hideTop();
	}

	hasOverlay(): boolean {
		return this.focus.hasVisible();
	}

	addInputListener(listener: InputListener): () => void {
		this.#listeners.push(listener);
		return () => this.removeInputListener(listener);
	}

	removeInputListener(listener: InputListener): void {
		this.#listeners = this.#listeners.filter((other) => other !== listener);
	}

	override invalidate(): void {
		super.invalidate();
		for (const component of this.focus.components) component.invalidate();
	}

	/** Call when colors of code were loaded: nothing is laid out again but what lacks them. */
	recolor(): void {
		for (const component of [...this.children, ...this.focus.components]) {
			if (isScrolled(component) && component.recolor !== undefined) component.recolor();
			else component.invalidate();
		}
		this.requestRender();
	}

	start(): void {
		if (this.#running) return;
		this.#painter.open();
		this.#attach();
	}

	/**
	 * Gives the terminal to another program, such as an editor, on the alternate screen where there is one. Afterwards
	 * this screen is what it was, and nothing is shown twice.
	 */
	async lend<T>(run: () => Promise<T>): Promise<T> {
		const { terminal } = this;
		const isShared = terminal.lend === undefined || this.#fullScreen.active || this.#features.dumb;
		if (!this.#running) return await run();
		if (isShared) this.stop();
		else {
			this.#pacing.pause();
			this.#running = false;
			this.#isLent = true;
			terminal.lend?.();
		}
		try {
			return await run();
		} finally {
			if (isShared) this.start();
			else if (this.#isLent) {
				// The other program may have written on this screen all the same.
				this.#painter.rewrite();
				this.#attach();
			}
		}
	}

	#endLoan(): void {
		if (this.#isLent) this.terminal.stop();
		this.#isLent = false;
	}

	#attach(): void {
		this.#running = true;
		this.#isLent = false;
		useTerminalCaret(this.getShowHardwareCursor());
		const { terminal } = this;
		terminal.onDrain = () => this.#pacing.resume();
		terminal.onStop = () => this.#pause();
		terminal.onContinue = () => this.#resume();
		terminal.onWheel = (lines) => this.scrollBy(lines);
		this.followTerminal(() => this.recolor());
		terminal.start(
			(data) => this.takeInput(data),
			() => this.#resized(),
		);
		// Its state is unknown; the first frame sets it.
		this.#cursorShown = true;
		this.#pacing.resume();
		this.requestRender();
	}

	/** Draws the final state completely and releases the terminal. */
	stop(): void {
		// Also while another program has it: that one does not know which screen was there before.
		if (!this.#running) return this.#endLoan();
		this.setFullScreen(false);
		this.#pacing.pause();
		// Nothing comes after this frame: what is left of a burst must be in it.
		do this.#compose(this.#now().columns);
		while (this.#isBehind);
		this.#draw("all");
		if (!this.#features.dumb) this.terminal.write(this.#painter.leave());
		this.#running = false;
		this.unfollowTerminal();
		this.terminal.stop();
	}

	/**
	 * Requests a frame. `force` writes the whole window again; with `clearScrollback`, everything is drawn again, for
	 * when the user has gone to another conversation.
	 */
	requestRender(force = false, options: RenderOptions = {}): void {
		this.#scope = undefined;
		if (options.clearScrollback === true) this.#gesture = "replace";
		else if (force && this.#gesture === "none") this.#gesture = "rewrite";
		this.#pacing.request(force ? "now" : "frame");
	}

	/** Draws at once instead of with the next frame. `force` writes the whole window again. */
	renderNow(force = false): void {
		this.requestRender(force);
		this.#pacing.drawNow();
	}

	/** Requests a frame in which only this component has changed: a spinner's tick does not lay out anything else. */
	requestComponentRender(component: Component): void {
		this.#scope?.add(component);
		this.#pacing.request("frame");
	}

	/** Redraws everything on a clean screen. */
	resetDisplay(): void {
		this.requestRender(true, { clearScrollback: true });
	}

	/** Suspends the process as Ctrl+Z does elsewhere, until the shell continues it. */
	suspend(): void {
		this.terminal.suspend?.();
	}

	get fullScreen(): boolean {
		return this.#fullScreen.active;
	}

	/** The alternate screen, which scrolls by itself; on return the normal screen is updated. */
	setFullScreen(on: boolean): void {
		if (on === this.#fullScreen.active || this.terminal.setMode === undefined || this.#features.dumb) return;
		const { columns, rows } = this.#size;
		this.terminal.setMode("alternateScreen", on);
		if (on) this.#painter.recount(columns, true, () => this.#compose(columns));
		this.#fullScreen.setActive(on);
		if (!on && this.#fullScreen.resized) this.#applySize(columns, rows);
		this.#cursorShown = true;
		this.requestRender();
	}

	/** In full-screen mode; negative values scroll to older rows. */
	scrollBy(rows: number): void {
		if (this.#fullScreen.scrollBy(rows)) this.requestRender();
	}

	get #features(): TerminalFeatures {
		if (this.terminal.features !== undefined) return this.terminal.features;
		this.#detected ??= detectFeatures();
		return this.#detected;
	}

	#now(): { columns: number; rows: number } {
		return { columns: Math.max(1, this.terminal.columns), rows: Math.max(1, this.terminal.rows) };
	}

	/** Whether the history must be kept, or can be erased and written again. */
	get #keepsHistory(): boolean {
		return this.#features.multiplexer || env("TAU_TUI_RESIZE") === "keep";
	}

	#resized(): void {
		if (!this.#running) return;
		this.#scope = undefined;
		this.#pacing.postpone(
			this.#features.multiplexer ? engineLimits.multiplexerSettleMs : engineLimits.resizeSettleMs,
		);
	}

	protected takeInput(data: string): void {
		const { due } = this.#pacing;
		let input = data;
		for (const listener of this.#listeners) {
			const result = listener(input);
			if (result?.consume === true) return;
			input = result?.data ?? input;
		}
		// That the window has the focus is no key; listeners have seen it.
		if (isFocusReport(input)) return;
		if (this.onDebug !== undefined && matchesKey(input, "shift+ctrl+d")) {
			this.onDebug();
			return;
		}
		this.focus.correct();
		const target = this.focus.focused;
		if (target?.handleInput !== undefined && (target.wantsKeyRelease === true || !isKeyRelease(input))) {
			target.handleInput(input);
		}
		this.#scope = undefined;
		this.#pacing.drawKey(due);
	}

	/** A frame for a key leaves to the next one what has streamed meanwhile. */
	#draw(commits: Commits = "settled", isForKey = false): void {
		if (!this.#running) return;
		if (this.terminal.congested === true && commits !== "all") {
			// The newest state is drawn when the terminal has consumed its output; frames are never queued.
			this.#pacing.pause();
			this.#pacing.request();
			return;
		}
		const { columns, rows } = this.#now();
		const resized = columns !== this.#size.columns || rows !== this.#size.rows;
		if (resized) {
			if (commits !== "all" && this.#asksForCursor()) return;
			this.#applySize(columns, rows);
		}
		this.focus.correct();
		const layers = this.#composer.layers(this.focus.layers(this.#size), columns);
		const quiet = this.#gesture === "none" && layers.length === 0;
		const isLeftOver = isForKey && quiet;
		this.#applyGesture(columns);
		const scope = quiet ? this.#scope : undefined;
		const frame = this.#composer.compose(this.children, columns, scope, isLeftOver);
		this.#scope = isLeftOver ? undefined : new Set();
		if (this.#features.dumb) return this.terminal.write(this.#plain.paint(frame, commits));
		const { committed } = this.#painter;
		const painted = this.#fullScreen.active
			? this.#fullScreen.paint(frame, columns, rows, layers)
			: this.#painter.paint(frame, columns, rows, layers, commits);
		this.#write(painted);
		const isCommitting = painted.committed > committed && !this.#fullScreen.active;
		if (commits !== "all" && (isCommitting || resized)) {
			// Rows on the screen may have been erased that a wrong size took for ours.
			this.#confirm(resized ? Math.max(0, committed - 2 * rows) : committed);
		}
		if (this.#isBehind && !isLeftOver) this.#continue();
		this.onFrame?.();
	}

	get #isBehind(): boolean {
		return this.children.some((child) => isScrolled(child) && child.isBehind?.());
	}

	/** The next part of the layout, after the keys and whatever else has come meanwhile. */
	#continue(): void {
		this.#scope = undefined;
		this.#pacing.request("key", engineLimits.yieldMs);
	}

	#compose(columns: number): Frame {
		return this.#composer.compose(this.children, columns);
	}

	/**
	 * A multiplexer pushes rows into its history when a pane becomes smaller. Where the cursor is tells how many, so
	 * that they are not written again. Returns whether the frame has to wait for that.
	 */
	#asksForCursor(): boolean {
		const { columns, rows } = this.#now();
		const isKnown = this.#cursor?.columns === columns && this.#cursor.rows === rows;
		const isFirst = this.#size.columns === 0;
		const { terminal } = this;
		if (isKnown || isFirst || !this.#features.multiplexer || this.#fullScreen.active) return false;
		if (terminal.askCursor === undefined || terminal.askSize === undefined) return false;
		this.#pacing.pause();
		let cursorRow: number | undefined;
		terminal.askCursor((row) => (cursorRow = row));
		// It counts only at the size that we know; at another one, the program is about to learn of that.
		this.#askSize((isSame) => {
			if (isSame) this.#cursor = { columns, rows, row: cursorRow };
			this.#pacing.resume();
			if (isSame) this.#pacing.request("now");
			else this.#pacing.postpone(engineLimits.multiplexerSettleMs);
		});
		return true;
	}

	/**
	 * A pane changes its size before the program learns of it, and what is drawn meanwhile goes astray. So the
	 * multiplexer is asked for its size behind each frame that commits rows; if it is another one, these are written
	 * again: twice is better than never.
	 */
	#confirm(from: number): void {
		const { terminal } = this;
		if (!this.#features.multiplexer || terminal.askSize === undefined) return;
		const frame = { from };
		this.#unconfirmed.push(frame);
		this.#askSize((isSame) => {
			if (!this.#unconfirmed.includes(frame)) return;
			this.#unconfirmed = this.#unconfirmed.filter((other) => other !== frame);
			if (isSame) return;
			this.#unconfirmed = [];
			this.#painter.rollBack(from);
			this.#scope = undefined;
			this.#pacing.postpone(engineLimits.multiplexerSettleMs);
		});
	}

	/** Whether the multiplexer has the size that we know; one that does not answer is believed. */
	#askSize(answered: (isSame: boolean) => void): void {
		const { columns, rows } = this.#now();
		// tmux 3.3 gives the columns first.
		const isSame = (width: number, height: number): boolean => width === columns && height === rows;
		this.terminal.askSize?.((size) =>
			answered(size === undefined || isSame(size.columns, size.rows) || isSame(size.rows, size.columns)),
		);
	}

	#applySize(columns: number, rows: number): void {
		const first = this.#size.columns === 0;
		this.#size = { columns, rows };
		this.#scope = undefined;
		if (first && !this.#fullScreen.active) return;
		this.reportSize();
		if (this.#fullScreen.active) this.#fullScreen.resize();
		else if (this.#keepsHistory) {
			this.#painter.rewrap(this.#size, this.#cursor?.row, () => this.#compose(columns));
			this.#cursor = undefined;
		} else this.#gesture = "replace";
		this.#cursorShown = true;
	}

	#applyGesture(columns: number): void {
		const gesture = this.#gesture;
		this.#intent = gesture === "none" ? "update" : gesture;
		if (gesture === "none") return;
		if (this.#fullScreen.active) {
			this.#fullScreen.rewrite();
			// The normal screen is redrawn when it is shown again.
			if (gesture === "rewrite") this.#gesture = "none";
			return;
		}
		this.#gesture = "none";
		if (gesture === "rewrite") return this.#painter.rewrite();
		this.#redraws++;
		for (const child of this.children) {
			if (!isScrolled(child)) continue;
			// What is not in the history any more need not be found there, and is laid out in parts.
			child.committed?.(0);
			child.restart?.(columns, true);
		}
		this.#painter.replace(!this.#keepsHistory);
	}

	/** The cursor moves within the frame's output; otherwise it would visibly jump. */
	#write({ body, cursor, hasCaret, ...ledger }: Painted): void {
		const shown = hasCaret && this.getShowHardwareCursor();
		const visibility = shown === this.#cursorShown ? "" : shown ? "\x1b[?25h" : "\x1b[?25l";
		this.#cursorShown = shown;
		if (this.#debug) log.debug("frame", { intent: this.#intent, ...ledger, bytes: body.length });
		// Without autowrap, a row that the terminal measures as wider than we do cannot push down the rows below it.
		const rows = body === "" ? "" : `\x1b[?7l${body}\x1b[?7h`;
		const bytes = rows + cursor + visibility;
		if (bytes === "") return;
		const whole = this.#features.syncOutput && rows !== "";
		this.terminal.write(whole ? `\x1b[?2026h${bytes}\x1b[?2026l` : bytes);
	}

	#pause(): void {
		if (!this.#fullScreen.active && !this.#features.dumb) this.terminal.write(this.#painter.leave());
		this.#pacing.pause();
	}

	/** Call after the shell has written: our old rows are above its output now, and stay there. */
	#resume(): void {
		this.#painter.open();
		this.#fullScreen.rewrite();
		this.#cursorShown = true;
		this.requestRender();
		this.#pacing.resume();
	}
}
