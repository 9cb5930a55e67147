/** A keyboard for tests: sends keys by their ids to a field, and reads the displayed rows. */
import { CURSOR_MARKER } from "../../component.ts";
import { Editor, type EditorOptions } from "../editor.ts";

const named: Record<string, string> = {
	up: "\x1b[A",
	down: "\x1b[B",
	right: "\x1b[C",
	left: "\x1b[D",
	home: "\x1b[H",
	end: "\x1b[F",
	enter: "\r",
	tab: "\t",
	escape: "\x1b",
	backspace: "\x7f",
	delete: "\x1b[3~",
	pageUp: "\x1b[5~",
	pageDown: "\x1b[6~",
	"shift+enter": "\x1b[13;2u",
	"ctrl+-": "\x1f",
	"ctrl+]": "\x1d",
	"ctrl+alt+]": "\x1b\x1d",
	"alt+backspace": "\x1b\x7f",
	"ctrl+left": "\x1b[1;5D",
	"ctrl+right": "\x1b[1;5C",
	"ctrl+home": "\x1b[1;5H",
	"ctrl+end": "\x1b[1;5F",
};

/** The sequence that a terminal sends for a key. */
export function sequenceOf(id: string): string {
	const sequence = named[id];
	if (sequence !== undefined) return sequence;
	const letter = id.at(-1) ?? "";
	if (id.startsWith("ctrl+")) return String.fromCharCode(letter.charCodeAt(0) & 0x1f);
	if (id.startsWith("alt+")) return `\x1b${letter}`;
	return id;
}

interface Field {
	handleInput(data: string): void;
	render(width: number): string[];
}

export function press(field: Field, ...ids: string[]): void {
	for (const id of ids) field.handleInput(sequenceOf(id));
}

/** Types character by character, line feeds as new lines. */
export function type(field: Field, text: string): void {
	for (const character of text) field.handleInput(character);
}

export function paste(field: Field, text: string): void {
	field.handleInput(`\x1b[200~${text}\x1b[201~`);
}

const caretOnText = new RegExp(`${CURSOR_MARKER}\\x1b\\[7m(.+?)\\x1b\\[27m`, "gu");

/** The rows with the caret as `▏` before its cell, or `█` on an empty one; selections in angle quotes. */
export function seen(field: Field, width: number): string {
	return field
		.render(width)
		.map((row) =>
			row
				.replaceAll(`${CURSOR_MARKER}\x1b[7m \x1b[27m`, "█")
				.replaceAll(caretOnText, "▏$1")
				.replaceAll("\x1b[27m\x1b[7m", "")
				.replaceAll("\x1b[7m", "«")
				.replaceAll("\x1b[27m", "»")
				.trimEnd(),
		)
		.join("\n");
}

const plain = (text: string): string => text;

const plainTheme = {
	borderColor: plain,
	selectList: {
		selectedPrefix: plain,
		selectedText: plain,
		description: plain,
		scrollInfo: plain,
		noMatch: plain,
	},
};

export interface EditorFixture {
	editor: Editor;
	sent: string[];
	changes: string[];
	/** How often a frame was requested without a key. */
	frames: () => number;
}

export function editorFixture(options: EditorOptions & { rows?: number } = {}): EditorFixture {
	let requests = 0;
	const screen = { requestRender: () => void requests++, terminal: { rows: options.rows ?? 24 } };
	const editor = new Editor(screen, plainTheme, options);
	editor.focused = true;
	const sent: string[] = [];
	const changes: string[] = [];
	editor.onSubmit = (text) => void sent.push(text);
	editor.onChange = (text) => void changes.push(text);
	return { editor, sent, changes, frames: () => requests };
}
