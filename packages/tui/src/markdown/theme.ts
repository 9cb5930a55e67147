/** The theme of Markdown: pi's functions, and those that highlight streaming code. */
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
	/** Highlights a whole block of code. */
	highlightCode?: (code: string, lang?: string) => string[];
	/** Highlights line by line, so that a streaming block of code has colors. */
	highlightLines?: (lang: string) => LinePainter;
	/** The prefix of each line of code; two spaces by default. */
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
	/** The terminal supports links (OSC 8); otherwise addresses are shown. */
	hyperlinks?: boolean;
}

/** The options for laying out leaves. */
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
		base:
			paints.length === 0
				? (text) => text
				: (text) => paints.reduce((painted, paint) => paint(painted), text),
		hasLinks: options.hyperlinks ?? false,
	};
}
