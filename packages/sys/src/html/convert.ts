/** Converts a page to Markdown. */
import { cutUnits } from "@tau/utils";
import { NodeHtmlMarkdown } from "node-html-markdown";
import { limits } from "../limits.ts";
import { measure, type PageElement } from "./sizes.ts";
import { prefilter, type PrefilterOptions } from "./prefilter.ts";

export interface HtmlOptions extends PrefilterOptions {
	/** Keep only the article of the page, if it has one. */
	readability?: boolean;
}

export interface HtmlMarkdown {
	markdown: string;
	/** Empty when the page has none. */
	title: string;
	/** True if this is the page's article alone. */
	isArticle: boolean;
	/** True if the page was too long to be read completely. */
	truncated: boolean;
}

export async function convert(html: string, options: HtmlOptions = {}): Promise<HtmlMarkdown> {
	const page = cutUnits(html, limits.htmlChars);
	const cleanContent = options.cleanContent ?? options.readability ?? false;
	const filtered = prefilter(page, { ...options, cleanContent });
	const body = cutUnits(filtered.html, limits.htmlReadChars);
	const article = options.readability ? await findArticle(body) : undefined;
	const markdown = toMarkdown(article?.html ?? body);
	// A page that marks all of its content as hidden, or as a menu, is shown as it is.
	if (markdown === "" && cleanContent && options.cleanContent === undefined)
		return await convert(html, { ...options, readability: false });
	return {
		markdown,
		title: decodeEntities(filtered.title) || (article?.title ?? ""),
		isArticle: article !== undefined,
		truncated: page.length < html.length || body.length < filtered.html.length,
	};
}

async function findArticle(html: string): Promise<{ html: string; title: string } | undefined> {
	const [{ Readability }, { parseHTML }, { trim }] = await Promise.all([
		import("@mozilla/readability"),
		import("linkedom"),
		import("./trim.ts"),
	]);
	try {
		const whole = /<body/i.test(html) ? html : `<html><body>${html}</body></html>`;
		const { document } = parseHTML(whole);
		// Readability's own bound uses a call for which linkedom always returns 0.
		if (document.querySelectorAll("*").length > limits.htmlArticleElements) return undefined;
		const chars = document.body.textContent.length;
		const article = new Readability(document, { keepClasses: true }).parse();
		if (!article?.content || !article.textContent?.trim()) return undefined;
		const { document: inner } = parseHTML(`<html><body>${article.content}</body></html>`);
		trim(inner.body);
		const found = { html: inner.body.innerHTML, title: article.title ?? "" };
		if (article.textContent.length > chars * limits.htmlArticleShare) return found;
		// Of several texts, such as a question and its answers, Readability takes one.
		const { document: all } = parseHTML(whole);
		trim(all.body);
		const prose = (body: PageElement): number => measure(body).get(body)?.prose ?? 0;
		const isPart = prose(inner.body) < prose(all.body) * limits.htmlArticleShare;
		return isPart ? { ...found, html: all.body.innerHTML } : found;
	} catch {
		// If the parser fails, the whole page is used.
		return undefined;
	}
}

const options = {
	bulletMarker: "-",
	maxConsecutiveNewlines: 2,
	blockElements: ["details", "summary", "dt", "dd", "figcaption", "caption", "address", "fieldset", "legend"],
};

function toMarkdown(html: string): string {
	return NodeHtmlMarkdown.translate(html, options)
		.replace(/(?<![ \t])[ \t]+$/gm, "")
		.replace(/\n{3,}/g, "\n\n")
		.replace(/^```[^]*?^```$|^\| .*$/gm, (part) => (part.startsWith("|") ? narrow(part) : part))
		.trim();
}

/** The converter pads each cell to the longest of its column, which may be a paragraph. */
function narrow(row: string): string {
	return row.length <= limits.htmlTableChars ? row : row.replace(/ {3,}/g, " ").replace(/-{4,}/g, "---");
}

const nothing = [/(?!)/, ""] as const;

/** Titles come with their entities. */
function decodeEntities(text: string): string {
	if (!text.includes("&")) return text;
	return NodeHtmlMarkdown.translate(text, { globalEscape: nothing, lineStartEscape: nothing });
}
