/**
 * What the parser has found as nodes of the page, without HTML in between: then there is nothing to sanitise, which
 * takes ten times as long as everything else.
 */
import type { MarkedToken, Token, Tokens } from "marked";

import { pictureOf, type RenderOptions } from "./pictures.ts";

/** Undefined where only the parser of HTML knows what is meant: tags, and kinds of tokens that are new. */
export function tokenNodes(tokens: readonly Token[], options: RenderOptions): DocumentFragment | undefined {
	const fragment = document.createDocumentFragment();
	return new TokenDrawer(options).addAll(fragment, tokens) ? fragment : undefined;
}

class TokenDrawer {
	readonly #options: RenderOptions;

	constructor(options: RenderOptions) {
		this.#options = options;
	}

	/** False as soon as one cannot be drawn. */
	addAll(parent: Node, tokens: readonly Token[]): boolean {
		// The parser's own kinds; extensions of it are not used.
		return tokens.every((token) => this.#add(parent, token as MarkedToken));
	}

	#add(parent: Node, token: MarkedToken): boolean {
		switch (token.type) {
			case "space":
			case "def":
				return true;
			case "text":
				return "tokens" in token && token.tokens
					? this.addAll(parent, token.tokens)
					: addText(parent, token.text);
			case "escape":
				return addText(parent, token.text);
			case "paragraph":
				return this.#wrap(parent, "p", token.tokens);
			case "heading":
				return this.#wrap(parent, `h${token.depth}`, token.tokens);
			case "blockquote":
			case "strong":
			case "em":
			case "del":
				return this.#wrap(parent, token.type, token.tokens);
			case "br":
			case "hr":
				append(parent, token.type);
				return true;
			case "codespan":
				return addText(append(parent, "code"), token.text);
			case "code":
				return addText(append(append(parent, "pre"), "code"), `${token.text}\n`);
			case "link":
				return this.#link(parent, token);
			case "image":
				parent.appendChild(pictureOf(token.href, token.text, this.#options));
				return true;
			case "checkbox":
				return this.#checkbox(parent, token.checked);
			case "list":
				return this.#list(parent, token);
			case "table":
				return this.#table(parent, token);
			default:
				return false;
		}
	}

	#wrap(parent: Node, name: string, tokens: readonly Token[]): boolean {
		return this.addAll(append(parent, name), tokens);
	}

	#link(parent: Node, { href, tokens }: Tokens.Link): boolean {
		const link = append(parent, "a");
		link.setAttribute("href", href);
		return this.addAll(link, tokens);
	}

	#checkbox(parent: Node, isChecked: boolean): boolean {
		const box = append(parent, "input");
		box.setAttribute("type", "checkbox");
		if (isChecked) box.setAttribute("checked", "");
		return addText(parent, " ");
	}

	#list(parent: Node, { ordered, start, items }: Tokens.List): boolean {
		const list = append(parent, ordered ? "ol" : "ul");
		if (ordered && start !== 1) list.setAttribute("start", String(start));
		return items.every(({ tokens }) => this.addAll(append(list, "li"), tokens));
	}

	#table(parent: Node, { header, rows }: Tokens.Table): boolean {
		const table = append(parent, "table");
		const isHeadDrawn = this.#row(append(table, "thead"), "th", header);
		if (rows.length === 0) return isHeadDrawn;
		const body = append(table, "tbody");
		return isHeadDrawn && rows.every((row) => this.#row(body, "td", row));
	}

	#row(parent: Node, name: "th" | "td", cells: readonly Tokens.TableCell[]): boolean {
		const row = append(parent, "tr");
		return cells.every(({ align, tokens }) => {
			const cell = append(row, name);
			if (align) cell.setAttribute("align", align);
			return this.addAll(cell, tokens);
		});
	}
}

function append(parent: Node, name: string): HTMLElement {
	return parent.appendChild(document.createElement(name));
}

function addText(parent: Node, text: string): true {
	parent.appendChild(document.createTextNode(text));
	return true;
}
