/** Renders parsed Markdown as HTML, as in the CommonMark specification. */
import { BlockParser } from "../block-parser.ts";
import { parseInlines } from "../inline-parser.ts";
import type { Inline } from "../inline-nodes.ts";
import type { Container, Leaf, List } from "../leaf.ts";

interface Node {
	container: Container | undefined;
	children: (Node | Leaf)[];
}

export function htmlOf(markdown: string): string {
	const parser = new BlockParser();
	for (const line of markdown.replace(/\n$/, "").split("\n")) parser.line(line);
	parser.end();
	const root: Node = { container: undefined, children: [] };
	const chain: Node[] = [root];
	for (const leaf of parser.leaves) {
		let depth = 0;
		while (depth < leaf.path.length && chain[depth + 1]?.container === leaf.path[depth]) depth++;
		chain.length = depth + 1;
		for (const container of leaf.path.slice(depth)) {
			const node: Node = { container, children: [] };
			chain.at(-1)?.children.push(node);
			chain.push(node);
		}
		if (leaf.kind !== "empty") chain.at(-1)?.children.push(leaf);
	}
	const inline = (text: string): string =>
		inlineHtml(parseInlines(text, { definitions: parser.definitions, isOpen: false }));
	return root.children.map((child) => blockHtml(child, false, inline)).join("");
}

function blockHtml(node: Node | Leaf, isTight: boolean, inline: (text: string) => string): string {
	if (!("children" in node)) return leafHtml(node, isTight, inline);
	const { container, children } = node;
	if (container?.kind === "list") return listHtml(container, children, inline);
	const inner = children.map((child) => blockHtml(child, isTight, inline)).join("");
	if (container?.kind === "quote") {
		const open = children.map((child) => blockHtml(child, false, inline)).join("");
		return `<blockquote>\n${open}</blockquote>\n`;
	}
	const isInline =
		isTight && children[0] !== undefined && "kind" in children[0] && children[0].kind === "paragraph";
	const last = children.at(-1);
	const endsInline = isTight && last !== undefined && "kind" in last && last.kind === "paragraph";
	const body = endsInline ? inner.replace(/\n$/, "") : inner;
	return `<li>${children.length > 0 && !isInline ? "\n" : ""}${body}</li>\n`;
}

function listHtml(list: List, items: (Node | Leaf)[], inline: (text: string) => string): string {
	const isLoose = items.some((item, at) => {
		const between = at > 0 && "container" in item && item.container?.blank === true;
		const within = "children" in item && item.children.some((child, place) => place > 0 && blankOf(child));
		return between || within;
	});
	const body = items.map((item) => blockHtml(item, !isLoose, inline)).join("");
	if (!list.ordered) return `<ul>\n${body}</ul>\n`;
	return `<ol${list.start === 1 ? "" : ` start="${list.start}"`}>\n${body}</ol>\n`;
}

function blankOf(node: Node | Leaf): boolean {
	return "children" in node ? node.container?.blank === true : node.blank;
}

function leafHtml(leaf: Leaf, isTight: boolean, inline: (text: string) => string): string {
	switch (leaf.kind) {
		case "paragraph":
			return isTight ? `${inline(leaf.text)}\n` : `<p>${inline(leaf.text)}</p>\n`;
		case "heading":
			return `<h${leaf.depth}>${inline(leaf.text)}</h${leaf.depth}>\n`;
		case "code": {
			const [language = ""] = leaf.info.split(/\s/);
			const kind = language === "" ? "" : ` class="language-${escape(language)}"`;
			const text = leaf.lines.map((line) => `${escape(line)}\n`).join("");
			return `<pre><code${kind}>${text}</code></pre>\n`;
		}
		case "html":
			return leaf.lines.map((line) => `${line}\n`).join("");
		case "rule":
			return "<hr />\n";
		case "table":
			return tableHtml(leaf.header, leaf.rows, inline);
		default:
			return "";
	}
}

function tableHtml(
	header: readonly string[],
	rows: readonly (readonly string[])[],
	inline: (text: string) => string,
): string {
	const row = (cells: readonly string[], tag: string): string =>
		`<tr>${cells.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join("")}</tr>`;
	return `<table>${row(header, "th")}${rows.map((cells) => row(cells, "td")).join("")}</table>\n`;
}

function inlineHtml(pieces: readonly Inline[]): string {
	let html = "";
	/** The alternative text of an image, while it is collected. */
	const images: { href: string; title: string; alt: string }[] = [];
	const append = (text: string, alt: string): void => {
		const image = images.at(-1);
		if (image) image.alt += alt;
		else html += text;
	};
	for (const piece of pieces) {
		if (piece.kind === "text") append(escape(piece.text), escape(piece.text));
		else if (piece.kind === "code") append(`<code>${escape(piece.text)}</code>`, escape(piece.text));
		else if (piece.kind === "html") append(piece.text, "");
		else if (piece.kind === "break") append(piece.isHard ? "<br />\n" : "\n", "\n");
		else if (piece.kind === "open") append(`<${piece.style}>`, "");
		else if (piece.kind === "close") append(`</${piece.style}>`, "");
		else if (piece.kind === "link") append(`<a href="${address(piece.href)}"${title(piece.title)}>`, "");
		else if (piece.kind === "unlink") append("</a>", "");
		else if (piece.kind === "image") images.push({ href: piece.href, title: piece.title, alt: "" });
		else {
			const image = images.pop();
			if (image)
				append(`<img src="${address(image.href)}" alt="${image.alt}"${title(image.title)} />`, image.alt);
		}
	}
	return html;
}

function title(text: string): string {
	return text === "" ? "" : ` title="${escape(text)}"`;
}

function address(href: string): string {
	const encoded = href.replaceAll(/%(?![0-9a-fA-F]{2})|[^\w;/?:@&=+$,\-.!~*'()#%]+/g, (part) => {
		const safe = part.isWellFormed() ? part : "\u{fffd}";
		return safe === "%" ? "%25" : encodeURIComponent(safe);
	});
	return escape(encoded);
}

function escape(text: string): string {
	return text
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;");
}
