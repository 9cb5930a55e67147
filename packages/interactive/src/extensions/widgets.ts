/** What extensions show above and below the editor, each under a key. */
import { Container, guarded, Text, type Guarded, type Theme, type TUI } from "@tau/tui";
import type { ComponentFactory, WidgetOptions, WidgetPlacement } from "@tau/extensions/ui";

import type { Screen } from "../screen.ts";
import { limits } from "./limits.ts";

interface Shown {
	widget: Guarded;
	placement: WidgetPlacement;
}

export class Widgets {
	readonly #tui: TUI;
	readonly #theme: Theme;
	readonly #places: Record<WidgetPlacement, Container> = {
		aboveEditor: new Container(),
		belowEditor: new Container(),
	};
	readonly #shown = new Map<string, Shown>();

	constructor(screen: Pick<Screen, "tui" | "above" | "below">, theme: Theme) {
		this.#tui = screen.tui;
		this.#theme = theme;
		screen.above.addChild(this.#places.aboveEditor);
		screen.below.addChild(this.#places.belowEditor);
	}

	set(key: string, content: string[] | ComponentFactory | undefined, options: WidgetOptions = {}): void {
		this.#remove(key);
		const placement = options.placement ?? "aboveEditor";
		if (content !== undefined) {
			const component = Array.isArray(content) ? lines(content) : content(this.#tui, this.#theme);
			const widget = guarded(component, { name: key, theme: this.#theme });
			this.#shown.set(key, { widget, placement });
			this.#places[placement].addChild(widget);
		}
		this.#tui.requestRender();
	}

	clear(): void {
		for (const key of this.#shown.keys()) this.#remove(key);
		this.#tui.requestRender();
	}

	#remove(key: string): void {
		const shown = this.#shown.get(key);
		if (!shown) return;
		this.#shown.delete(key);
		this.#places[shown.placement].removeChild(shown.widget);
		shown.widget.dispose();
	}
}

function lines(content: readonly string[]): Container {
	const rows = content.slice(0, limits.widgetLines);
	const more = content.length - rows.length;
	const all = new Container();
	for (const row of more > 0 ? [...rows, `… ${more} more`] : rows) all.addChild(new Text(row, 1, 0));
	return all;
}
