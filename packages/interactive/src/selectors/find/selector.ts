/** Lets the user find a message of the session by its text. */
import { keyHint, rawKeyHint } from "@tau/tui";

import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";

export interface SearchableMessage {
	id: string;
	/** The author: you, model, or the name of a tool. */
	who: string;
	text: string;
}

export interface FindSelectorParts {
	/** The newest first. */
	messages: readonly SearchableMessage[];
	search?: string;
	show(message: SearchableMessage): void;
	close(): void;
}

export function findSelector(screen: PickerScreen, parts: FindSelectorParts): Picker<SearchableMessage> {
	const { messages, search, show, close } = parts;
	const lower = new Map(messages.map((message) => [message, message.text.toLowerCase()]));
	let terms: readonly string[] = [];
	const picker = new Picker<SearchableMessage>(screen, {
		title: "Find in this session",
		...(search === undefined ? {} : { search }),
		items: (query) => {
			terms = query.toLowerCase().split(/\s+/).filter(Boolean);
			const fits = (message: SearchableMessage): boolean =>
				terms.every((word) => lower.get(message)?.includes(word));
			return messages.filter(fits).slice(0, limits.foundMessages);
		},
		idOf: ({ id }) => id,
		row: ({ who, text }, width, theme) =>
			row(
				plain(matchingLine(text, terms)),
				[{ text: plain(who), width: 10, paint: (part) => theme.fg("accent", part) }],
				width,
			),
		about: ({ text }, _width, theme) =>
			around(text, terms)
				.slice(0, limits.previewRows + 1)
				.map((line) => theme.fg("muted", plain(line))),
		aboutRows: limits.previewRows,
		empty: (query) => (query === "" ? "There are no messages yet" : `Nothing matches "${plain(query)}"`),
		hints: (theme) => [keyHint(theme, "tui.select.confirm", "show"), rawKeyHint(theme, "escape", "close")],
		onConfirm: (message) => {
			show(message);
			close();
		},
		onCancel: close,
	});
	return picker;
}

function matchingLine(text: string, terms: readonly string[]): string {
	return around(text, terms)[0] ?? "";
}

/** The lines from the first one that has a word of the search. */
function around(text: string, terms: readonly string[]): string[] {
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	const at = lines.findIndex((line) => terms.some((word) => line.toLowerCase().includes(word)));
	return lines.slice(Math.max(0, at));
}
