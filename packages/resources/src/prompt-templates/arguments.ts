/** Splits the arguments of a command into words, as a shell would, and picks those that a template uses. */

export interface Arguments {
	words: readonly string[];
	/** All of them as one text. */
	text: string;
}

/** Quotes group words; an unclosed quote extends to the end. This never fails, because users write freely. */
export function parseArguments(rest: string): Arguments {
	const value = rest.trim();
	// Without quotes the text itself is used, with its line breaks.
	if (!/["'\\]/.test(value)) return { words: value === "" ? [] : value.split(/\s+/), text: value };
	const words: string[] = [];
	let word: string | undefined;
	let quote: string | undefined;
	for (let at = 0; at < value.length; at++) {
		const sign = value.charAt(at);
		const next = value.charAt(at + 1);
		if (sign === quote) quote = undefined;
		else if (sign === "\\" && quote !== "'" && (next === '"' || next === "\\" || next === quote)) {
			word = (word ?? "") + next;
			at++;
		} else if (quote === undefined && opensQuote(sign, word, value, at)) {
			quote = sign;
			word ??= "";
		} else if (quote === undefined && /\s/.test(sign)) {
			if (word !== undefined) words.push(word);
			word = undefined;
		} else word = (word ?? "") + sign;
	}
	if (word !== undefined) words.push(word);
	return { words, text: words.join(" ") };
}

/** The `'` of "don't" is not a quote, because it is within a word. */
function opensQuote(sign: string, word: string | undefined, value: string, at: number): boolean {
	if (sign === '"') return true;
	return sign === "'" && word === undefined && value.indexOf("'", at + 1) > 0;
}

/** `from` counts from 1. */
export function slice({ words }: Arguments, from: number, count = Number.POSITIVE_INFINITY): string {
	const first = Math.max(from, 1) - 1;
	return words.slice(first, first + count).join(" ");
}
