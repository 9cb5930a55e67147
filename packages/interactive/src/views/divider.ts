/** A line across the conversation, for what changes everything below it. */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi, type Theme } from "@tau/tui";
import { stripControls } from "@tau/utils";

import { ViewBlock, type ViewContext } from "./view-context.ts";

export class DividerView extends ViewBlock {
	readonly #title: string;
	/** Shown below it while results are shown whole. */
	readonly #more: string;

	constructor(view: ViewContext, title: string, more = "") {
		super(view);
		this.#title = stripControls(title, { newline: false, tab: false });
		this.#more = stripControls(more).trim();
	}

	protected draw(width: number, theme: Theme): string[] {
		const title = truncateToWidth(` ${this.#title} `, Math.max(1, width - 4));
		const rest = Math.max(0, width - visibleWidth(title) - 2);
		const line = theme.fg("borderMuted", "──") + theme.fg("muted", title);
		const rows = [line + theme.fg("borderMuted", "─".repeat(rest))];
		if (!this.view.expandTools || this.#more === "") return rows;
		const inner = Math.max(1, width - 2);
		for (const text of this.#more.split("\n")) {
			for (const row of wrapTextWithAnsi(text, inner)) rows.push(`  ${theme.fg("muted", row)}`);
		}
		return rows;
	}
}
