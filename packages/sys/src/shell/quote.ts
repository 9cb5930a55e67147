/** Quotes a text so that a shell reads it as one word. */
export function shellQuote(text: string): string {
	return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
