/** What omp's terminal package has besides pi's: small functions for rows, and the colors of the screen. */
import {
	editorTheme,
	expandTabs,
	markdownTheme,
	selectListTheme,
	settingsListTheme,
	sliceByColumn,
	truncateToWidth,
	visibleWidth,
} from "@tau/tui";
import { env } from "@tau/utils";
import { StatusLineComponent } from "../components/status-line.ts";
import { screenTheme } from "../support/screen-theme.ts";
import { parseKittySequence } from "./kitty-sequence.ts";

const segmenter = new Intl.Segmenter();

function padding(width: number): string {
	return " ".repeat(Math.max(0, width));
}

function centerLine(line: string, width: number): string {
	const cut = truncateToWidth(line, width);
	return padding(Math.floor((width - visibleWidth(cut)) / 2)) + cut;
}

/** The colors reach to the end of the row. */
function applyBackgroundToLine(line: string, width: number, paint: (text: string) => string): string {
	return paint(line + padding(width - visibleWidth(line)));
}

function sliceWithWidth(line: string, start: number, length: number): { text: string; width: number } {
	const text = sliceByColumn(line, start, length);
	return { text, width: visibleWidth(text) };
}

/** The theme of the screen, whichever it is when it is asked. */
const theme = new Proxy({} as ReturnType<typeof screenTheme>, {
	get(_, name) {
		const current = screenTheme();
		const value: unknown = Reflect.get(current, name, current);
		return typeof value === "function" ? value.bind(current) : value;
	},
});

/** What extensions get of it. */
export const ompExports = {
	StatusLineComponent,
	BRACKETED_PASTE_START: "\u001B[200~",
	BRACKETED_PASTE_END: "\u001B[201~",
	/** What a row that was cut ends with: `truncateToWidth` takes the text itself. */
	Ellipsis: { Unicode: "…", Ascii: "...", Omit: "" },
	/** The typed text; empty for keys that write nothing. */
	extractPrintableText: (data: string) => (/^[^\u0000-\u001F\u007F]+$/u.test(data) ? data : undefined),
	parseKittySequence,
	padding,
	centerLine,
	applyBackgroundToLine,
	sliceWithWidth,
	replaceTabs: (text: string) => expandTabs(text),
	getSegmenter: () => segmenter,
	isWhitespaceChar: (char: string) => /^\s$/u.test(char),
	isPunctuationChar: (char: string) => /^[\p{P}\p{S}]$/u.test(char),
	isInsideTmux: () => Boolean(env("TMUX")),
	theme,
	getCurrentThemeName: () => screenTheme().name,
	getMarkdownTheme: () => markdownTheme(screenTheme()),
	getSelectListTheme: () => selectListTheme(screenTheme()),
	getSettingsListTheme: () => settingsListTheme(screenTheme()),
	getEditorTheme: () => editorTheme(screenTheme()),
};
