/**
 * Takes away what stands around and between the paragraphs of an article: share bars, captions, counters, lists of
 * related stories, comments. Judged by structure (link density, length, place); names and phrases are data.
 */
import { limits } from "../limits.ts";
import boilerplate from "./boilerplate.json" with { type: "json" };
import { measure, type PageElement, type Size } from "./sizes.ts";

const names = new Set(boilerplate.names);
const whole = (patterns: readonly string[]): RegExp => new RegExp(`^(?:${patterns.join("|")})$`, "iu");
const headings = whole(boilerplate.headings);
const lines = whole(boilerplate.lines);

const isHeading = ({ tagName }: PageElement): boolean => /^H[1-6]$/.test(tagName);
const density = ({ chars, linked }: Size): number => (chars === 0 ? 0 : linked / chars);

export function trim(root: PageElement): void {
	removeNamed(root);
	removeSections(root);
	removeCaptions(root);
	shortenImages(root);
	removeLinkLists(root);
	removeLines(root);
}

/** Calls with each element that is still there, and its size before anything was removed. */
function each(
	root: PageElement,
	selector: string,
	visit: (element: PageElement, size: Size, total: Size) => void,
): void {
	const sizes = measure(root);
	const total = sizes.get(root);
	for (const element of root.querySelectorAll(selector)) {
		const size = sizes.get(element);
		if (size && total && root.contains(element)) visit(element, size, total);
	}
}

/** Elements whose names say that they are no part of the article, unless much of the text is inside. */
function removeNamed(root: PageElement): void {
	each(root, "[class], [id], [role], [aria-label]", (element, size, total) => {
		if (size.chars > total.chars * limits.htmlBoilerplateShare || isContent(element, size)) return;
		if (isNamed(element) && !element.closest("pre, code")) element.remove();
	});
}

function isNamed(element: PageElement): boolean {
	if (/^(?:button|note)$/.test(element.getAttribute("role") ?? "")) return true;
	const label = element.getAttribute("aria-label") ?? "";
	const written = `${element.getAttribute("class") ?? ""} ${element.id} ${label}`;
	const words = written
		.replace(/([a-z])([A-Z])/g, "$1 $2")
		.toLowerCase()
		.split(/[^\p{L}]+/u);
	return words.some((word) => names.has(word));
}

/** Long prose, code and tables are content in spite of a name; headings and their kind are content by what they are. */
function isContent(element: PageElement, { prose, hasCode, chars, linked }: Size): boolean {
	if (hasCode || isHeading(element)) return true;
	const isLong = prose >= limits.htmlProseChars * 4 && linked < chars * 0.2;
	return isLong && !/comment/i.test(`${element.getAttribute("class") ?? ""} ${element.id}`);
}

/** A heading such as "Related stories", with what follows it up to the next heading of its level. */
function removeSections(root: PageElement): void {
	const sizes = measure(root);
	for (const heading of root.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
		if ((sizes.get(heading)?.chars ?? 0) > limits.htmlProseChars || !headings.test(textOf(heading))) continue;
		let next = heading.nextElementSibling;
		while (next && !(isHeading(next) && next.tagName <= heading.tagName)) {
			const size = sizes.get(next);
			if (!size || isContent(next, size)) break;
			const after = next.nextElementSibling;
			next.remove();
			next = after;
		}
		heading.remove();
	}
}

/** Captions of pictures, which a model does not see; those of tables and code are content. */
function removeCaptions(root: PageElement): void {
	for (const caption of root.querySelectorAll("figcaption"))
		if (!caption.closest("figure")?.querySelector("pre, table, blockquote")) caption.remove();
}

/** A picture without a description is not worth its address, nor is one of an image server worth a line of options. */
function shortenImages(root: PageElement): void {
	for (const image of root.querySelectorAll("img")) {
		const src = image.getAttribute("src") ?? "";
		const address = src.length > limits.htmlImageUrlChars ? src.replace(/\?.*$/, "") : src;
		const isDescribed = (image.getAttribute("alt") ?? "").trim() !== "";
		image.removeAttribute("title");
		if (isDescribed && address.length <= limits.htmlImageUrlChars) image.setAttribute("src", address);
		else image.remove();
	}
}

/** Blocks of links alone, which are not a list inside of the text: menus, tags, and related stories. */
function removeLinkLists(root: PageElement): void {
	each(root, "ul, ol, div, section, p", (element, size) => {
		if (size.links < 2 || density(size) < 0.8 || size.hasCode || size.hasHeading) return;
		if (/^[UO]L$/.test(element.tagName) && isPartOfText(element)) return;
		if (!element.closest("table, dl, pre")) element.remove();
	});
}

/** A list under a heading or after a sentence that introduces it, as documentation has. */
function isPartOfText(list: PageElement): boolean {
	const before = list.previousElementSibling;
	return before !== null && (isHeading(before) || /[:.]\s*$/.test(before.textContent ?? ""));
}

/** Short lines that say something about the page, and not about its subject. */
function removeLines(root: PageElement): void {
	const blocks =
		"p, div, section, ul, ol, li, span, figcaption, aside, header, footer, small, em, strong, b, i, font";
	each(root, blocks, (element, size) => {
		if (size.chars === 0 || size.chars > limits.htmlProseChars * 2) return;
		if (size.hasCode || size.hasHeading || size.hasImage) return;
		const text = textOf(element);
		if (!lines.test(text) || element.closest("pre, code, td, th, dt, h1, h2, h3, h4, h5, h6")) return;
		// Inside of a sentence or of an item, such words are its own.
		if (textOf(element.closest("p, li, blockquote, dd") ?? element) === text) element.remove();
	});
}

function textOf(element: PageElement): string {
	return (element.textContent ?? "").replace(/\s+/g, " ").trim();
}
