/** A slash command above what it printed. */
import { truncateToWidth, type Theme } from "@tau/tui";
import { oneLine, onDispose } from "@tau/utils";

import { limits } from "../limits.ts";
import { ViewBlock, type ViewContext } from "./view-context.ts";

class EchoView extends ViewBlock {
	readonly #text: string;

	constructor(view: ViewContext, text: string) {
		super(view);
		this.#text = oneLine(text, limits.lineChars);
	}

	protected draw(width: number, theme: Theme): string[] {
		return [truncateToWidth(` ${theme.fg("dim", `❯ ${this.#text}`)}`, width)];
	}
}

/** The command whose output comes next: it is shown once, and only if there is output. */
export class CommandEcho {
	readonly #view: ViewContext;
	#text: string | undefined;

	constructor(view: ViewContext) {
		this.#view = view;
	}

	begin(text: string): Disposable {
		this.#text = text;
		return onDispose(() => {
			if (this.#text === text) this.#text = undefined;
		});
	}

	/** The block to show above the output that comes now. */
	take(): ViewBlock[] {
		const text = this.#text;
		this.#text = undefined;
		return text === undefined ? [] : [new EchoView(this.#view, text)];
	}
}
