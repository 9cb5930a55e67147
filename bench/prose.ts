/** An answer with everything that Markdown has, none of it with a letter that is looked for while it comes. */
const words =
	"the parser reads a line once and keeps what is done while others wait for more of it to come".split(" ");

/** No two parts are the same: some programs stop a model that says the same thing again and again. */
export function prose(chars: number): string {
	let text = "";
	for (let at = 1; text.length < chars; at++) text += `${part(at)}\n\n`;
	return text.slice(0, chars);
}

function part(at: number): string {
	const said = (count: number, from: number): string =>
		Array.from(
			{ length: count },
			(_, step) => words[(at * from + step * (1 + (at % 7))) % words.length],
		).join(" ");
	return [
		`## A heading in the answer, ${at}: ${said(3, 5)}`,
		`Some *words* of **prose** with \`code${at}\` in them, a [link](http://a.b/${at}), ${said(12, 3)}.`,
		`- ${said(2, 11)} ${at}\n- another item with ${said(3, 2)}\n  - nested ${at}`,
		`\`\`\`ts\nfunction add${at}(a: number, b: number) {\n\treturn a + b + ${at};\n}\n\`\`\``,
		`| a | b |\n| --- | --- |\n| ${said(1, 7)} | ${at} |`,
	].join("\n\n");
}
