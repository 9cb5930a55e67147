/** Takes the definitions of link addresses off the start of a paragraph. */
import type { Definition } from "./leaf.ts";
import { destinationAt, labelAt, labelKey, skipSpace, titleAt } from "./link-syntax.ts";

/** The paragraph without them; each is given to `define`. */
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
	// A footnote is no link: it is shown as it is written.
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
	// What looks like a title and is none may be the next line of the paragraph.
	const end = lineEnd(text, address.end);
	if (end !== undefined) define(labelKey(label.text), { href: address.text, title: "" });
	return end;
}

/** Behind the line break, if only spaces stand before it. */
function lineEnd(text: string, from: number): number | undefined {
	let at = from;
	while (text[at] === " " || text[at] === "\t") at++;
	if (at >= text.length) return at;
	return text[at] === "\n" ? at + 1 : undefined;
}
