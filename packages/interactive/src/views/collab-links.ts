/** What `/collab` prints: its links can be clicked, also where they are longer than a row, and its code is not wrapped. */
import { hyperlink, wrapTextWithAnsi, type Theme } from "@tau/tui";
import { stripControls } from "@tau/utils";

import { ViewBlock, type ViewContext } from "./view-context.ts";

export interface ClickableText {
	readonly text: string;
	/** What of the text is an address, and where it leads. */
	readonly links: readonly { readonly shown: string; readonly url: string }[];
	/** The rows of a code for cameras, which have to stay together. */
	readonly code: readonly string[];
}

export class CollabLinksView extends ViewBlock {
	readonly #lines: readonly string[];
	readonly #links: ClickableText["links"];
	readonly #code: ReadonlySet<string>;

	constructor(view: ViewContext, { text, links, code }: ClickableText) {
		super(view);
		this.#lines = stripControls(text).split("\n");
		this.#links = view.hyperlinks ? links : [];
		this.#code = new Set(code);
	}

	protected draw(width: number, theme: Theme): string[] {
		const inner = Math.max(1, width - 2);
		return this.#lines.flatMap((line) => {
			if (this.#code.has(line)) return [` ${line}`];
			const link = this.#links.find(({ shown }) => line.endsWith(shown));
			if (!link) return wrapTextWithAnsi(theme.fg("muted", line), inner).map((row) => ` ${row}`);
			const before = line.slice(0, -link.shown.length);
			return clickable(before, link, inner).map((row) => ` ${theme.fg("muted", row)}`);
		});
	}
}

/** Each row of it is the whole link. */
function clickable(before: string, { shown, url }: ClickableText["links"][number], width: number): string[] {
	const room = width - before.length;
	const fits = shown.length <= room;
	const rows = fits ? [] : [before.trimEnd()];
	if (fits) return [before + hyperlink(shown, url)];
	for (let at = 0; at < shown.length; at += width) rows.push(hyperlink(shown.slice(at, at + width), url));
	return rows;
}
