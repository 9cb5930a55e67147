/** Renders Markdown of a model as HTML that loads nothing, runs nothing and has no other elements than listed here. */
import { stripControls } from "@tau/utils";

/** With the attributes that each may have. */
const allowed: Readonly<Record<string, readonly string[]>> = {
	...Object.fromEntries(
		["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "pre", "code", "em", "strong", "del"].map(
			(name) => [name, []],
		),
	),
	ol: ["start"],
	li: [],
	hr: [],
	br: [],
	table: [],
	thead: [],
	tbody: [],
	tr: [],
	th: ["align"],
	td: ["align"],
	a: ["href"],
	input: ["type", "disabled", "checked"],
};

/** A page has its own headings: those of an answer are smaller. */
const smaller: Readonly<Record<string, string>> = { h1: "h3", h2: "h4", h3: "h5", h4: "h6", h5: "h6" };

export function markdownHtml(text: string): string {
	const html = Bun.markdown.html(stripControls(text), { noHtmlBlocks: true, noHtmlSpans: true });
	return new HTMLRewriter().on("*", { element: keepHarmless }).transform(html).trim();
}

function keepHarmless(element: HTMLRewriterTypes.Element): void {
	const { tagName } = element;
	if (tagName === "img") return showAddress(element);
	const attributes = allowed[tagName];
	if (attributes === undefined) return void element.removeAndKeepContent();
	const refused = [...element.attributes].filter(
		([name, value]) => !attributes.includes(name) || (name === "href" && !/^(?:https?|mailto):/i.test(value)),
	);
	for (const [name] of refused) element.removeAttribute(name);
	if (tagName in smaller) element.tagName = smaller[tagName] ?? tagName;
}

/** An image would have to be loaded: its text and its address are shown instead. */
function showAddress(image: HTMLRewriterTypes.Element): void {
	// Quotes and ampersands in attributes are escaped already.
	const text = (name: string): string =>
		(image.getAttribute(name) ?? "").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
	image.replace(`[${text("alt")}](${text("src")})`, { html: true });
}
