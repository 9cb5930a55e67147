/** Recognizes the starts and ends of HTML blocks, which are shown as text. */

const tagNames = new Set(
	[
		"address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div",
		"dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe",
		"legend li link main menu menuitem nav noframes ol optgroup option p param search section summary table",
		"tbody td tfoot th thead title tr track ul",
	].flatMap((names) => names.split(" ")),
);

const attribute =
	"(?:[ \\t\\n]+[A-Za-z_:][\\w.:-]*(?:[ \\t\\n]*=[ \\t\\n]*(?:[^ \\t\\n\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)";
/** An opening or a closing tag, as inline HTML and as a block of its own. */
export const tagSource = `<(?:[A-Za-z][A-Za-z0-9-]*${attribute}*[ \\t\\n]*/?|/[A-Za-z][A-Za-z0-9-]*[ \\t\\n]*)>`;
const wholeTag = new RegExp(`^${tagSource}[ \\t]*$`);

/** The end condition of the block: a text in a line, or a blank line. */
export type HtmlEnd = RegExp | "blank";

const starts: readonly [start: RegExp, end: RegExp][] = [
	[/^<(?:script|pre|textarea|style)(?:[ \t>]|$)/i, /<\/(?:script|pre|textarea|style)>/i],
	[/^<!--/, /-->/],
	[/^<\?/, /\?>/],
	[/^<![A-Za-z]/, />/],
	[/^<!\[CDATA\[/, /\]\]>/],
];

export function htmlStart(word: string, interruptsParagraph: boolean): HtmlEnd | undefined {
	if (word[0] !== "<") return undefined;
	const known = starts.find(([start]) => start.test(word));
	if (known) return known[1];
	const name = /^<\/?([A-Za-z][A-Za-z0-9]*)(?:[ \t]|\/?>|$)/.exec(word)?.[1];
	if (name !== undefined && tagNames.has(name.toLowerCase())) return "blank";
	return !interruptsParagraph && wholeTag.test(word) ? "blank" : undefined;
}
