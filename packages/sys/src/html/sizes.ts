/** Measures all elements of a page in one pass: asking each for its text would take time by the depth of the page. */
import { limits } from "../limits.ts";

/** What this needs of an element; there are no types of the DOM here. */
export interface PageElement {
	readonly nodeType: number;
	readonly tagName: string;
	readonly id: string;
	readonly textContent: string | null;
	readonly childNodes: Iterable<PageElement>;
	readonly nextElementSibling: PageElement | null;
	readonly previousElementSibling: PageElement | null;
	getAttribute(name: string): string | null;
	setAttribute(name: string, value: string): void;
	removeAttribute(name: string): void;
	querySelector(selector: string): PageElement | null;
	querySelectorAll(selector: string): Iterable<PageElement>;
	closest(selector: string): PageElement | null;
	contains(other: PageElement): boolean;
	remove(): void;
}

export interface Size {
	/** Characters of text, with single spaces. */
	chars: number;
	/** Those of them that are links, and how many links there are. */
	linked: number;
	links: number;
	/** Those that are in long blocks which are not made of links. */
	prose: number;
	/** True if it contains, or is, code or a table, a heading or a picture. */
	hasCode: boolean;
	hasHeading: boolean;
	hasImage: boolean;
}

const paragraph = /^(?:P|PRE|LI|TD|DD|BLOCKQUOTE)$/;
const code = /^(?:PRE|CODE|TABLE|DL|MATH)$/;
const [elementNode, textNode] = [1, 3];

/** The size of the element and of everything inside. */
export function measure(root: PageElement, sizes = new Map<PageElement, Size>()): Map<PageElement, Size> {
	const { tagName } = root;
	const size: Size = {
		chars: 0,
		linked: 0,
		links: tagName === "A" ? 1 : 0,
		prose: 0,
		hasCode: code.test(tagName),
		hasHeading: /^H[1-6]$/.test(tagName),
		hasImage: tagName === "IMG",
	};
	for (const child of root.childNodes) {
		if (child.nodeType === textNode) size.chars += charsOf(child.textContent ?? "");
		if (child.nodeType === elementNode) add(size, measure(child, sizes).get(child));
	}
	if (tagName === "A") size.linked = size.chars;
	const isProse = size.chars >= limits.htmlProseChars && size.linked < size.chars * 0.3;
	if (paragraph.test(tagName) && isProse && size.prose === 0) size.prose = size.chars;
	return sizes.set(root, size);
}

function add(size: Size, inner: Size | undefined): void {
	if (!inner) return;
	size.chars += inner.chars;
	size.linked += inner.linked;
	size.links += inner.links;
	size.prose += inner.prose;
	size.hasCode ||= inner.hasCode;
	size.hasHeading ||= inner.hasHeading;
	size.hasImage ||= inner.hasImage;
}

function charsOf(text: string): number {
	const one = text.replace(/\s+/g, " ");
	return one === " " ? 0 : one.length;
}
