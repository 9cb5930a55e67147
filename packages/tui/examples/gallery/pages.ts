/** The pages of the gallery, in their order. */
import { colorsPage, textPage, waitingPage } from "./layout-pages.ts";
import { multiPage, selectPage, settingsPage, treePage } from "./list-pages.ts";
import type { Page } from "./gallery-context.ts";
import { dialogPage, diffPage, editorPage, markdownPage, scrollPage } from "./view-pages.ts";

export const pages: readonly Page[] = [
	textPage,
	markdownPage,
	diffPage,
	editorPage,
	selectPage,
	multiPage,
	treePage,
	settingsPage,
	dialogPage,
	scrollPage,
	waitingPage,
	colorsPage,
];
