/** Says why a file cannot be parsed, without the words that the parser quotes from it: one of them may be a key. */

/** Words of parsers that files contain as well. */
const ordinary =
	/^(?:a|after|alias|and|array|at|be|but|character|comma|end|error|expected|file|found|identifier|in|input|invalid|is|json|jsonc|key|keys|line|literal|map|mapping|missing|must|name|not|number|object|of|on|or|parse|property|quote|single|start|string|the|to|token|toml|unable|unexpected|unique|unresolved|unterminated|value|with|yaml)$/i;
/** Shorter ones are punctuation and names of single letters. */
const leastChars = 3;

export function parseFailure(error: unknown, text: string): string {
	const message = error instanceof Error ? error.message : String(error);
	return message.replaceAll(/[^\s"'`(),;]+/g, (word) => {
		const bare = word.replace(/[.:]+$/, "");
		const isQuoted = bare.length >= leastChars && !ordinary.test(bare) && text.includes(bare);
		return isQuoted ? `…${word.slice(bare.length)}` : word;
	});
}
