/** The input and output of a gallery page. */
import { Text, VStack, type Component, type OverlayHandle, type OverlayOptions, type Theme } from "@tau/tui";

export interface GalleryContext {
	theme: Theme;
	/** The part of the screen that components need. */
	ui: { requestRender(): void; readonly terminal: { readonly rows: number } };
	showOverlay(component: Component, options?: OverlayOptions): OverlayHandle | undefined;
}

export interface OpenPage {
	body: Component;
	/** Receives the keys that the gallery does not handle. */
	target?: Component;
	/** Letters, or also the left and right arrows, are handled by the page. */
	takes?: "text" | "arrows";
	/** Stops animations. */
	close?(): void;
}

export interface Page {
	id: string;
	label: string;
	open(context: GalleryContext): OpenPage;
}

/** A component with its name above it. */
export function exhibit(theme: Theme, name: string, component: Component): Component {
	return new VStack([new Text(theme.fg("dim", name), 0, 0), component]);
}

export function column(...parts: Component[]): Component {
	return new VStack(parts, 1);
}
