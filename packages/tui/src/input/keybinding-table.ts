/**
 * The actions of the terminal's own components, with their default keys. Names are those of pi; extensions bind them.
 */
import type { KeyId } from "./key-id.ts";

export interface KeybindingDefinition {
	defaultKeys: KeyId | readonly KeyId[];
	description?: string;
	/** Where the keys are handled. Within one context a key can do one thing only. */
	context?: string;
}

export type KeybindingDefinitions = Record<string, KeybindingDefinition>;

/** Ids of actions. Other packages add theirs by declaration merging. */
export interface Keybindings {
	"tui.editor.cursorUp": true;
	"tui.editor.cursorDown": true;
	"tui.editor.cursorLeft": true;
	"tui.editor.cursorRight": true;
	"tui.editor.cursorWordLeft": true;
	"tui.editor.cursorWordRight": true;
	"tui.editor.cursorLineStart": true;
	"tui.editor.cursorLineEnd": true;
	"tui.editor.cursorTextStart": true;
	"tui.editor.cursorTextEnd": true;
	"tui.editor.jumpForward": true;
	"tui.editor.jumpBackward": true;
	"tui.editor.pageUp": true;
	"tui.editor.pageDown": true;
	"tui.editor.deleteCharBackward": true;
	"tui.editor.deleteCharForward": true;
	"tui.editor.deleteWordBackward": true;
	"tui.editor.deleteWordForward": true;
	"tui.editor.deleteToLineStart": true;
	"tui.editor.deleteToLineEnd": true;
	"tui.editor.yank": true;
	"tui.editor.yankPop": true;
	"tui.editor.undo": true;
	"tui.editor.redo": true;
	"tui.editor.historySearch": true;
	"tui.input.newLine": true;
	"tui.input.submit": true;
	"tui.input.tab": true;
	"tui.input.copy": true;
	"tui.select.up": true;
	"tui.select.down": true;
	"tui.select.pageUp": true;
	"tui.select.pageDown": true;
	"tui.select.confirm": true;
	"tui.select.cancel": true;
}

export type Keybinding = keyof Keybindings;

function action<const K extends KeyId | readonly KeyId[]>(
	context: "editor" | "list",
	defaultKeys: K,
	description: string,
) {
	return { defaultKeys, description, context } as const;
}

export const TUI_KEYBINDINGS = {
	"tui.editor.cursorUp": action("editor", "up", "Move up; at the first row, older prompts"),
	"tui.editor.cursorDown": action("editor", "down", "Move down; at the last row, newer prompts"),
	"tui.editor.cursorLeft": action("editor", ["left", "ctrl+b"], "Left"),
	"tui.editor.cursorRight": action("editor", ["right", "ctrl+f"], "Right"),
	"tui.editor.cursorWordLeft": action("editor", ["alt+left", "ctrl+left", "alt+b"], "Move one word left"),
	"tui.editor.cursorWordRight": action("editor", ["alt+right", "ctrl+right", "alt+f"], "Move one word right"),
	"tui.editor.cursorLineStart": action("editor", ["home", "ctrl+a"], "Go to the start of the line"),
	"tui.editor.cursorLineEnd": action("editor", ["end", "ctrl+e"], "Go to the end of the line"),
	"tui.editor.cursorTextStart": action("editor", ["ctrl+home", "alt+<"], "Go to the start of the text"),
	"tui.editor.cursorTextEnd": action("editor", ["ctrl+end", "alt+>"], "Go to the end of the text"),
	"tui.editor.jumpForward": action("editor", "ctrl+]", "Jump forward to a character"),
	"tui.editor.jumpBackward": action("editor", "ctrl+alt+]", "Jump backward to a character"),
	"tui.editor.pageUp": action("editor", "pageUp", "Up one page"),
	"tui.editor.pageDown": action("editor", "pageDown", "Down one page"),
	"tui.editor.deleteCharBackward": action("editor", "backspace", "Delete the character before the cursor"),
	"tui.editor.deleteCharForward": action(
		"editor",
		["delete", "ctrl+d"],
		"Delete the character at the cursor",
	),
	"tui.editor.deleteWordBackward": action(
		"editor",
		["ctrl+w", "alt+backspace"],
		"Cut the word before the cursor",
	),
	"tui.editor.deleteWordForward": action("editor", ["alt+d", "alt+delete"], "Cut the word after the cursor"),
	"tui.editor.deleteToLineStart": action("editor", "ctrl+u", "Cut to the start of the line"),
	"tui.editor.deleteToLineEnd": action("editor", "ctrl+k", "Cut to the end of the line"),
	"tui.editor.yank": action("editor", "ctrl+y", "Yank (paste what was cut last)"),
	"tui.editor.yankPop": action("editor", "alt+y", "Yank pop (cycle through earlier cuts)"),
	"tui.editor.undo": action("editor", ["ctrl+-", "ctrl+_"], "Undo"),
	"tui.editor.redo": action("editor", ["alt+-", "ctrl+shift+z"], "Redo"),
	"tui.editor.historySearch": action("editor", "ctrl+r", "Search older prompts"),
	"tui.input.newLine": action("editor", ["shift+enter", "ctrl+j"], "New line"),
	"tui.input.submit": action("editor", "enter", "Send"),
	"tui.input.tab": action("editor", "tab", "Complete"),
	"tui.input.copy": action("editor", "ctrl+c", "Copy the selection"),
	"tui.select.up": action("list", "up", "Up in a list"),
	"tui.select.down": action("list", "down", "Down in a list"),
	"tui.select.pageUp": action("list", "pageUp", "Up one page in a list"),
	"tui.select.pageDown": action("list", "pageDown", "Down one page in a list"),
	"tui.select.confirm": action("list", "enter", "Select"),
	"tui.select.cancel": action("list", ["escape", "ctrl+c"], "Close the list"),
} as const satisfies Record<
	`tui.${string}`,
	{ defaultKeys: KeyId | readonly KeyId[]; description: string; context: string }
>;
