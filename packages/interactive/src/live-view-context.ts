/** The stage of the running program: what is drawn with follows the screen and the keys. */
import type { Component, Theme } from "@tau/tui";

import { limits } from "./limits.ts";
import type { Screen } from "./screen.ts";
import type { TextTransforms, FindMessageRenderer, FindRenderer } from "./tool-view.ts";
import type { AnimationClock } from "./views/animation-clock.ts";
import type { ViewContext } from "./views/view-context.ts";

export class LiveViewContext implements ViewContext {
	readonly #screen: Screen;
	readonly #cwd: () => string;
	readonly self: string;
	readonly signsOwn: boolean;
	readonly findRenderer: FindRenderer;
	readonly findMessageRenderer: FindMessageRenderer;
	readonly transforms: TextTransforms;
	expandTools: boolean;
	showThinking: boolean;
	readonly redraw: (component: Component) => void;

	constructor(
		screen: Screen,
		{ cwd, self, signsOwn }: { cwd: () => string; self: string; signsOwn: boolean },
		find: Pick<ViewContext, "findRenderer" | "findMessageRenderer" | "transforms">,
		shown: Pick<ViewContext, "expandTools" | "showThinking">,
	) {
		this.#screen = screen;
		this.redraw = screen.tui.requestComponentRender.bind(screen.tui);
		this.#cwd = cwd;
		this.self = self;
		this.signsOwn = signsOwn;
		this.findRenderer = find.findRenderer;
		this.findMessageRenderer = find.findMessageRenderer;
		this.transforms = find.transforms;
		this.expandTools = shown.expandTools;
		this.showThinking = shown.showThinking;
	}

	get theme(): { readonly current: Theme } {
		return this.#screen.theme;
	}

	get animation(): AnimationClock {
		return this.#screen.animation;
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

	/** An image that is taller than the screen cannot be drawn. */
	get imageSize(): { columns: number; rows: number } {
		const { imageColumns: columns, terminal } = this.#screen;
		return { columns, rows: Math.max(1, Math.min(limits.imageRows, terminal.rows - limits.rowsBesideImage)) };
	}

	/** Whether expanding would show more of the last turn. */
	canExpandTools(): boolean {
		if (this.expandTools) return false;
		const condensed = this.#screen.lastTurnRows();
		this.expandTools = true;
		const expanded = this.#screen.lastTurnRows();
		this.expandTools = false;
		// Draws the blocks condensed again.
		this.#screen.lastTurnRows();
		return condensed.join("\n") !== expanded.join("\n");
	}
}
