/** A row of names of which one is open. */
import type { Component } from "../component.ts";
import { matchesKey } from "../input/index.ts";
import { oneRow, truncateToWidth, visibleWidth } from "../text.ts";
import type { Theme } from "../theme/index.ts";
import { stepped } from "./list-window.ts";

export interface Tab {
	id: string;
	label: string;
}

export class Tabs implements Component {
	readonly #theme: Theme;
	#tabs: readonly Tab[];
	#open = 0;
	onChange?: (tab: Tab) => void;

	constructor(tabs: readonly Tab[], theme: Theme) {
		this.#tabs = tabs;
		this.#theme = theme;
	}

	get open(): Tab | undefined {
		return this.#tabs[this.#open];
	}

	setTabs(tabs: readonly Tab[]): void {
		const id = this.open?.id;
		this.#tabs = tabs;
		this.#open = Math.max(
			0,
			tabs.findIndex((tab) => tab.id === id),
		);
	}

	invalidate(): void {
		// Nothing is kept.
	}

	/** Tabs that do not fit are left out from the side that is further from the open one. */
	render(width: number): string[] {
		const labels = this.#tabs.map(({ label }) => ` ${oneRow(label)} `);
		let from = 0;
		let to = labels.length;
		const needed = (): number =>
			labels.slice(from, to).reduce((sum, label) => sum + visibleWidth(label) + 1, 4);
		while (to - from > 1 && needed() > width) {
			if (this.#open - from > to - 1 - this.#open) from++;
			else to--;
		}
		const shown = labels
			.slice(from, to)
			.map((label, at) =>
				from + at === this.#open ? this.#theme.inverse(label) : this.#theme.fg("muted", label),
			);
		const row = `${from > 0 ? "‹ " : ""}${shown.join(" ")}${to < labels.length ? " ›" : ""}`;
		return [truncateToWidth(row, width)];
	}

	/** Whether the key was meant for the tabs. */
	handleKey(data: string): boolean {
		const isNext = matchesKey(data, "tab") || matchesKey(data, "right");
		const isBefore = matchesKey(data, "shift+tab") || matchesKey(data, "left");
		if ((!isNext && !isBefore) || this.#tabs.length < 2) return false;
		this.#open = stepped(this.#open, isNext ? 1 : -1, this.#tabs.length);
		const { open } = this;
		if (open) this.onChange?.(open);
		return true;
	}

	handleInput(data: string): void {
		this.handleKey(data);
	}
}
