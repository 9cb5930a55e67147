/** What editors of extensions are made from: the prompt editor, made as pi makes it. */
import type { EditorHost, EditorOptions, EditorTheme, KeybindingsManager } from "@tau/tui";

import { PromptEditor } from "./prompt-editor.ts";

export class CustomEditor extends PromptEditor {
	constructor(tui: EditorHost, theme: EditorTheme, _keys: KeybindingsManager, options: EditorOptions = {}) {
		super(tui, theme, { paddingX: 1, ...options });
	}
}
