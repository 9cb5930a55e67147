/** The text functions that components draw with; all measure by the one width model. */
import { visibleWidth, wrapTextWithAnsi } from "@tau/sys";
import { stripControls } from "@tau/utils";

export { fuzzyFilter, fuzzyMatch, type FuzzyMatch } from "@tau/sys";
export { expandTabs, sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@tau/sys";

/** The head is left of the first row, and the others are indented by its width; if that is too wide, it is part of the text. */
export function wrapHanging(head: string, text: string, width: number): string[] {
	const indent = visibleWidth(head);
	if (indent === 0 || indent > width / 2) return wrapTextWithAnsi(head + text, width);
	const rows = wrapTextWithAnsi(text, width - indent);
	return rows.map((row, at) => (at === 0 ? head : " ".repeat(indent)) + row);
}

/** Untrusted text for a single row: line breaks and controls become spaces or are removed. */
export function oneRow(text: string): string {
	return stripControls(text.replaceAll(/[\r\n\t]+/g, " "), { newline: false, tab: false });
}
