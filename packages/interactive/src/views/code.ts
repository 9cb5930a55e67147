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

/** The code of a call that runs some, and a name for a file of it. */
export function cellOf(args: Readonly<Record<string, unknown>>): { code: string; path: string } | undefined {
	const { language, code } = args;
	if (typeof language !== "string" || typeof code !== "string") return undefined;
	return { code, path: `cell.${language === "python" ? "py" : language}` };
}

/** The highlighting of a file is loading when its call starts, and loaded when it ends. */
export function expectCode(args: Readonly<Record<string, unknown>>): void {
	const path = cellOf(args)?.path ?? args.path;
	const language = typeof path === "string" ? getLanguageFromPath(path) : undefined;
	if (language !== undefined) void loadLanguage(language);
}
