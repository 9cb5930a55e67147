/** Lets the user choose a message to go back to, and view what that would do to files. */
import type { RewindData } from "@tau/session-commands/rows";
import { keyHint, rawKeyHint, wrapTextWithAnsi } from "@tau/tui";
import { stripControls } from "@tau/utils";

import { conflictReasons, counted, lostReasons, type PreviewRestore } from "@tau/session-commands/work";
import { diffPane } from "../diff/diff-pane.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { Stacked } from "../kit/stacked.ts";

type RewindPoint = RewindData["points"][number];
type PlannedFile = Parameters<PreviewRestore>[0]["files"][number];

export interface RewindSelectorParts {
	/** Newest first. */
	points: readonly RewindPoint[];
	/** Whether the last restore can be taken back. */
	canRedo: boolean;
	choose(point: RewindPoint): Promise<void>;
	redo(): Promise<void>;
	close(): void;
}

const redoPoint: RewindPoint = {
	entryId: "",
	text: "Redo: bring back what the last rewind replaced",
	files: 0,
	shown: [],
};
const aboutRows = 4;

export function rewindSelector(screen: PickerScreen, parts: RewindSelectorParts): Picker<RewindPoint> {
	const { points, canRedo, choose, redo, close } = parts;
	const all = canRedo ? [...points, redoPoint] : points;
	return new Picker<RewindPoint>(screen, {
		title: "Rewind to before a message",
		items: (search) => {
			const terms = search.toLowerCase().split(/\s+/).filter(Boolean);
			return all.filter(({ text }) => terms.every((word) => text.toLowerCase().includes(word)));
		},
		idOf: ({ entryId }) => entryId,
		row: (point, width, theme) => {
			if (point === redoPoint) return theme.fg("accent", plain(point.text));
			const text = point.files === 0 ? "" : counted(point.files);
			return row(
				plain(point.text),
				[{ text, width: 11, align: "right", paint: (cell) => theme.fg("dim", cell) }],
				width,
			);
		},
		about: ({ text, files, shown }, width, theme) => {
			const more = files - shown.length;
			const names = [...shown.map(plain), ...(more > 0 ? [`${more} more`] : [])].join(", ");
			const lines = files === 0 ? stripControls(text) : `Changed since: ${names}`;
			return wrapTextWithAnsi(lines.slice(0, width * aboutRows), width).map((line) =>
				theme.fg("muted", line),
			);
		},
		aboutRows,
		empty: (search) => (search === "" ? "No messages yet" : `No message matches "${plain(search)}"`),
		hints: (theme) => [
			keyHint(theme, "tui.select.confirm", "go back to here"),
			rawKeyHint(theme, "escape", "close"),
		],
		onConfirm: async (point) => {
			close();
			await (point === redoPoint ? redo() : choose(point));
		},
		onCancel: close,
	});
}

export interface PlanSelectorParts {
	files: readonly PlannedFile[];
	diffOf(file: PlannedFile): string;
	close(): void;
}

/** What a restore would do, and over it the diff of a file. */
export function planSelector(screen: PickerScreen, { files, diffOf, close }: PlanSelectorParts): Stacked {
	const noteWidth = files.some(({ conflict, lost }) => conflict || lost) ? 40 : 0;
	const picker = new Picker<PlannedFile>(screen, {
		title: "What restoring the files would do",
		items: (search) => files.filter(({ shown }) => shown.toLowerCase().includes(search.toLowerCase())),
		idOf: ({ path }) => path,
		row: ({ shown, action, conflict, lost }, width, theme) => {
			const note = conflict ? conflictReasons[conflict] : lost ? `not possible: ${lostReasons[lost]}` : "";
			return row(
				plain(shown),
				[
					{ text: action, width: 6, paint: (cell) => theme.fg("muted", cell) },
					{ text: note, width: noteWidth, paint: (cell) => theme.fg("warning", cell) },
				],
				width,
			);
		},
		empty: (search) => (search === "" ? "No changes" : `No file matches "${plain(search)}"`),
		hints: (theme) => [keyHint(theme, "tui.select.confirm", "show"), rawKeyHint(theme, "escape", "back")],
		onConfirm: (file) => {
			const back = (): void => {
				stacked.back();
				screen.requestRender();
			};
			stacked.open(diffPane(screen, { path: file.shown, diff: stripControls(diffOf(file)), back }));
			screen.requestRender();
		},
		onCancel: close,
	});
	const stacked = new Stacked(picker);
	return stacked;
}
