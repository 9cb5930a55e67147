/** How Markdown is painted: pi's functions, and those that colour code while it comes. */
import type { Paint } from "../elements/text.ts";
import type { LinePainter } from "../highlight/index.ts";

export interface MarkdownTheme {
	heading: Paint;
	link: Paint;
	linkUrl: Paint;
	code: Paint;
	codeBlock: Paint;
	codeBlockBorder: Paint;
	quote: Paint;
	quoteBorder: Paint;
	hr: Paint;
	listBullet: Paint;
	bold: Paint;
	italic: Paint;
	strikethrough: Paint;
	underline: Paint;
	/** The lines of a whole block of code. */
	highlightCode?: (code: string, lang?: string) => string[];
	/** The lines one by one; with it, a block of code has its colours while it still comes. */
	highlightLines?: (lang: string) => LinePainter;
	/** Stands before each line of code; two spaces unless given. */
	codeBlockIndent?: string;
}

/** The style of all text that has no style of its own. */
export interface DefaultTextStyle {
	color?: Paint;
	bgColor?: Paint;
	bold?: boolean;
	italic?: boolean;
	strikethrough?: boolean;
	underline?: boolean;
}

export interface MarkdownOptions {
	/** The terminal has links (OSC 8); where it has none, addresses are shown. */
	hyperlinks?: boolean;
}

/** What leaves are laid out with. */
export interface Look {
	theme: MarkdownTheme;
	/** The default style. */
	base: Paint;
	hasLinks: boolean;
}

export function lookOf(theme: MarkdownTheme, style: DefaultTextStyle, options: MarkdownOptions): Look {
	const paints = [
		style.bold ? theme.bold : undefined,
		style.italic ? theme.italic : undefined,
		style.strikethrough ? theme.strikethrough : undefined,
		style.underline ? theme.underline : undefined,
		style.color,
	].filter((paint) => paint !== undefined);
	return {
		theme,
		base: (text) => paints.reduce((painted, paint) => paint(painted), text),
		hasLinks: options.hyperlinks ?? false,
	};
}
