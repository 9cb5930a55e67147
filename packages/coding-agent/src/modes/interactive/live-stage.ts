/** The stage of the running program: what is drawn with follows the screen and the keys. */
import type { Component, Theme } from "@tau/tui";

import type { Screen } from "./screen.ts";
import type { DrawnWords, FindMessageRenderer, FindRenderer } from "./tool-view.ts";
import type { Pulse } from "./views/pulse.ts";
import type { Stage } from "./views/stage.ts";

export class LiveStage implements Stage {
	readonly #screen: Screen;
	readonly #cwd: () => string;
	readonly findRenderer: FindRenderer;
	readonly findMessageRenderer: FindMessageRenderer;
	readonly words: DrawnWords;
	expandTools: boolean;
	showThinking: boolean;

	constructor(
		screen: Screen,
		cwd: () => string,
		find: Pick<Stage, "findRenderer" | "findMessageRenderer" | "words">,
		shown: Pick<Stage, "expandTools" | "showThinking">,
	) {
		this.#screen = screen;
		this.#cwd = cwd;
		this.findRenderer = find.findRenderer;
		this.findMessageRenderer = find.findMessageRenderer;
		this.words = find.words;
		this.expandTools = shown.expandTools;
		this.showThinking = shown.showThinking;
	}

	get theme(): { readonly current: Theme } {
		return this.#screen.theme;
	}

	get pulse(): Pulse {
		return this.#screen.pulse;
	}

	get cwd(): string {
		return this.#cwd();
	}

	get thinkingLabel(): string | undefined {
		return this.#screen.thinkingLabel;
	}

	get hyperlinks(): boolean {
		return this.#screen.terminal.features?.hyperlinks ?? false;
	}

	redraw(component: Component): void {
		this.#screen.tui.requestComponentRender(component);
	}
}
