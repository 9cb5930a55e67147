/** The terminal: input, the append-only renderer, components and themes. */
export {
	CURSOR_MARKER,
	hasSeam,
	isFocusable,
	isScrolled,
	type Component,
	type Focusable,
	type Scrolled,
	type Seam,
} from "./component.ts";
export { Container } from "./container.ts";
export * from "./components/index.ts";
export * from "./editor/index.ts";
export * from "./engine/index.ts";
export * from "./input/index.ts";
export * from "./terminal/index.ts";
export * from "./theme/index.ts";
export { sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@tau/sys";
