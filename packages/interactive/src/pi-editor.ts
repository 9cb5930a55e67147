/** What editors of extensions are made from: the prompt editor, with pi's ways to take keys of the application. */
import type { EditorHost, EditorOptions, EditorTheme, KeybindingsManager } from "@tau/tui";

import type { AppAction } from "./keys.ts";
import { PromptEditor } from "./prompt-editor.ts";

type HostAction = NonNullable<PromptEditor["onAction"]>;

/** Which of pi's older hooks an action is. */
const hooks = {
	"app.interrupt": "onEscape",
	"app.exit": "onCtrlD",
	"app.clipboard.pasteImage": "onPasteImage",
} as const;

export class CustomEditor extends PromptEditor {
	/** What an extension does instead of the application. */
	readonly actionHandlers = new Map<string, () => void>();
	onEscape?: () => void;
	onCtrlD?: () => void;
	onPasteImage?: () => void;
	/** Sees each key first; true ends it there. */
	onExtensionShortcut?: (data: string) => boolean;

	constructor(tui: EditorHost, theme: EditorTheme, _keys: KeybindingsManager, options: EditorOptions = {}) {
		super(tui, theme, { paddingX: 1, ...options });
		let host: HostAction | undefined;
		// One name, two uses: the application sets what it does, and an extension calls it to do something else.
		const ask = (action: AppAction, handler?: () => void): boolean => {
			if (handler) this.actionHandlers.set(action, handler);
			return handler !== undefined || this.#own(action) || (host?.(action) ?? false);
		};
		Object.defineProperty(this, "onAction", {
			configurable: true,
			get: () => ask,
			set: (next: HostAction | undefined) => {
				host = next;
			},
		});
	}

	override handleInput(data: string): void {
		if (this.onExtensionShortcut?.(data) !== true) super.handleInput(data);
	}

	#own(action: AppAction): boolean {
		const hook = action in hooks ? this[hooks[action as keyof typeof hooks]] : undefined;
		const handler = this.actionHandlers.get(action) ?? hook;
		handler?.call(this);
		return handler !== undefined;
	}
}
