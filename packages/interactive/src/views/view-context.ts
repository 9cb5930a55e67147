/** The context that the views of a conversation draw with, and their base class. */
import type { Component, Theme, TranscriptBlock } from "@tau/tui";
import { keyHint, keyText, truncateToWidth, visibleWidth } from "@tau/tui";
import type { RenderHelpers } from "@tau/extensions/api";
import { log, stripControls } from "@tau/utils";

import type { TextTransforms, FindMessageRenderer, FindRenderer } from "../tool-view.ts";
import type { AnimationClock } from "./animation-clock.ts";

export interface ViewContext {
	readonly theme: { readonly current: Theme };
	readonly animation: AnimationClock;
	readonly cwd: string;
	/** The name by which the others know this screen. */
	readonly self?: string | undefined;
	/** A guest's prompts have its name on its own screen, too: it is not the one who is meant without a name. */
	readonly signsOwn?: boolean;
	readonly expandTools: boolean;
	readonly showThinking: boolean;
	readonly findRenderer: FindRenderer;
	readonly findMessageRenderer: FindMessageRenderer;
	readonly transforms: TextTransforms;
	/** The label that replaces hidden thinking, if an extension has set one. */
	readonly thinkingLabel: string | undefined;
	/** Links can be followed by clicking. */
	readonly hyperlinks: boolean;
	/** The size of an image in cells, at most; no columns if none is shown. */
	readonly imageSize: { columns: number; rows: number };
	/** Requests a redraw of a block that has changed. */
	redraw(component: Component): void;
}

/** What every renderer of an extension gets. */
export function renderHelpers(theme: Theme): RenderHelpers {
	return {
		keyHint: (keybinding, description) => keyHint(theme, keybinding, description),
		keyText,
		outputPad: 1,
	};
}

/**
 * What is above a block: a blank row, no blank row, or a block that it may touch. Single lines touch; one that has
 * a body has a blank row before and after it.
 */
export type Above = "blank" | "flush" | ViewBlock;

/** A transcript block: it caches its rows until it changes, and shows an error in its place if drawing fails. */
export abstract class ViewBlock implements TranscriptBlock {
	protected readonly view: ViewContext;
	/** Weak, because each call of a long run would otherwise keep all that were before it. */
	readonly #above: "blank" | "flush" | WeakRef<ViewBlock>;
	#drawn: { width: number; rows: string[] } | undefined;

	constructor(view: ViewContext, above: Above = "blank") {
		this.view = view;
		this.#above = typeof above === "string" ? above : new WeakRef(above);
	}

	protected abstract draw(width: number, theme: Theme): string[];

	/** Whether its own rows will change any more. */
	protected isDone(): boolean {
		return true;
	}

	/** The blank row above it may depend on a block that still changes. */
	isFinal(): boolean {
		return this.isDone() && (this.#touched?.isFinal() ?? true);
	}

	/** It has changed. */
	protected changed(): void {
		this.#drawn = undefined;
		this.view.redraw(this);
	}

	invalidate(): void {
		this.#drawn = undefined;
	}

	render(width: number): string[] {
		const rows = this.#rows(width);
		return rows.length > 0 && this.#hasGap(width, rows) ? ["", ...rows] : rows;
	}

	#rows(width: number): string[] {
		// A live block may depend on the clock.
		if (this.#drawn?.width === width && this.isDone()) return this.#drawn.rows;
		const rows = this.#safely(width);
		this.#drawn = { width, rows };
		return rows;
	}

	get #touched(): ViewBlock | undefined {
		return typeof this.#above === "string" ? undefined : this.#above.deref();
	}

	#hasGap(width: number, rows: readonly string[]): boolean {
		const touched = this.#touched;
		if (touched === undefined) return this.#above === "blank";
		const before = touched.#rows(width);
		// A block that shows nothing leaves its blank row to the next.
		if (before.length === 0) return touched.#hasGap(width, rows);
		return rows.length > 1 || before.length > 1;
	}

	#safely(width: number): string[] {
		try {
			const rows = this.draw(width, this.view.theme.current);
			return fitRows(rows, width);
		} catch (error) {
			log.error("a view failed to draw", { view: this.constructor.name, reason: String(error) });
			const reason = error instanceof Error ? error.message : String(error);
			const text = stripControls(`[could not be drawn: ${reason}]`, { newline: false, tab: false });
			return [this.view.theme.current.fg("error", truncateToWidth(text, width))];
		}
	}
}

/** False for a component whose rows are still to come: it is drawn where the session is. */
export function isSettled(component: (Component & { isFinal?(): boolean }) | undefined): boolean {
	return component?.isFinal?.() !== false;
}

/** On a screen of a few columns margins alone are too wide; a tool's own view may be so at any width. */
export function fitRows(rows: readonly string[], width: number): string[] {
	return rows.map((row) => (visibleWidth(row) > width ? truncateToWidth(row, width) : row));
}
