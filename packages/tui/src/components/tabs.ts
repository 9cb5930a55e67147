/** A row of names of which one is open. */
import type { Component } from "../component.ts";
import { matchesKey } from "../input/index.ts";
import { truncateToWidth, visibleWidth } from "../text.ts";
import type { Theme } from "../theme/index.ts";
import { stepped } from "../elements/list-window.ts";
import { labelOf } from "../elements/rows.ts";

export interface Tab {
	id: string;
	label: string;
}

/** The cells of the markers for hidden tabs, on both sides. */
const signCells = 4;

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

	/** The open tab stays open if it still exists. */
	setTabs(tabs: readonly Tab[]): void {
		const id = this.open?.id;
		this.#tabs = tabs;
		this.#open = Math.max(
			0,
			tabs.findIndex((tab) => tab.id === id),
		);
	}

	/** Opens the tab without a callback; returns whether it exists. */
	select(id: string): boolean {
		const at = this.#tabs.findIndex((tab) => tab.id === id);
		if (at >= 0) this.#open = at;
		return at >= 0;
	}

	invalidate(): void {
		// No rows are cached.
	}

	render(width: number): string[] {
		const labels = this.#tabs.map(({ label }) => ` ${labelOf(label)} `);
		const { from, to } = this.#window(labels, width);
		const visible = labels.slice(from, to).map((label, at) => this.#paint(label, from + at === this.#open));
		const before = from > 0 ? this.#theme.fg("dim", "‹ ") : "";
		const after = to < labels.length ? this.#theme.fg("dim", " ›") : "";
		const room = Math.max(1, width - visibleWidth(before + after));
		return [truncateToWidth(before + truncateToWidth(visible.join(""), room) + after, width)];
	}

	/** Returns whether the key was handled. */
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

	#paint(label: string, isOpen: boolean): string {
		return isOpen ? this.#theme.inverse(this.#theme.fg("accent", label)) : this.#theme.fg("muted", label);
	}

	/** Tabs that do not fit are left out on the side that is further from the open one. */
	#window(labels: readonly string[], width: number): { from: number; to: number } {
		const widths = labels.map((label) => visibleWidth(label));
		let [from, to] = [0, labels.length];
		let needed = widths.reduce((sum, own) => sum + own, 0);
		if (needed > width) needed += signCells;
		while (to - from > 1 && needed > width) {
			needed -= (this.#open - from > to - 1 - this.#open ? widths[from++] : widths[--to]) ?? 0;
		}
		return { from, to };
	}
}
