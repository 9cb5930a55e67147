/** Code as lines with the colors of a theme. */
import { expandTabs } from "../text.ts";
import { stripControls } from "@tau/utils";

import type { Theme } from "../theme/index.ts";
import { highlighterVersion } from "./engine.ts";
import { highlightLimits } from "./limits.ts";
import { LineHighlighter } from "./line-highlighter.ts";
import type { CodeSpan } from "./span-emitter.ts";

/** Paints lines one by one, while a block of code is still streaming. */
export interface LinePainter {
	/** The next line. */
	push(line: string): string;
	/** The next line as far as it has arrived. */
	peek(line: string): string;
	/** True if colors are still loading: drawn again later, the lines are the same in color. */
	readonly isWaiting: boolean;
}

export function linePainter(language: string, theme: Theme): LinePainter {
	const highlighter = new LineHighlighter(language);
	return {
		push: (line) => paintSpans(highlighter.push(line), theme),
		peek: (line) => paintSpans(highlighter.peek(line), theme),
		get isWaiting() {
			return highlighter.isWaiting;
		},
	};
}

function paintSpans(spans: readonly CodeSpan[], theme: Theme): string {
	return spans.map(({ text, color }) => theme.fg(color ?? "mdCodeBlock", text)).join("");
}

const cache = new Map<string, string[]>();
let cachedChars = 0;
let cachedVersion = 0;
let cachedTheme: Theme | undefined;

/**
 * The lines of the code, highlighted if the language is known and loaded; otherwise it is loaded for the next time.
 */
export function highlightCode(code: string, lang: string | undefined, theme: Theme): string[] {
	if (cachedTheme !== theme || cachedVersion !== highlighterVersion()) forget(theme);
	const key = `${lang ?? ""}\n${code}`;
	const cached = cache.get(key);
	if (cached) return [...cached];
	const painter = linePainter(lang ?? "", theme);
	const clean = expandTabs(stripControls(code));
	const lines = clean.split("\n").map((line) => painter.push(line));
	if (painter.isWaiting || key.length > highlightLimits.cachedChars) return lines;
	if (cachedChars + key.length > highlightLimits.cachedChars) forget(theme);
	cache.set(key, lines);
	cachedChars += key.length;
	return [...lines];
}

function forget(theme: Theme): void {
	cache.clear();
	cachedChars = 0;
	cachedTheme = theme;
	cachedVersion = highlighterVersion();
}
