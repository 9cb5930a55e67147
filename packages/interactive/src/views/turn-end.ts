/** The line that ends a long turn: how long it took, and when it ended. */
import type { Theme } from "@tau/tui";
import { localClock } from "@tau/utils";

import { elapsed } from "./format.ts";
import { ViewBlock, type ViewContext } from "./view-context.ts";

export class TurnEndView extends ViewBlock {
	readonly #text: string;

	constructor(view: ViewContext, tookMs: number, endedAt: Date) {
		super(view);
		this.#text = `${elapsed(tookMs)} · ${localClock(endedAt)}`;
	}

	protected draw(_: number, theme: Theme): string[] {
		return [` ${theme.fg("dim", `· ${this.#text}`)}`];
	}
}
