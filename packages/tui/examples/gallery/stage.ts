/** What a page of the gallery gets, and what it gives. */
import { Text, VStack, type Component, type OverlayHandle, type OverlayOptions, type Theme } from "@tau/tui";

export interface Stage {
	theme: Theme;
	/** The screen, as far as a component needs to know it. */
	ui: { requestRender(): void; readonly terminal: { readonly rows: number } };
	showOverlay(component: Component, options?: OverlayOptions): OverlayHandle | undefined;
}

export interface OpenPage {
	body: Component;
	/** Gets the keys that the gallery does not need. */
	target?: Component;
	/** Letters, or also the arrows to the sides, belong to the page. */
	takes?: "text" | "arrows";
	/** Stops what moves. */
	close?(): void;
}

export interface Page {
	id: string;
	label: string;
	open(stage: Stage): OpenPage;
}

/** A component with its name above it. */
export function exhibit(theme: Theme, name: string, component: Component): Component {
	return new VStack([new Text(theme.fg("dim", name), 0, 0), component]);
}

export function column(...parts: Component[]): Component {
	return new VStack(parts, 1);
}
