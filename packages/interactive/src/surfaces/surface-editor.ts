/** The editor of an extension for a terminal elsewhere: it is edited here, and submitted there. */
import type { EditorFactory } from "@tau/extensions/ui";
import {
	editorTheme,
	guarded,
	type EditorComponent,
	type Guarded,
	type KeybindingsManager,
	type OffscreenTUI,
	type Theme,
} from "@tau/tui";
import { log } from "@tau/utils";
import type { ComponentAct } from "@tau/wire";

import { PromptEditor } from "../prompt-editor.ts";

export class SurfaceEditor {
	readonly #tui: OffscreenTUI;
	readonly #theme: Theme;
	readonly #keys: KeybindingsManager;
	readonly #act: (act: ComponentAct) => void;
	#editor: EditorComponent | undefined;
	#shown: Guarded | undefined;

	constructor(tui: OffscreenTUI, theme: Theme, keys: KeybindingsManager, act: (act: ComponentAct) => void) {
		this.#tui = tui;
		this.#theme = theme;
		this.#keys = keys;
		this.#act = act;
	}

	/** Undefined while the client has its own. */
	get component(): Guarded | undefined {
		return this.#shown;
	}

	get text(): string {
		return this.#editor?.getText() ?? "";
	}

	setText(text: string): void {
		this.#editor?.setText(text);
	}

	use(factory: EditorFactory | undefined): void {
		const text = this.#editor?.getText() ?? "";
		this.#editor = undefined;
		this.#shown = undefined;
		if (!factory) return;
		try {
			const editor = factory(this.#tui, editorTheme(this.#theme), this.#keys);
			editor.setText(text);
			this.#connect(editor);
			this.#editor = editor;
			this.#shown = guarded(editor, { name: "editor", theme: this.#theme, onFailure: () => this.#fail() });
		} catch (error) {
			log.error("the editor of an extension could not be made", { reason: String(error) });
		}
	}

	#connect(editor: EditorComponent): void {
		editor.onSubmit = (text) => this.#act({ type: "submit", text });
		if (!(editor instanceof PromptEditor)) return;
		editor.onAction = (action) => {
			this.#act({ type: "action", action });
			return true;
		};
		editor.onTrouble = () => this.#fail();
	}

	/** As on the screen, one that has failed is not used again. */
	#fail(): void {
		const text = this.text;
		this.#editor = undefined;
		this.#shown = undefined;
		if (text !== "") this.#act({ type: "set_text", text });
	}
}
