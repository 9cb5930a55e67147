/** Extracts link reference definitions from the start of a paragraph. */
import type { Definition } from "./leaf.ts";
import { destinationAt, labelAt, labelKey, skipSpace, titleAt } from "./link-syntax.ts";

/** Returns the paragraph without them; `define` is called for each. */
export function withoutDefinitions(
	text: string,
	define: (key: string, definition: Definition) => void,
): string {
	let at = 0;
	while (text[at] === "[") {
		const end = definitionAt(text, at, define);
		if (end === undefined) break;
		at = end;
	}
	return text.slice(at);
}

function definitionAt(
	text: string,
	start: number,
	define: (key: string, definition: Definition) => void,
): number | undefined {
	const label = labelAt(text, start);
	// A footnote is not a link: it is shown as written.
	if (label === undefined || label.text.trim() === "" || label.text.startsWith("^")) return undefined;
	if (text[label.end] !== ":") return undefined;
	const addressStart = skipSpace(text, label.end + 1);
	const address = destinationAt(text, addressStart);
	if (address === undefined || address.end === addressStart) return undefined;
	const titleStart = skipSpace(text, address.end);
	const title = titleStart > address.end ? titleAt(text, titleStart) : undefined;
	const titleEnd = title && lineEnd(text, title.end);
	if (title !== undefined && titleEnd !== undefined) {
		define(labelKey(label.text), { href: address.text, title: title.text });
		return titleEnd;
	}
	// An invalid title may be the next line of the paragraph.
	const end = lineEnd(text, address.end);
	if (end !== undefined) define(labelKey(label.text), { href: address.text, title: "" });
	return end;
}

/** The position after the line break, if only spaces precede it. */
function lineEnd(text: string, from: number): number | undefined {
	let at = from;
	while (text[at] === " " || text[at] === "\t") at++;
	if (at >= text.length) return at;
	return text[at] === "\n" ? at + 1 : undefined;
}
