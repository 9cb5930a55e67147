/** Makes a page shallow: drops elements without text, adds the end tags that authors may omit, bounds the depth. */
import { limits } from "../limits.ts";

/** These elements never have text for a reader; their content is skipped. */
const unread =
	"script, style, noscript, template, iframe, frame, object, embed, svg, canvas, audio, video, link, meta, select, datalist";

/** Elements without an end tag, or whose end tag is optional and not worth counting. */
const uncounted = new Set(
	"area base br col embed hr img input link meta source track wbr html head body p li rb rt rp colgroup".split(
		" ",
	),
);

/** The open elements that a start tag ends: HTML lets authors omit these end tags, the converter does not. */
const ends: Readonly<Record<string, readonly string[]>> = {
	td: ["td", "th"],
	th: ["td", "th"],
	tr: ["td", "th", "tr"],
	tbody: ["td", "th", "tr", "tbody", "thead", "tfoot"],
	thead: ["td", "th", "tr", "tbody", "thead", "tfoot"],
	tfoot: ["td", "th", "tr", "tbody", "thead", "tfoot"],
	dd: ["dd", "dt"],
	dt: ["dd", "dt"],
	option: ["option"],
};

/**
 * Converters take time by the square of the depth, and a table whose cells are never closed is as deep as it is long:
 * 1,000 such rows took four seconds.
 */
export function flatten(html: string): string {
	const tree = new OpenElements();
	return new HTMLRewriter()
		.on(unread, { element: (element) => void element.remove() })
		.on("*", { element: (element) => tree.enter(element) })
		.onDocument({ comments: (comment) => void comment.remove() })
		.transform(html);
}

class OpenElements {
	#depth = 0;
	/** For each open table or list, its open elements. */
	readonly #scopes: string[][] = [[]];

	enter(element: HTMLRewriterTypes.Element): void {
		if (element.removed) return;
		const name = element.tagName;
		if (this.#depth >= limits.htmlDepth) element.removeAndKeepContent();
		else if (Object.hasOwn(ends, name)) this.#enterPart(element, name);
		else if (name === "table" || name === "dl") this.#enterScope(element);
		else if (!uncounted.has(name)) this.#enterCounted(element);
	}

	#enterCounted(element: HTMLRewriterTypes.Element): void {
		if (!element.canHaveContent) return;
		this.#depth++;
		element.onEndTag(() => {
			this.#depth--;
		});
	}

	#enterScope(element: HTMLRewriterTypes.Element): void {
		this.#depth++;
		this.#scopes.push([]);
		element.onEndTag((end) => {
			this.#depth--;
			const open = this.#scopes.length > 1 ? this.#scopes.pop() : undefined;
			if (open && open.length > 0) end.before(closing(open), { html: true });
		});
	}

	#enterPart(element: HTMLRewriterTypes.Element, name: string): void {
		const scope = this.#scopes.at(-1) ?? [];
		let from = scope.length;
		while (from > 0 && ends[name]?.includes(scope[from - 1] ?? "")) from--;
		const implied = scope.splice(from);
		if (implied.length > 0) element.before(closing(implied), { html: true });
		scope.push(name);
		element.onEndTag(() => {
			if (scope.at(-1) === name) scope.pop();
		});
	}
}

/** The end tags of open elements, innermost first. */
function closing(open: readonly string[]): string {
	return open
		.map((name) => `</${name}>`)
		.toReversed()
		.join("");
}
