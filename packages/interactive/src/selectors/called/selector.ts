/** Lets the user see what can be called by name and its origin, and start a call of it in the editor. */
import { keyHint, rawKeyHint, wrapTextWithAnsi } from "@tau/tui";
import { fuzzyFilter } from "@tau/sys";
import { stripControls } from "@tau/utils";

import type { CallRow } from "@tau/session-commands/rows";
import { Picker } from "../kit/picker.ts";
import { limits } from "../limits.ts";
import { firstRows, plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";

export interface CalledSelectorParts {
	title: string;
	calls: readonly CallRow[];
	choose(call: CallRow): void;
	close(): void;
}

const aboutRows = 3;
/** Of the origin, and at least of the description, with the gaps before both. */
const cells = { from: 14, description: 40, gaps: 4 };

export function calledSelector(
	screen: PickerScreen,
	{ title, calls, choose, close }: CalledSelectorParts,
): Picker<CallRow> {
	const longest = calls.reduce<number>((most, { name }) => Math.max(most, name.length + 1), limits.leastMain);
	return new Picker<CallRow>(screen, {
		title,
		items: (search) => matching(calls, search),
		idOf: ({ name }) => name,
		row: ({ name, description, from }, width, theme) =>
			row(
				`/${plain(name)}`,
				[
					{ text: plain(from), width: cells.from, paint: (text) => theme.fg("dim", text) },
					{
						text: plain(description),
						width: Math.max(cells.description, width - longest - cells.from - cells.gaps),
						paint: (text) => theme.fg("muted", text),
					},
				],
				width,
			),
		about: ({ description, path }, width, theme) => {
			const terms = wrapTextWithAnsi(stripControls(description.replaceAll(/\s+/g, " ")), width);
			const place = path === undefined ? [] : [theme.fg("dim", plain(path))];
			return [
				...firstRows(terms, aboutRows - place.length, width).map((line) => theme.fg("muted", line)),
				...place,
			];
		},
		aboutRows,
		empty: (search) => `No matches for "${plain(search)}"`,
		hints: (theme) => [keyHint(theme, "tui.select.confirm", "insert"), rawKeyHint(theme, "escape", "close")],
		onConfirm: (call) => {
			close();
			choose(call);
		},
		onCancel: close,
	});
}

/** Who types a name wants that one, and not whose description has it. */
function matching(calls: readonly CallRow[], search: string): CallRow[] {
	const byName = fuzzyFilter(calls, search, ({ name }) => name);
	const others = calls.filter((call) => !byName.includes(call));
	return [...byName, ...fuzzyFilter(others, search, ({ name, description }) => `${name} ${description}`)];
}
