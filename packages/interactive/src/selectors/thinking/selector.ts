/** Lets the user choose the thinking level of the model. */
import type { ThinkingLevel } from "@tau/ai";
import { keyHint, rawKeyHint } from "@tau/tui";

import { Picker } from "../kit/picker.ts";
import { row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";

export interface ThinkingSelectorParts {
	levels: readonly ThinkingLevel[];
	current: ThinkingLevel;
	use(level: ThinkingLevel): void;
	close(): void;
}

const meanings: Record<ThinkingLevel, string> = {
	off: "no thinking",
	minimal: "minimal",
	low: "light",
	medium: "balanced",
	high: "deep, for hard problems",
	xhigh: "very deep",
	max: "maximum",
};

export function thinkingSelector(
	screen: PickerScreen,
	{ levels, current, use, close }: ThinkingSelectorParts,
): Picker<ThinkingLevel> {
	const picker = new Picker<ThinkingLevel>(screen, {
		title: "Thinking level",
		hasSearch: false,
		items: () => levels,
		idOf: (level) => level,
		row: (level, width, theme) =>
			row(
				`${level === current ? "●" : " "} ${level}`,
				[{ text: meanings[level], width: 24, paint: (text) => theme.fg("dim", text) }],
				width,
				theme.getThinkingBorderColor(level),
			),
		empty: () => "This model does not support thinking",
		hints: (theme) => [keyHint(theme, "tui.select.confirm", "use"), rawKeyHint(theme, "escape", "close")],
		onConfirm: (level) => {
			use(level);
			close();
		},
		onCancel: close,
	});
	picker.select(current);
	return picker;
}
