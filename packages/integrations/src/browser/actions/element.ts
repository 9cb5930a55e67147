/** Brings an element to where it can be used, and reports why it cannot. */
import type { ElementHandle, Point } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { oneLine } from "@tau/utils";

import { limits } from "../limits.ts";
import { onElement } from "../page/in-page.ts";
import type { Tab } from "../page/tab.ts";

/** The element in a world of its own: what the page has redefined does not count there. */
export async function elementOf(tab: Tab, ref: number): Promise<ElementHandle> {
	const { frame, backendNodeId } = tab.refs.target(ref);
	try {
		const handle = await tab.within(frame.isolatedRealm().adoptBackendNode(backendNodeId));
		const element = handle.asElement();
		// Only what is a node of the page has a number.
		if (element) return element as ElementHandle;
	} catch (error) {
		if (error instanceof DOMException) throw error;
	}
	throw new Error(`Element ${ref} is gone. Look again.`);
}

/**
 * Scrolls an element into view and returns its point. Rejects if something else is there. Undefined if it was clicked
 * already: a control that is invisible, and whose label stands for it.
 */
export async function pointOf(tab: Tab, ref: number, isClick = false): Promise<Point | undefined> {
	const element = await elementOf(tab, ref);
	const { frame } = tab.refs.target(ref);
	const { problem, isClicked, x, y } = await tab.within(onElement(element, frame, "prepare", isClick));
	if (problem !== undefined) throw new Error(`Element ${ref} ${oneLine(problem, limits.titleChars)}.`);
	if (isClicked) return undefined;
	// Positions in a frame are not those of the page.
	if (frame === tab.page.mainFrame() && x !== undefined && y !== undefined) return { x, y };
	return await tab.within(element.clickablePoint());
}

/** The same, for an action that needs a place. */
export async function placeOf(tab: Tab, ref: number): Promise<Point> {
	const point = await pointOf(tab, ref);
	if (!point) throw new Error(`Element ${ref} is not visible.`);
	return point;
}
