/** Lists what the sandbox has denied in this session, and allows it. */
import { keyHint, rawKeyHint } from "@tau/tui";
import { allowText, type Denial } from "@tau/machines/sandbox/denial";

import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";

export interface DenialsSelectorParts {
	denials(): readonly Denial[];
	/** For this session. */
	allow(denial: Denial): Promise<void>;
	close(): void;
}

export function denialsSelector(screen: PickerScreen, parts: DenialsSelectorParts): Picker<Denial> {
	const { denials, allow, close } = parts;
	return new Picker<Denial>(screen, {
		title: "Denied by the sandbox",
		hasSearch: false,
		items: () => denials(),
		idOf: ({ what }) => what,
		row: ({ what }, width) => row(plain(what), [], width),
		about: ({ allow: rule }, _width, theme) => {
			const text = rule
				? `To keep it, put this in the settings: ${allowText(rule)}`
				: "No setting allows this: let the command run outside when you are asked.";
			return [theme.fg("muted", plain(text))];
		},
		aboutRows: 1,
		empty: () => "Nothing else was denied",
		hints: (theme, denial) => [
			denial?.allow ? keyHint(theme, "tui.select.confirm", "allow in this session") : "",
			rawKeyHint(theme, "escape", "close"),
		],
		onConfirm: (denial) => {
			if (denial.allow) void allow(denial);
		},
		onCancel: close,
	});
}
