/** Pairs of words in two columns, as a block of the transcript. */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi, type Theme, type TranscriptBlock } from "@tau/tui";
import { stripControls } from "@tau/utils";

import { fitRows } from "./view-context.ts";

/** If less width is left, the second column is drawn below the first. */
const leastSecond = 24;

class LinesView implements TranscriptBlock {
	readonly #theme: { readonly current: Theme };
	readonly #rows: readonly (readonly [string, string])[];

	constructor(theme: { readonly current: Theme }, rows: readonly (readonly [string, string])[]) {
		this.#theme = theme;
		this.#rows = rows.map(([left, right]) => [clean(left), clean(right)]);
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		return fitRows(this.#draw(width), width);
	}

	#draw(width: number): string[] {
		const theme = this.#theme.current;
		const widest = Math.max(0, ...this.#rows.map(([left]) => visibleWidth(left)));
		const second = width - widest - 4;
		if (second < leastSecond) return ["", ...this.#rows.flatMap((row) => stacked(row, width, theme))];
		const rows = this.#rows.flatMap(([left, right]) => {
			const head = theme.fg("accent", left) + " ".repeat(widest - visibleWidth(left));
			const wrapped = wrapTextWithAnsi(right, second);
			return wrapped.map(
				(text, at) => ` ${at === 0 ? head : " ".repeat(widest)}  ${theme.fg("muted", text)}`,
			);
		});
		return ["", ...rows];
	}
}

function stacked([left, right]: readonly [string, string], width: number, theme: Theme): string[] {
	const inner = Math.max(1, width - 4);
	return [
		` ${theme.fg("accent", truncateToWidth(left, Math.max(1, width - 2)))}`,
		...wrapTextWithAnsi(right, inner).map((text) => `   ${theme.fg("muted", text)}`),
	];
}

function clean(text: string): string {
	return stripControls(text, { newline: false, tab: false });
}

export function linesBlock(
	host: { readonly theme: { readonly current: Theme } },
	rows: readonly (readonly [string, string])[],
): TranscriptBlock {
	return new LinesView(host.theme, rows);
}
