/** An answer with everything that Markdown has, none of it with a letter that is looked for while it comes. */
export function prose(chars: number): string {
	const part = [
		"## A heading in the text",
		"Some *words* of **prose** with `code` in them, a [link](http://a.b/c) and more words to fill a line or two of it.",
		"- one item\n- another item with more words\n  - nested",
		"```ts\nfunction add(a: number, b: number) {\n\treturn a + b;\n}\n```",
		"| a | b |\n| --- | --- |\n| one | two |",
	].join("\n\n");
	return `${part}\n\n`
		.repeat(Math.ceil(chars / part.length))
		.slice(0, chars)
		.replaceAll(/[qxz]/g, "s");
}
