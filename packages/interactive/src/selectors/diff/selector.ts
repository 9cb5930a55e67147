/** Lets the user view the changes that a session made on disk, file by file. */
import { keyHint, rawKeyHint } from "@tau/tui";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { Stacked } from "../kit/stacked.ts";
import type { ListedFile } from "@tau/session-commands/rows";
import { diffPane } from "./diff-pane.ts";

export interface DiffSelectorParts {
	files: readonly ListedFile[];
	/** The text of the diff; rejects with the reason why there is none. */
	diffOf(file: ListedFile): Promise<string>;
	close(): void;
}

/** The list, and over it the diff of a file: closing the diff returns to the list. */
export function diffSelector(screen: PickerScreen, { files, diffOf, close }: DiffSelectorParts): Stacked {
	const picker = new Picker<ListedFile>(screen, {
		title: "Changed files",
		items: (search) => files.filter(({ path }) => path.toLowerCase().includes(search.toLowerCase())),
		idOf: ({ path }) => path,
		row: ({ path, added, removed, hasDiff, isRecorded, inGit }, width, theme) =>
			row(
				plain(path),
				[
					{
						text: hasDiff ? `+${added}` : "",
						width: 6,
						align: "right",
						paint: (text) => theme.fg("toolDiffAdded", text),
					},
					{
						text: hasDiff ? `-${removed}` : "",
						width: 6,
						align: "right",
						paint: (text) => theme.fg("toolDiffRemoved", text),
					},
					{
						text: isRecorded ? "no diff" : !hasDiff ? "git only" : inGit === false ? "no git change" : "",
						width: 13,
						paint: (text) => theme.fg("dim", text),
					},
				],
				width,
			),
		empty: (search) => (search === "" ? "No changes" : `No file matches "${plain(search)}"`),
		hints: (theme) => [keyHint(theme, "tui.select.confirm", "show"), rawKeyHint(theme, "escape", "close")],
		onConfirm: async (file) => {
			const back = (): void => {
				stacked.back();
				screen.requestRender();
			};
			stacked.open(diffPane(screen, { path: file.path, diff: await diffOf(file), back }));
			screen.requestRender();
		},
		onCancel: close,
	});
	const stacked = new Stacked(picker);
	return stacked;
}
