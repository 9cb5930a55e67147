/** The content of a tool result, highlighted if its language is known. */
import {
	diffIn,
	DiffView,
	expandTabs,
	getLanguageFromPath,
	highlightCode,
	loadLanguage,
	Markdown,
	markdownTheme,
	wrapTextWithAnsi,
	type Theme,
} from "@tau/tui";
import { cutUnits, stripControls } from "@tau/utils";

import { limits } from "../limits.ts";
import { textOf, type ViewedResult } from "../results.ts";

/** `onColors` is called when highlighting is ready, if it is not yet. */
export function contentRows(
	result: ViewedResult,
	theme: Theme,
	width: number,
	onColors: () => void,
): string[] {
	const diff = diffIn(result.details);
	if (diff !== undefined) return new DiffView(diff, theme).render(width);
	const whole = textOf(result.content);
	const text = stripControls(cutUnits(whole, limits.viewedChars)).trimEnd();
	if (text === "") return [theme.fg("muted", "Nothing.")];
	const lines = text.split("\n");
	const kept = lines.slice(0, limits.viewedLines);
	const note = noteOf(lines.length - kept.length, whole.length - limits.viewedChars).map((label) =>
		theme.fg("dim", label),
	);
	return [...drawn(kept.join("\n"), languageOf(result, text), theme, width, onColors), ...note];
}

/** What is not shown. */
function noteOf(lines: number, chars: number): string[] {
	if (chars > 0) return [`… ${chars} more characters`];
	return lines > 0 ? [`… ${lines} more lines`] : [];
}

type Language = { code: string } | "markdown" | undefined;

function drawn(
	text: string,
	language: Language,
	theme: Theme,
	width: number,
	onColors: () => void,
): string[] {
	const isLong = text.length > limits.coloredChars;
	if (language === "markdown" && !isLong) return new Markdown(text, 0, 0, markdownTheme(theme)).render(width);
	if (typeof language === "object" && !isLong) {
		const rows = highlightCode(text, language.code, theme).flatMap((line) => wrapTextWithAnsi(line, width));
		awaitColors(language.code, onColors);
		return rows;
	}
	return expandTabs(text)
		.split("\n")
		.flatMap((line) => wrapTextWithAnsi(line, width));
}

/** A language is loaded once, and from then on highlighting is immediate. */
const loaded = new Set<string>();

function awaitColors(language: string, onColors: () => void): void {
	if (loaded.has(language)) return;
	void loadLanguage(language).then((isThere) => {
		if (isThere && !loaded.has(language)) {
			loaded.add(language);
			onColors();
		}
	});
}

function languageOf({ input, isError }: ViewedResult, text: string): Language {
	if (isError) return undefined;
	if (typeof input.path === "string" && isRangeOf(input)) {
		const code = getLanguageFromPath(input.path);
		return code === undefined ? undefined : { code };
	}
	if (/^\s*[[{]/.test(text) && isJson(text)) return { code: "json" };
	return /^(#{1,6} |```)/m.test(text) ? "markdown" : undefined;
}

/** A call with nothing but a path and numbers shows that file, or a range of it. */
function isRangeOf({ path: _, ...rest }: Readonly<Record<string, unknown>>): boolean {
	return Object.values(rest).every((value) => typeof value === "number");
}

function isJson(text: string): boolean {
	if (text.length > limits.coloredChars) return false;
	try {
		JSON.parse(text);
		return true;
	} catch {
		// Then it is only a text with a similar start.
		return false;
	}
}
