/** The themes of the components, derived from the one theme. */
import type { SelectListTheme } from "../elements/select-list.ts";
import type { SettingsListTheme } from "../components/settings-list.ts";
import type { EditorTheme } from "../editor/editor.ts";
import { highlightCode, linePainter } from "../highlight/index.ts";
import type { MarkdownTheme } from "../markdown/index.ts";
import type { Theme } from "./theme.ts";

export function markdownTheme(theme: Theme): MarkdownTheme {
	return {
		heading: (text) => theme.fg("mdHeading", text),
		link: (text) => theme.fg("mdLink", text),
		linkUrl: (text) => theme.fg("mdLinkUrl", text),
		code: (text) => {
			const painted = theme.fg("mdCode", text);
			return theme.hasTints ? theme.bg("mdCodeBg", painted) : painted;
		},
		codeBlock: (text) => theme.fg("mdCodeBlock", text),
		codeBlockBorder: (text) => theme.fg("mdCodeBlockBorder", text),
		quote: (text) => theme.fg("mdQuote", text),
		quoteBorder: (text) => theme.fg("mdQuoteBorder", text),
		hr: (text) => theme.fg("mdHr", text),
		listBullet: (text) => theme.fg("mdListBullet", text),
		bold: (text) => theme.bold(text),
		italic: (text) => theme.italic(text),
		strikethrough: (text) => theme.strikethrough(text),
		underline: (text) => theme.underline(text),
		highlightCode: (code, lang) => highlightCode(code, lang, theme),
		highlightLines: (lang) => linePainter(lang, theme),
	};
}

export function selectListTheme(theme: Theme): SelectListTheme {
	return {
		selectedPrefix: (text) => theme.fg("accent", text),
		selectedText: (text) => theme.fg("accent", text),
		description: (text) => theme.fg("muted", text),
		scrollInfo: (text) => theme.fg("dim", text),
		noMatch: (text) => theme.fg("warning", text),
		selectedRow: (text) => theme.selected(text),
	};
}

export function settingsListTheme(theme: Theme): SettingsListTheme {
	return {
		label: (text, selected) => (selected ? theme.fg("accent", text) : text),
		value: (text, selected) => theme.fg(selected ? "accent" : "muted", text),
		description: (text) => theme.fg("dim", text),
		cursor: theme.fg("accent", "❯ "),
		hint: (text) => theme.fg("dim", text),
	};
}

export function editorTheme(theme: Theme): EditorTheme {
	return { borderColor: (text) => theme.fg("border", text), selectList: selectListTheme(theme) };
}
