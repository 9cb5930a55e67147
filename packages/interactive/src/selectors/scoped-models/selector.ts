/** Lets the user choose the models that Ctrl+P cycles through. */
import { getKeybindings, keyHint, matchesKey, rawKeyHint } from "@tau/tui";

import type { ScopedModelsData } from "@tau/session-commands/rows";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";

type ScopedModelRow = ScopedModelsData["offered"][number];

export interface ScopedModelsParts {
	models(): readonly ScopedModelRow[];
	toggle(model: ScopedModelRow): Promise<void>;
	/** Saves the choice for later sessions. */
	save(): Promise<void>;
	close(): void;
}

export function scopedModelsSelector(
	screen: PickerScreen,
	{ models, toggle, save, close }: ScopedModelsParts,
): Picker<ScopedModelRow> {
	const flip = async (model: ScopedModelRow): Promise<void> => {
		await toggle(model);
		picker.refresh();
	};
	const picker = new Picker<ScopedModelRow>(screen, {
		title: () => {
			const on = models().filter(({ isOn }) => isOn).length;
			return on === 0
				? "Models to cycle through: all"
				: `Models to cycle through: ${on} of ${models().length}`;
		},
		items: (search) =>
			models().filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(search.trim().toLowerCase())),
		idOf: ({ id }) => id,
		row: ({ id, name, isOn }, width, theme) =>
			row(
				`${isOn ? "●" : "○"} ${plain(id)}`,
				[{ text: plain(name), width: 28, paint: (text) => theme.fg("muted", text) }],
				width,
				(text) => (isOn ? text : theme.fg("dim", text)),
			),
		empty: (search) => (search === "" ? "No models available" : `No model matches "${plain(search)}"`),
		hints: (theme) => [
			keyHint(theme, "tui.select.confirm", "on or off"),
			keyHint(theme, "app.models.save", "save"),
			rawKeyHint(theme, "escape", "close"),
		],
		onKey: (data, item) => {
			if (getKeybindings().matches(data, "app.models.save")) {
				void save();
				return true;
			}
			if (!matchesKey(data, "space") || !item) return false;
			void flip(item);
			return true;
		},
		onConfirm: flip,
		onCancel: close,
	});
	return picker;
}
