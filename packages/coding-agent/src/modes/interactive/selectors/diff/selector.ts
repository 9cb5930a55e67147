/** Lets the user view the changes that a session made on disk, file by file. */
import { keyHint, rawKeyHint } from "@tau/tui";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import type { ChangedFile } from "./changed-files.ts";

export interface DiffSelectorParts {
	files: readonly ChangedFile[];
	show(file: ChangedFile): void | Promise<void>;
	close(): void;
}

export function diffSelector(
	screen: PickerScreen,
	{ files, show, close }: DiffSelectorParts,
): Picker<ChangedFile> {
	return new Picker<ChangedFile>(screen, {
		title: "Changed files",
		items: (search) => files.filter(({ path }) => path.toLowerCase().includes(search.toLowerCase())),
		idOf: ({ path }) => path,
		row: ({ path, added, removed, diffs, isRecorded, inGit }, width, theme) =>
			row(
				plain(path),
				[
					{
						text: diffs.length > 0 ? `+${added}` : "",
						width: 6,
						align: "right",
						paint: (text) => theme.fg("toolDiffAdded", text),
					},
					{
						text: diffs.length > 0 ? `-${removed}` : "",
						width: 6,
						align: "right",
						paint: (text) => theme.fg("toolDiffRemoved", text),
					},
					{
						text: isRecorded
							? "no diff"
							: diffs.length === 0
								? "git only"
								: inGit === false
									? "committed"
									: "",
						width: 9,
						paint: (text) => theme.fg("dim", text),
					},
				],
				width,
			),
		empty: (search) => (search === "" ? "No changes" : `No file matches "${plain(search)}"`),
		hints: (theme) => [keyHint(theme, "tui.select.confirm", "show"), rawKeyHint(theme, "escape", "close")],
		onConfirm: async (file) => {
			await show(file);
			close();
		},
		onCancel: close,
	});
}
