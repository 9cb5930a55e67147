/** The editor of prompts with the application's keys over those of the editor. */
import { Editor, getKeybindings, isKeyRelease } from "@tau/tui";

import { appActions, type AppAction } from "./keys.ts";

export class PromptEditor extends Editor {
	/** Says whether it had a use for the action; otherwise the key is the editor's. */
	onAction?: ((action: AppAction) => boolean) | undefined;

	/** A key that fails must not take the program with it. */
	onTrouble: ((error: unknown) => void) | undefined;

	override handleInput(data: string): void {
		try {
			if (!isKeyRelease(data) && this.#acts(data)) return;
			super.handleInput(data);
		} catch (error) {
			this.onTrouble?.(error);
		}
	}

	#acts(data: string): boolean {
		// Plain characters are text, and by far the most of what comes.
		if (this.onAction === undefined || (data.length === 1 && data >= " " && data !== "\x7f")) return false;
		const keys = getKeybindings();
		return appActions.some(
			(action) => keys.matches(data, action) && this.#isFree(action) && this.onAction?.(action) === true,
		);
	}

	/** Some keys mean something to the editor first. */
	#isFree(action: AppAction): boolean {
		if (action === "app.interrupt") return !this.wantsEscape();
		if (action === "app.exit") return this.getText() === "";
		return true;
	}
}
