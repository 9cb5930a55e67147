/** Finds the line of an error for parsers that do not report it: the shortest prefix with the same error. */

/** If the text ends too early, returns the line of the unclosed part. Undefined if there is no error. */
export function errorLine(text: string, parse: (text: string) => unknown): number | undefined {
	const lines = text.split("\n");
	const mistake = mistakeIn(text, parse);
	if (mistake === undefined) return undefined;
	const has = (count: number): boolean =>
		mistakeIn(lines.slice(0, count).join("\n") + (count < lines.length ? "\n" : ""), parse) === mistake;
	// A parser stops at the first error, so later lines do not change its message.
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
