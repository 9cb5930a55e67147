/** The editor of an extension that is edited where the session is; what it submits is sent from here. */
import type { EditorTheme, TUI } from "@tau/tui";
import type { ComponentAct, ComponentView } from "@tau/wire";

import { appActions } from "../keys.ts";
import { PromptEditor } from "../prompt-editor.ts";

export interface RemoteEditorHost {
	key(data: string): void;
	text(text: string): void;
}

export class RemoteEditor extends PromptEditor {
	readonly #host: RemoteEditorHost;
	#view: ComponentView;
	/** What was written here, until the other end has it. */
	#text: string | undefined;

	constructor(tui: TUI, theme: EditorTheme, host: RemoteEditorHost, view: ComponentView) {
		super(tui, theme, { paddingX: 1 });
		this.#host = host;
		this.#view = view;
	}

	/** Frames come in the order of what was done: this one has what was written before it. */
	take(view: ComponentView): void {
		this.#view = view;
		this.#text = undefined;
	}

	act(act: ComponentAct): void {
		if (act.type === "submit") this.onSubmit?.(act.text);
		const action = act.type === "action" ? appActions.find((known) => known === act.action) : undefined;
		if (action) this.onAction?.(action);
	}

	override handleInput(data: string): void {
		this.#host.key(data);
	}

	override render(): string[] {
		return [...this.#view.rows];
	}

	override getText(): string {
		return this.#text ?? this.#view.text ?? "";
	}

	override getExpandedText(): string {
		return this.getText();
	}

	override setText(text: string): void {
		if (text === this.getText()) return;
		this.#text = text;
		this.#host.text(text);
	}

	override insertTextAtCursor(text: string): void {
		this.setText(this.getText() + text);
	}

	override wantsEscape(): boolean {
		return false;
	}
}
