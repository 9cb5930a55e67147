/** Lets the user choose one of their own messages, to fork a new session from it. */
import { keyHint, rawKeyHint, wrapTextWithAnsi } from "@tau/tui";
import { stripControls } from "@tau/utils";
import type { MessagesData } from "@tau/session-commands/rows";

import { Picker } from "../kit/picker.ts";
import { plain } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";

type ForkMessage = MessagesData["messages"][number];

export interface MessageSelectorParts {
	title: string;
	messages: readonly ForkMessage[];
	/** The label of the choice that means the whole conversation. */
	whole?: string;
	choose(message: ForkMessage): Promise<void>;
	chooseWhole?(): Promise<void>;
	close(): void;
}

const wholeId = "";
const aboutRows = 4;

export function messageSelector(
	screen: PickerScreen,
	{ title, messages, whole, choose, chooseWhole, close }: MessageSelectorParts,
): Picker<ForkMessage> {
	const all = whole === undefined ? messages : [{ entryId: wholeId, text: whole }, ...messages];
	return new Picker<ForkMessage>(screen, {
		title,
		items: (search) => {
			const terms = search.toLowerCase().split(/\s+/).filter(Boolean);
			return all.filter(({ text }) => terms.every((word) => text.toLowerCase().includes(word)));
		},
		idOf: ({ entryId }) => entryId,
		row: ({ entryId, text }, _width, theme) =>
			entryId === wholeId ? theme.fg("accent", plain(text)) : plain(text),
		about: ({ entryId, text }, width, theme) => {
			if (entryId === wholeId) return [];
			const shown = stripControls(text).slice(0, width * (aboutRows + 1));
			return wrapTextWithAnsi(shown, width).map((line) => theme.fg("muted", line));
		},
		aboutRows,
		empty: (search) => (search === "" ? "No messages yet" : `No message matches "${plain(search)}"`),
		hints: (theme) => [
			keyHint(theme, "tui.select.confirm", "continue from here"),
			rawKeyHint(theme, "escape", "close"),
		],
		onConfirm: async (message) => {
			if (message.entryId === wholeId) await chooseWhole?.();
			else await choose(message);
			close();
		},
		onCancel: close,
	});
}
