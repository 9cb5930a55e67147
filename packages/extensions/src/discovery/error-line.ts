/** Finds the line of a mistake for parsers that do not say it: the first beginning of the text with the same mistake. */

/** Where the text ends too early, the line of what is still open. Nothing where all is well. */
export function errorLine(text: string, parse: (text: string) => unknown): number | undefined {
	const lines = text.split("\n");
	const mistake = mistakeIn(text, parse);
	if (mistake === undefined) return undefined;
	const has = (count: number): boolean =>
		mistakeIn(lines.slice(0, count).join("\n") + (count < lines.length ? "\n" : ""), parse) === mistake;
	// A parser stops at the first mistake: what follows does not change what it says.
	let [low, high] = [1, lines.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (has(middle)) high = middle;
		else low = middle + 1;
	}
	return low;
}

function mistakeIn(text: string, parse: (text: string) => unknown): string | undefined {
	try {
		parse(text);
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}
