/** Converts a page to Markdown. */
import { cutUnits } from "@tau/utils";
import { NodeHtmlMarkdown } from "node-html-markdown";
import { limits } from "../limits.ts";
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
	return {
		markdown: toMarkdown(article?.html ?? body),
		title: decodeEntities(filtered.title) || (article?.title ?? ""),
		isArticle: article !== undefined,
		truncated: page.length < html.length || body.length < filtered.html.length,
	};
}

async function findArticle(html: string): Promise<{ html: string; title: string } | undefined> {
	const [{ Readability }, { parseHTML }] = await Promise.all([
		import("@mozilla/readability"),
		import("linkedom"),
	]);
	try {
		const whole = /<body/i.test(html) ? html : `<html><body>${html}</body></html>`;
		const { document } = parseHTML(whole);
		// Readability's own bound uses a call for which linkedom always returns 0.
		if (document.querySelectorAll("*").length > limits.htmlArticleElements) return undefined;
		const article = new Readability(document, { keepClasses: true }).parse();
		if (!article?.content || !article.textContent?.trim()) return undefined;
		return { html: article.content, title: article.title ?? "" };
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
		.trim();
}

const nothing = [/(?!)/, ""] as const;

/** Titles come with their entities. */
function decodeEntities(text: string): string {
	if (!text.includes("&")) return text;
	return NodeHtmlMarkdown.translate(text, { globalEscape: nothing, lineStartEscape: nothing });
}
