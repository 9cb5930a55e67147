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
export * from "./diff/index.ts";
export * from "./editor/index.ts";
export * from "./engine/index.ts";
export * from "./highlight/index.ts";
export * from "./images/index.ts";
export * from "./input/index.ts";
export * from "./markdown/index.ts";
export * from "./terminal/index.ts";
export { editorTheme, markdownTheme, selectListTheme, settingsListTheme } from "./theme/component-themes.ts";
export * from "./theme/index.ts";
export {
	expandTabs,
	fuzzyFilter,
	fuzzyMatch,
	oneRow,
	sliceByColumn,
	truncateToWidth,
	visibleWidth,
	wrapHanging,
	wrapTextWithAnsi,
	type FuzzyMatch,
} from "./text.ts";
