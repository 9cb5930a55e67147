/** Says why a file cannot be parsed, without the words that the parser quotes from it: one of them may be a key. */

/** Words of parsers that files contain as well. */
const ordinary = new Set(
	"a after alias and array at be before brace but cannot character closing column comma compact end error escape expected file flow found identifier implicit in input invalid is json jsonc key keys line literal map mapping mappings missing must name need nested not number object of on only or parse plain position property quote reserved sequence set single start string tag the this to token toml unable unexpected unique unresolved unterminated value values with yaml".split(
		" ",
	),
);
/** Shorter ones are punctuation and names of single letters. */
const leastChars = 3;

export function parseFailure(error: unknown, text: string): string {
	const message = error instanceof Error ? error.message : String(error);
	return message.replaceAll(/[^\s"'`(),;]+/g, (word) => {
		const bare = word.replace(/[.:]+$/, "");
		const isQuoted = bare.length >= leastChars && !ordinary.has(bare.toLowerCase()) && text.includes(bare);
		return isQuoted ? `…${word.slice(bare.length)}` : word;
	});
}
