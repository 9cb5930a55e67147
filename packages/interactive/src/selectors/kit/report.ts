/** A report in the transcript: drawn anew for each width and theme, from facts that stay what they were. */
import { truncateToWidth, type Theme, type TranscriptBlock } from "@tau/tui";

export type DrawReport = (width: number, theme: Theme) => readonly string[];

export function report(theme: { readonly current: Theme }, draw: DrawReport): TranscriptBlock {
	return {
		invalidate: () => {
			// There is no cache to clear.
		},
		render: (width) => {
			const inner = Math.max(1, width - 2);
			const rows = draw(inner, theme.current).map((row) => ` ${truncateToWidth(row, inner)}`);
			return ["", ...rows];
		},
	};
}
