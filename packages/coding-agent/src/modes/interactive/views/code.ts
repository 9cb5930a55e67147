/** Code and diffs as rows. */
import { DiffView, getLanguageFromPath, highlightCode, loadLanguage, type Theme } from "@tau/tui";

/** For a single file the name is omitted, because the line of the call already shows it. */
export function diffRows(diff: string, path: unknown, theme: Theme, width: number): string[] {
	const language = typeof path === "string" ? getLanguageFromPath(path) : undefined;
	const isOne = diff.match(/^--- /gm)?.length === 1;
	const shown = isOne ? diff.replace(/^--- .*\n\+\+\+ .*\n/, "") : diff;
	return new DiffView(shown, theme, language === undefined ? {} : { language }).render(width);
}

/** Highlighted in its language, as far as that is loaded. */
export function codeRows(lines: readonly string[], path: string, theme: Theme): string[] {
	return highlightCode(lines.join("\n"), getLanguageFromPath(path), theme);
}

/** The highlighting of a file is loading when its call starts, and loaded when it ends. */
export function expectCode(path: unknown): void {
	const language = typeof path === "string" ? getLanguageFromPath(path) : undefined;
	if (language !== undefined) void loadLanguage(language);
}
