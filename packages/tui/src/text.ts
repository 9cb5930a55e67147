/** The text functions that components draw with; all measure by the one width model. */
import { stripControls } from "@tau/utils";

export { fuzzyFilter, fuzzyMatch, type FuzzyMatch } from "@tau/sys";
export { expandTabs, sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@tau/sys";

/** Untrusted text for a single row: line breaks and controls become spaces or are removed. */
export function oneRow(text: string): string {
	return stripControls(text.replaceAll(/[\r\n\t]+/g, " "), { newline: false, tab: false });
}
