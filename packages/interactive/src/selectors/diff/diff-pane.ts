/** The diff of one file in place of the list: it scrolls, and the key that opened it leads back. */
import { DiffView } from "@tau/tui";

import { ScrollPane } from "../kit/scroll-pane.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";

export interface DiffPaneParts {
	path: string;
	diff: string;
	back(): void;
}

export function diffPane(screen: PickerScreen, { path, diff, back }: DiffPaneParts): ScrollPane {
	// The title has the path already.
	const shown = diff.replace(/^--- .*\n\+\+\+ .*\n/, "");
	return new ScrollPane(screen, {
		title: path,
		leaves: () => "back",
		back,
		rows: (width, theme) => {
			const all = new DiffView(shown, theme).render(width);
			const rows = all.slice(0, limits.diffRows);
			return all.length > rows.length ? [...rows, `… ${all.length - rows.length} more rows`] : rows;
		},
	});
}
