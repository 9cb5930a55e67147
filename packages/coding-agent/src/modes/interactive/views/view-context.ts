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
	readonly expandTools: boolean;
	readonly showThinking: boolean;
	readonly findRenderer: FindRenderer;
	readonly findMessageRenderer: FindMessageRenderer;
	readonly transforms: TextTransforms;
	/** The label that replaces hidden thinking, if an extension has set one. */
	readonly thinkingLabel: string | undefined;
	/** Links can be followed by clicking. */
	readonly hyperlinks: boolean;
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

/** A transcript block: it caches its rows until it changes, and shows an error in its place if drawing fails. */
export abstract class ViewBlock implements TranscriptBlock {
	protected readonly view: ViewContext;
	/** True if a blank row is drawn above the block. */
	readonly #hasGap: boolean;
	#drawn: { width: number; rows: string[] } | undefined;

	constructor(view: ViewContext, hasGap = true) {
		this.view = view;
		this.#hasGap = hasGap;
	}

	protected abstract draw(width: number, theme: Theme): string[];

	isFinal(): boolean {
		return true;
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
		// What is live may depend on the clock.
		if (this.#drawn?.width === width && this.isFinal()) return this.#drawn.rows;
		const rows = this.#safely(width);
		const placed = this.#hasGap && rows.length > 0 ? ["", ...rows] : rows;
		this.#drawn = { width, rows: placed };
		return placed;
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

/** On a screen of a few columns margins alone are too wide; a tool's own view may be so at any width. */
export function fitRows(rows: readonly string[], width: number): string[] {
	return rows.map((row) => (visibleWidth(row) > width ? truncateToWidth(row, width) : row));
}
