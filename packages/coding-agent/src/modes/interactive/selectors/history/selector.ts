/** Lets the user find an earlier prompt and put it into the editor. */
import { getKeybindings, keyHint, rawKeyHint, wrapTextWithAnsi } from "@tau/tui";
import { stripControls } from "@tau/utils";

import type { PastPrompt } from "../../prompt-editor.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";
import { ago } from "../sessions/session-rows.ts";

export interface HistorySelectorParts {
	/** The newest first. */
	prompts: readonly PastPrompt[];
	now: number;
	choose(text: string): void;
	close(): void;
}

export function historySelector(
	screen: PickerScreen,
	{ prompts, now, choose, close }: HistorySelectorParts,
): Picker<PastPrompt> {
	const picker = new Picker<PastPrompt>(screen, {
		title: "Earlier prompts",
		items: (search) => {
			const terms = search.toLowerCase().split(/\s+/).filter(Boolean);
			return prompts.filter(({ text }) => terms.every((word) => text.toLowerCase().includes(word)));
		},
		idOf: ({ text }) => text,
		row: ({ text, at }, width, theme) =>
			row(
				plain(text),
				[{ text: ago(new Date(at), now), width: 4, align: "right", paint: (part) => theme.fg("dim", part) }],
				width,
			),
		about: ({ text }, width, theme) => {
			const shown = stripControls(text).slice(0, width * (limits.previewRows + 1));
			return wrapTextWithAnsi(shown, width).map((line) => theme.fg("muted", line));
		},
		aboutRows: limits.previewRows,
		empty: (search) => (search === "" ? "No prompts yet" : `No prompt matches "${plain(search)}"`),
		hints: (theme) => [
			keyHint(theme, "tui.select.confirm", "edit"),
			keyHint(theme, "tui.editor.historySearch", "older"),
			rawKeyHint(theme, "escape", "close"),
		],
		onKey: (data) => {
			const isOlder = getKeybindings().matches(data, "tui.editor.historySearch");
			if (isOlder) picker.step(1);
			return isOlder;
		},
		onConfirm: ({ text }) => {
			close();
			choose(text);
		},
		onCancel: close,
	});
	return picker;
}
