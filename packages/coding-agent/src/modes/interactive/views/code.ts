/** Code and diffs as rows. */
import { getLanguageFromPath, highlightCode, loadLanguage, truncateToWidth, type Theme } from "@tau/tui";
import { stripControls } from "@tau/utils";

export function diffRows(diff: string, theme: Theme, width: number): string[] {
	return stripControls(diff)
		.split("\n")
		.filter((line) => !/^(?:---|\+\+\+) /.test(line))
		.map((line) => {
			const text = truncateToWidth(line, width);
			if (line.startsWith("+")) return theme.fg("toolDiffAdded", text);
			if (line.startsWith("-")) return theme.fg("toolDiffRemoved", text);
			return theme.fg("toolDiffContext", text);
		});
}

/** In the colours of its language, as far as they are there. */
export function codeRows(lines: readonly string[], path: string, theme: Theme): string[] {
	return highlightCode(lines.join("\n"), getLanguageFromPath(path), theme);
}

/** The colours of a file are on their way when its call begins, and there when it ends. */
export function expectCode(path: unknown): void {
	const language = typeof path === "string" ? getLanguageFromPath(path) : undefined;
	if (language !== undefined) void loadLanguage(language);
}
