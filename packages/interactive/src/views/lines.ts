/** Pairs of texts in two columns, with headings between them, as a block of the transcript. */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi, type Theme, type TranscriptBlock } from "@tau/tui";
import { stripControls } from "@tau/utils";

import { fitRows } from "./view-context.ts";

/** If less width is left, the second column is drawn below the first. */
const leastSecond = 24;

/** Two columns, or a heading. */
export type Line = readonly [string, string] | string;

class LinesView implements TranscriptBlock {
	readonly #theme: { readonly current: Theme };
	readonly #rows: readonly Line[];

	constructor(theme: { readonly current: Theme }, rows: readonly Line[]) {
		this.#theme = theme;
		this.#rows = rows.map((row) => (typeof row === "string" ? clean(row) : [clean(row[0]), clean(row[1])]));
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		return fitRows(this.#draw(width), width);
	}

	#draw(width: number): string[] {
		const theme = this.#theme.current;
		const widest = Math.max(
			0,
			...this.#rows.map((row) => (typeof row === "string" ? 0 : visibleWidth(row[0]))),
		);
		const second = width - widest - 4;
		const heading = (text: string): string[] => ["", truncateToWidth(` ${theme.bold(text)}`, width)];
		if (second < leastSecond)
			return this.#rows.flatMap((row, at) => {
				if (typeof row === "string") return heading(row);
				return at === 0 ? ["", ...stacked(row, width, theme)] : stacked(row, width, theme);
			});
		const rows = this.#rows.flatMap((row) => {
			if (typeof row === "string") return heading(row);
			const [left, right] = row;
			const head = theme.fg("accent", left) + " ".repeat(widest - visibleWidth(left));
			const wrapped = wrapTextWithAnsi(right, second);
			return wrapped.map(
				(text, at) => ` ${at === 0 ? head : " ".repeat(widest)}  ${theme.fg("muted", text)}`,
			);
		});
		return typeof this.#rows[0] === "string" ? rows : ["", ...rows];
	}
}

function stacked([left, right]: readonly [string, string], width: number, theme: Theme): string[] {
	const inner = Math.max(1, width - 4);
	const head = left === "" ? [] : [` ${theme.fg("accent", truncateToWidth(left, Math.max(1, width - 2)))}`];
	return [...head, ...wrapTextWithAnsi(right, inner).map((text) => `   ${theme.fg("muted", text)}`)];
}

function clean(text: string): string {
	return stripControls(text, { newline: false, tab: false });
}

export function linesBlock(
	host: { readonly theme: { readonly current: Theme } },
	rows: readonly Line[],
): TranscriptBlock {
	return new LinesView(host.theme, rows);
}
