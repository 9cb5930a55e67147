/** Lets the user choose what to copy: an answer, or a code block of one. */
import { keyHint, rawKeyHint } from "@tau/tui";

import { plural } from "../../views/format.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";

export interface CopyItem {
	id: string;
	/** What it is: the answer as a whole, or the language of the code. */
	kind: string;
	text: string;
}

export interface CopySelectorParts {
	items: readonly CopyItem[];
	copy(item: CopyItem): Promise<void>;
	close(): void;
}

/** The newest answer first, each with its code blocks below it. */
export function copyItems(answers: readonly string[]): CopyItem[] {
	return answers.flatMap((text, at) => {
		const name = at === 0 ? "last answer" : `answer ${at + 1}`;
		const blocks = codeBlocks(text).map(({ language, code }, index): CopyItem => ({
			id: `${at}.${index}`,
			kind: language || "code",
			text: code,
		}));
		return [{ id: String(at), kind: name, text }, ...blocks];
	});
}

const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n]*\n([^]*?)(?:^ {0,3}\1[`~]*[ \t]*$|(?![^]))/gm;

export function codeBlocks(text: string): { language: string; code: string }[] {
	return [...text.matchAll(fence)].map(([, , language = "", code = ""]) => ({
		language,
		code: code.replace(/\n$/, ""),
	}));
}

export function copySelector(
	screen: PickerScreen,
	{ items, copy, close }: CopySelectorParts,
): Picker<CopyItem> {
	return new Picker<CopyItem>(screen, {
		title: "Copy",
		items: (search) => items.filter(({ text }) => text.toLowerCase().includes(search.trim().toLowerCase())),
		idOf: ({ id }) => id,
		row: ({ id, kind, text }, width, theme) =>
			row(
				id.includes(".") ? `  ${plain(text)}` : plain(text),
				[
					{ text: kind, width: 12, paint: (part) => theme.fg("accent", part) },
					{
						text: plural(text.split("\n").length, "line"),
						width: 11,
						align: "right",
						paint: (part) => theme.fg("dim", part),
					},
				],
				width,
			),
		about: ({ text }, _width, theme) =>
			text
				.split("\n")
				.slice(0, limits.previewRows + 1)
				.map((line) => theme.fg("muted", plain(line))),
		aboutRows: limits.previewRows,
		empty: (search) => `Nothing matches "${plain(search)}"`,
		hints: (theme) => [keyHint(theme, "tui.select.confirm", "copy"), rawKeyHint(theme, "escape", "close")],
		onConfirm: async (item) => {
			await copy(item);
			close();
		},
		onCancel: close,
	});
}
