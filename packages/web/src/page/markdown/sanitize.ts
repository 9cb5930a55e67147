/** Markdown as nodes of the page: parsed, sanitised, links made harmless, images of other servers behind a click. */
import DOMPurify from "dompurify";
import { Marked } from "marked";

import { limits } from "../limits.ts";
import { localPath, safeAddress } from "./addresses.ts";
import { pictureOf, type RenderOptions } from "./pictures.ts";
import { tokenNodes } from "./token-nodes.ts";

const marked = new Marked({ gfm: true, breaks: false, async: false });

/** What an answer may consist of. No forms, no media, no styles, nothing with an identity that scripts could find. */
const allowed = {
	ALLOWED_TAGS: [
		..."a b blockquote br code del details em h1 h2 h3 h4 h5 h6 hr i img input kbd li ol p pre s".split(" "),
		..."strong sub summary sup table tbody td th thead tr ul".split(" "),
	],
	ALLOWED_ATTR: ["href", "src", "alt", "title", "start", "align", "type", "checked", "disabled"],
	ALLOW_DATA_ATTR: false,
	ALLOW_ARIA_ATTR: false,
	RETURN_DOM_FRAGMENT: true,
} as const;

/** Text with neither entities nor tags, which is nearly all of it, is drawn from what the parser finds. */
export function markdownNodes(text: string, options: RenderOptions = {}): DocumentFragment {
	const fragment = drawn(text, options) ?? plainNodes(text);
	for (const link of fragment.querySelectorAll("a")) secureLink(link, options);
	for (const input of fragment.querySelectorAll("input")) secureInput(input);
	for (const table of fragment.querySelectorAll("table")) wrapTable(table);
	return fragment;
}

/** Undefined for what the parser cannot take, such as ten thousand nested quotes. */
function drawn(text: string, options: RenderOptions): DocumentFragment | undefined {
	if (text.length > limits.blockChars) return undefined;
	try {
		const nodes = /&#?\w+;/.test(text) ? undefined : tokenNodes(marked.lexer(text), options);
		return nodes ?? sanitised(marked.parse(text, { async: false }), options);
	} catch {
		return undefined;
	}
}

function sanitised(html: string, options: RenderOptions): DocumentFragment {
	const fragment = DOMPurify.sanitize(html, {
		...allowed,
		ALLOWED_TAGS: [...allowed.ALLOWED_TAGS],
		ALLOWED_ATTR: [...allowed.ALLOWED_ATTR],
	});
	for (const image of fragment.querySelectorAll("img"))
		image.replaceWith(pictureOf(image.getAttribute("src") ?? "", image.alt, options));
	return fragment;
}

function plainNodes(text: string): DocumentFragment {
	const fragment = document.createDocumentFragment();
	const block = document.createElement("pre");
	block.className = "plain";
	block.textContent = text;
	fragment.append(block);
	return fragment;
}

function secureLink(link: HTMLAnchorElement, { hasFiles = false }: RenderOptions): void {
	const href = link.getAttribute("href") ?? "";
	const address = safeAddress(href);
	if (address === undefined)
		return link.replaceWith(...((hasFiles && fileLink(link, href)) || link.childNodes));
	link.href = address;
	link.target = "_blank";
	link.rel = "noopener noreferrer nofollow";
	// What a link says may differ from where it leads.
	link.title = address;
}

/** Opens a file beside the conversation; the page listens to clicks on it in one place (`markdown.tsx`). */
function fileLink(link: HTMLAnchorElement, href: string): readonly Node[] | undefined {
	const local = localPath(href);
	// A picture that is a link opens itself.
	if (!local || link.querySelector("button")) return undefined;
	const button = document.createElement("button");
	button.type = "button";
	button.className = "file-link";
	button.dataset.action = "open-file";
	button.dataset.path = local.path;
	if (local.line !== undefined) button.dataset.line = String(local.line);
	button.title = local.path;
	button.append(...link.childNodes);
	return [button];
}

/** Only the boxes of a task list. */
function secureInput(input: HTMLInputElement): void {
	if (input.type !== "checkbox") return input.remove();
	input.disabled = true;
	input.setAttribute("aria-label", input.checked ? "done" : "open");
}

function wrapTable(table: HTMLTableElement): void {
	const scroll = document.createElement("div");
	scroll.className = "table-scroll";
	scroll.tabIndex = 0;
	scroll.setAttribute("role", "region");
	scroll.setAttribute("aria-label", "Table");
	table.replaceWith(scroll);
	scroll.append(table);
}
