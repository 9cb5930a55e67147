/** Lets the user see the model's tools, and disable them for the session. */
import { getKeybindings, keyHint, matchesKey, rawKeyHint, wrapTextWithAnsi } from "@tau/tui";
import { tokensIn } from "@tau/agent";
import { stripControls } from "@tau/utils";

import type { ToolRow } from "@tau/session-commands/rows";
import { tokens } from "../../views/format.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";

export interface ToolsSelectorParts {
	tools(): readonly ToolRow[];
	toggle(tool: ToolRow): void | Promise<void>;
	close(): void;
}

const aboutRows = 3;

export function toolsSelector(
	screen: PickerScreen,
	{ tools, toggle, close }: ToolsSelectorParts,
): Picker<ToolRow> {
	const flip = (tool: ToolRow): void => {
		const switched = toggle(tool);
		picker.refresh();
		if (switched) void switched.then(() => picker.refresh());
	};
	const picker = new Picker<ToolRow>(screen, {
		title: () => `Tools: ${tools().filter(({ isOn }) => isOn).length} of ${tools().length} on`,
		items: (search) =>
			tools().filter(({ name, label }) =>
				`${name} ${label}`.toLowerCase().includes(search.trim().toLowerCase()),
			),
		idOf: ({ name }) => name,
		row: ({ name, label, chars, isOn }, width, theme) =>
			row(
				`${isOn ? "●" : "○"} ${plain(name)}`,
				[
					{ text: tokens(tokensIn(chars)), width: 5, align: "right", paint: (text) => theme.fg("dim", text) },
					{ text: plain(label), width: 28, paint: (text) => theme.fg("muted", text) },
				],
				width,
				(text) => (isOn ? text : theme.fg("dim", text)),
			),
		about: ({ description }, width, theme) =>
			wrapTextWithAnsi(stripControls(description.replaceAll(/\s+/g, " ")), width).map((line) =>
				theme.fg("muted", line),
			),
		aboutRows,
		empty: (search) => (search === "" ? "No tools available" : `No tool matches "${plain(search)}"`),
		hints: (theme) => [
			keyHint(theme, "tui.select.confirm", "on or off"),
			rawKeyHint(theme, "escape", "close"),
		],
		onKey: (data, item) => {
			// A name of a tool has no space in it: the key is free for what it does in lists of boxes.
			if (!matchesKey(data, "space") || getKeybindings().matches(data, "tui.select.confirm")) return false;
			if (item) flip(item);
			return true;
		},
		onConfirm: flip,
		onCancel: close,
	});
	return picker;
}
