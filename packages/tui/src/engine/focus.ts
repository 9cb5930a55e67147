/** Manages the focus: the focused component, and the overlays that take the focus and return it. */
import { isFocusable, type Component } from "../component.ts";
import { placeOverlay, type Layer, type OverlayOptions } from "./overlay.ts";

export interface OverlayHandle {
	/** Removes the overlay. */
	hide(): void;
	/** Hides or shows the overlay. */
	setHidden(hidden: boolean): void;
	isHidden(): boolean;
	/** Focuses the overlay and brings it to the front. */
	focus(): void;
	/** Returns the focus to the component that had it before. */
	unfocus(): void;
	isFocused(): boolean;
}

/** An overlay as it is drawn now. */
export interface OverlayLayer extends Layer {
	readonly component: Component;
}

interface Entry {
	component: Component;
	options: OverlayOptions;
	hidden: boolean;
}

type Size = { columns: number; rows: number };

export class FocusStack {
	readonly #size: () => Size;
	readonly #changed: () => void;
	#focused: Component | null = null;
	/** The component that has the focus if no overlay takes it. */
	#base: Component | null = null;
	/** The last one is on top. */
	#overlays: Entry[] = [];

	constructor(size: () => Size, changed: () => void) {
		this.#size = size;
		this.#changed = changed;
	}

	get focused(): Component | null {
		return this.#focused;
	}

	get components(): Component[] {
		return this.#overlays.map(({ component }) => component);
	}

	setFocus(component: Component | null): void {
		if (isFocusable(this.#focused)) this.#focused.focused = false;
		this.#focused = component;
		if (!this.components.some((overlay) => overlay === component)) this.#base = component;
		if (isFocusable(component)) component.focused = true;
	}

	show(component: Component, options: OverlayOptions = {}): OverlayHandle {
		const entry: Entry = { component, options, hidden: false };
		this.#overlays.push(entry);
		if (options.nonCapturing !== true && this.#isVisible(entry)) this.setFocus(component);
		this.#changed();
		return this.#handle(entry);
	}

	hideTop(): void {
		const top = this.#overlays.findLast((entry) => this.#isVisible(entry)) ?? this.#overlays.at(-1);
		if (top !== undefined) this.#remove(top);
	}

	/** Removes all of them, whatever they say about themselves. */
	clear(): void {
		this.#overlays = [];
		this.setFocus(this.#base);
		this.#changed();
	}

	hasVisible(): boolean {
		return this.#overlays.some((entry) => this.#isVisible(entry));
	}

	/** A smaller screen may have hidden the overlay that had the focus. */
	correct(): void {
		const owner = this.#overlays.find(({ component }) => component === this.#focused);
		if (owner !== undefined && !this.#isVisible(owner)) this.#giveBack(owner);
	}

	layers({ columns, rows }: Size): OverlayLayer[] {
		let focused = this.#focused;
		while (focused?.wrapped) focused = focused.wrapped;
		const isExclusive = focused?.hidesOverlays === true;
		return this.#overlays
			.filter((entry) => this.#isVisible(entry) && !isExclusive)
			.map(({ component, options }) => ({
				component,
				...placeOverlay((width) => component.render(width), options, columns, rows),
			}));
	}

	#handle(entry: Entry): OverlayHandle {
		return {
			hide: () => this.#remove(entry),
			isHidden: () => entry.hidden,
			isFocused: () => this.#focused === entry.component,
			setHidden: (hidden) => this.#setHidden(entry, hidden),
			focus: () => this.#bringForward(entry),
			unfocus: () => {
				if (this.#focused === entry.component) this.#giveBack(entry);
				this.#changed();
			},
		};
	}

	#bringForward(entry: Entry): void {
		if (!this.#overlays.includes(entry)) return;
		this.#overlays = [...this.#overlays.filter((other) => other !== entry), entry];
		this.setFocus(entry.component);
		this.#changed();
	}

	#setHidden(entry: Entry, hidden: boolean): void {
		if (entry.hidden === hidden || !this.#overlays.includes(entry)) return;
		entry.hidden = hidden;
		if (hidden && this.#focused === entry.component) this.#giveBack(entry);
		if (!hidden && entry.options.nonCapturing !== true && this.#isVisible(entry)) {
			this.setFocus(entry.component);
		}
		this.#changed();
	}

	#remove(entry: Entry): void {
		if (!this.#overlays.includes(entry)) return;
		this.#overlays = this.#overlays.filter((other) => other !== entry);
		if (this.#focused === entry.component) this.#giveBack(entry);
		this.#changed();
	}

	/** Focuses the topmost overlay that takes keys, else the component below the overlays. */
	#giveBack(entry: Entry): void {
		const next = this.#overlays.findLast(
			(other) => other !== entry && other.options.nonCapturing !== true && this.#isVisible(other),
		);
		this.setFocus(next?.component ?? this.#base);
	}

	#isVisible({ hidden, options }: Entry): boolean {
		if (hidden) return false;
		const { columns, rows } = this.#size();
		return options.visible?.(columns, rows) ?? true;
	}
}
