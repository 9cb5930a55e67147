/**
 * Prepares a page for conversion: drops content that is not for readers, resolves URLs, labels the language of code.
 */
import { CodeLanguages } from "./code-languages.ts";
import { limits } from "../limits.ts";
import { flatten } from "./flatten.ts";

export interface PrefilterOptions {
	/** The URL of the page; links are resolved against it. */
	url?: string;
	/** Also drop navigation, forms and everything that a page marks as hidden. */
	cleanContent?: boolean;
	skipImages?: boolean;
}

export interface Prefiltered {
	html: string;
	/** The title as written in the source, with its entities. */
	title: string;
}

/** Elements around the content of a page. */
const surroundings =
	"nav, footer, aside, button, label, dialog, input, textarea, [hidden], [aria-hidden=true], [role=navigation], [role=banner], [role=search], [role=contentinfo], [role=dialog]";

/** Elements that are part of a text by what they are. */
const content = "h1, h2, h3, h4, h5, h6, pre, table, tr, td, th, dl, dt, dd, details, summary";

/** What finds the article goes by names: `code-header` of a heading, or `share` of a row, would remove it. */
function unnamed(element: HTMLRewriterTypes.Element): void {
	element.removeAttribute("class");
	element.removeAttribute("id");
}

export function prefilter(page: string, options: PrefilterOptions): Prefiltered {
	let title = "";
	const links = new Addresses(options.url);
	const languages = new CodeLanguages();
	const remove = (element: HTMLRewriterTypes.Element): void => void element.remove();
	const rewriter = new HTMLRewriter()
		.on("base[href]", { element: (element) => links.rebase(element.getAttribute("href") ?? "") })
		.on("title", {
			element: remove,
			text: (chunk) => {
				title += chunk.text;
			},
		})
		.on("a[href]", { element: (element) => links.complete(element, "href") })
		.on("img", { element: options.skipImages ? remove : (element) => links.complete(element, "src") })
		// The converter would join the lines of a cell without a space.
		.on("td br, th br", { element: (element) => void element.replace(" ") })
		.on("td p, td div, td li, th p, th div, th li", { element: (element) => void element.after(" ") })
		.on("[class]", { element: (element) => languages.see(element) })
		.on("pre", { element: (element) => languages.enter(element) })
		.on("pre code", { element: (element) => languages.inner(element) });
	const flat = flatten(page);
	if (options.cleanContent) {
		const isAround = formShare(flat) > limits.htmlFormShare;
		const unwrap = (element: HTMLRewriterTypes.Element): void => void element.removeAndKeepContent();
		rewriter
			.on(surroundings, { element: remove })
			.on("form", { element: isAround ? unwrap : remove })
			.on(content, { element: unnamed });
	}
	const filtered = rewriter.transform(flat);
	return { html: languages.apply(filtered), title: title.replace(/\s+/g, " ").trim() };
}

/** The part of a page's text that is inside of forms: some frameworks put one around everything. */
function formShare(page: string): number {
	let [inside, all] = [0, 0];
	const count = (text: string): number => text.replace(/\s+/g, " ").length;
	if (!/<form/i.test(page)) return 0;
	new HTMLRewriter()
		.on("form", { text: ({ text }) => void (inside += count(text)) })
		.onDocument({ text: ({ text }) => void (all += count(text)) })
		.transform(page);
	return all === 0 ? 0 : inside / all;
}

class Addresses {
	#base: string | undefined;

	constructor(base: string | undefined) {
		this.#base = base;
	}

	rebase(href: string): void {
		this.#base = this.#resolve(decoded(href)) ?? this.#base;
	}

	/** A URL that leads nowhere (scripts, inline data) is removed; the text of the link stays. */
	complete(element: HTMLRewriterTypes.Element, attribute: "href" | "src"): void {
		const written = decoded(element.getAttribute(attribute) ?? "")
			.replace(/[\0-\x20]+/g, " ")
			.trim();
		const isInline = /^(?:javascript|data|vbscript|blob):/i.test(written.replaceAll(" ", ""));
		const whole = isInline ? undefined : this.#resolve(written);
		if (whole !== undefined) element.setAttribute(attribute, whole.replaceAll("&", "&amp;"));
		else if (attribute === "src") element.remove();
		else element.removeAttribute(attribute);
	}

	#resolve(written: string): string | undefined {
		if (written === "") return undefined;
		if (this.#base === undefined) return written;
		return URL.parse(written, this.#base)?.href;
	}
}

/** Attributes come as written in the source; a `#` in an entity would look like the start of a fragment. */
function decoded(written: string): string {
	return written.replace(/&(amp|quot|apos|lt|gt|#x?[0-9a-f]{1,6});/gi, (entity, name: string) => {
		if (!name.startsWith("#")) return entities[name.toLowerCase()] ?? entity;
		const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10);
		return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
	});
}

const entities: Readonly<Record<string, string>> = { amp: "&", quot: '"', apos: "'", lt: "<", gt: ">" };
