/** What newer versions of pi's terminal package have besides the components that Tau shares with it. */
import {
	getCapabilities,
	getKeybindings,
	setCapabilities,
	sliceByColumn,
	TUI,
	visibleWidth,
	type Component,
} from "@tau/tui";
import { stripControls } from "@tau/utils";

/** Draws what it holds; Tau leaves the mouse to the terminal, so that text can be marked and copied. */
export class MouseRegion implements Component {
	readonly #child: Component;

	constructor(child: Component) {
		this.#child = child;
	}

	render(width: number): string[] {
		return this.#child.render(width);
	}

	handleInput(data: string): void {
		this.#child.handleInput?.(data);
	}

	invalidate(): void {
		this.#child.invalidate();
	}
}

export function stripTerminalSequences(text: string): string {
	return stripControls(text);
}

/** The terminal's answer to the question for its background. */
export function parseOsc11BackgroundColor(data: string): { r: number; g: number; b: number } | undefined {
	const match = /\u001B\]11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(data);
	if (!match) return undefined;
	// One to four digits represent the whole range.
	const [r = 0, g = 0, b = 0] = match
		.slice(1)
		.map((digits) => Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255));
	return { r, g, b };
}

/** A terminal that reports changes between dark and light. */
export function parseTerminalColorSchemeReport(data: string): "dark" | "light" | undefined {
	const mode = /^\u001B\[\?997;([12])n$/.exec(data)?.[1];
	return mode === undefined ? undefined : mode === "1" ? "dark" : "light";
}

function setCapabilityOverrides(overrides: Partial<ReturnType<typeof getCapabilities>>): void {
	setCapabilities({ ...getCapabilities(), ...overrides });
}

/** An overlay of a row replaces the cells that it covers. */
export function compositeTuiLine(
	base: string,
	over: string,
	start: number,
	overWidth: number,
	totalWidth: number,
): string {
	const pad = (text: string, width: number): string =>
		text + " ".repeat(Math.max(0, width - visibleWidth(text)));
	const end = start + overWidth;
	const reset = "\u001B[0m";
	const before = pad(sliceByColumn(base, 0, start), start);
	const middle = pad(sliceByColumn(over, 0, overWidth), overWidth);
	const after = sliceByColumn(base, end, Math.max(0, totalWidth - end));
	return before + reset + middle + reset + after;
}

/** The address of the link that covers a column, where one does. */
export function getOsc8LinkAtColumn(line: string, column: number): string | undefined {
	let seen = 0;
	let link: string | undefined;
	for (const part of line.split(/(\u001B\]8;[^;]*;[^\u0007\u001B]*(?:\u0007|\u001B\\))/)) {
		const match = /^\u001B\]8;[^;]*;([^\u0007\u001B]*)/.exec(part);
		if (match) {
			link = match[1] || undefined;
			continue;
		}
		seen += visibleWidth(part);
		if (column < seen) return link;
	}
	return undefined;
}

/** Tau draws on the main screen, below the existing content. */
function isViewportTUI(): boolean {
	return false;
}

/** Formulas are shown unchanged, and this reports that there is no renderer. */
function renderLatex(): undefined {
	return undefined;
}

/** The clipboard is reached through the terminal and the system's own programs. */
function getNativeClipboard(): undefined {
	return undefined;
}

/** The cell of a text cursor. It is drawn in reverse video, also with `CURSOR_MARKER`. */
function renderFakeCursor(cell: string): string {
	return `\u001B[7m${cell}\u001B[27m`;
}

function replaceControlCharacters(text: string, replacement = " "): string {
	return text.replaceAll(/\p{Cc}/gu, replacement);
}

function isAppleTerminalSession(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
	return env.TERM_PROGRAM === "Apple_Terminal";
}

/** Tau converts images for the terminal itself. */
function setImageTranscoder(): void {}

/** What extensions get of it. */
export const newerExports = {
	replaceControlCharacters,
	isAppleTerminalSession,
	setImageTranscoder,
	renderFakeCursor,
	getEditorKeybindings: getKeybindings,
	MouseRegion,
	stripTerminalSequences,
	parseOsc11BackgroundColor,
	parseTerminalColorSchemeReport,
	setCapabilityOverrides,
	compositeTuiLine,
	getOsc8LinkAtColumn,
	isViewportTUI,
	renderLatex,
	TuiMainScreen: TUI,
	getNativeClipboard,
};
