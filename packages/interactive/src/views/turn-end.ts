/** The line that ends a long turn: how long it took, and when it ended. */
import type { Theme } from "@tau/tui";

import { elapsed } from "./format.ts";
import { ViewBlock, type ViewContext } from "./view-context.ts";

export class TurnEndView extends ViewBlock {
	readonly #text: string;

	constructor(view: ViewContext, tookMs: number, endedAt: Date) {
		super(view);
		const two = (value: number): string => String(value).padStart(2, "0");
		this.#text = `${elapsed(tookMs)} · ${two(endedAt.getHours())}:${two(endedAt.getMinutes())}`;
	}

	protected draw(_: number, theme: Theme): string[] {
		return [` ${theme.fg("dim", `· ${this.#text}`)}`];
	}
}
