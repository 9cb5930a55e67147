/** Detects the language of every code block, and rewrites the blocks to a form that the converter knows. */

/** Highlighters write the language on the code, on the block or on an element around the block. */
const languageClass = /(?:^|\s)(?:language|lang|highlight-source|brush:|sourceCode)[-\s]?([\w+#.-]+)/i;

/** Visits the elements of a page in order, then rewrites its blocks to `pre` with one `code` that has a class. */
export class CodeLanguages {
	readonly #languages: string[] = [];
	/** The language of the last element around a block; reset by the first block after it. */
	#around = "";

	see(element: HTMLRewriterTypes.Element): void {
		const language = languageOf(element);
		if (language !== "" && element.tagName !== "pre" && element.tagName !== "code") this.#around = language;
	}

	enter(element: HTMLRewriterTypes.Element): void {
		this.#languages.push(languageOf(element) || (element.getAttribute("lang") ?? this.#around));
		this.#around = "";
	}

	inner(element: HTMLRewriterTypes.Element): void {
		const own = languageOf(element);
		if (own !== "" && this.#languages.length > 0) this.#languages[this.#languages.length - 1] = own;
		element.removeAndKeepContent();
	}

	apply(html: string): string {
		if (this.#languages.length === 0) return html;
		let index = 0;
		return new HTMLRewriter()
			.on("pre", {
				element: (element) => {
					const language = (this.#languages[index++] ?? "").replace(/[^\w+#.-]/g, "");
					element.prepend(`<code class="language-${language}">`, { html: true });
					element.append("</code>", { html: true });
				},
			})
			.transform(html);
	}
}

function languageOf(element: HTMLRewriterTypes.Element): string {
	return languageClass.exec(element.getAttribute("class") ?? "")?.[1] ?? "";
}
