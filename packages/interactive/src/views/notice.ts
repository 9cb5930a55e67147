/** A notice of the program for the user: what happened, and what helps. */
import { Text, type Theme, type ThemeColor } from "@tau/tui";
import { stripControls } from "@tau/utils";

import type { NoticeLevel } from "../host.ts";
import { ViewBlock, type Above, type ViewContext } from "./view-context.ts";

const looks: Record<NoticeLevel, { sign: string; color: ThemeColor }> = {
	info: { sign: "·", color: "muted" },
	success: { sign: "✓", color: "success" },
	warning: { sign: "!", color: "warning" },
	error: { sign: "✗", color: "error" },
};

export class NoticeView extends ViewBlock {
	readonly #text: string;
	readonly #level: NoticeLevel;

	constructor(view: ViewContext, text: string, level: NoticeLevel, above: Above = "blank") {
		super(view, above);
		this.#text = stripControls(text).trim();
		this.#level = level;
	}

	protected draw(width: number, theme: Theme): string[] {
		const { sign, color } = looks[this.#level];
		const inner = Math.max(1, width - 3);
		const rows = new Text(this.#text, 0, 0).render(inner);
		return rows.map((row, at) => ` ${at === 0 ? theme.fg(color, sign) : " "} ${theme.fg(color, row)}`);
	}
}
