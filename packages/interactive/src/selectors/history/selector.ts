/** Lets the user find an earlier prompt and put it into the editor. */
import { basename } from "node:path";

import { getKeybindings, keyHint, rawKeyHint, wrapTextWithAnsi } from "@tau/tui";
import { stripControls } from "@tau/utils";

import type { PastPrompt } from "../../prompt-editor.ts";
import { newestOf, type PromptHistory } from "../../prompt-history.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row, type Column } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";
import { ago } from "../sessions/session-rows.ts";

/** Of the id of a session: enough to find it. */
const idChars = 18;

export interface HistorySelectorParts {
	/** The prompts of the open session, the newest first. */
	session: readonly PastPrompt[];
	/** The prompts of earlier sessions; read when their tab is opened. */
	stored: Pick<PromptHistory, "ofProject" | "ofAll"> | undefined;
	now: number;
	choose(text: string): void;
	close(): void;
}

export function historySelector(
	screen: PickerScreen,
	{ session, stored, now, choose, close }: HistorySelectorParts,
): Picker<PastPrompt> {
	const lists = new Map<string, readonly PastPrompt[]>([["session", session]]);
	const promptsOf = (tab: string): readonly PastPrompt[] => {
		const known = lists.get(tab);
		if (known) return known;
		const past = (tab === "project" ? stored?.ofProject() : stored?.ofAll()) ?? [];
		// What was run with `!` is in no file, but still in this session.
		const merged = newestOf([...session, ...past]);
		lists.set(tab, merged);
		return merged;
	};
	const picker: Picker<PastPrompt> = new Picker<PastPrompt>(screen, {
		title: "Earlier prompts",
		tabs: () => [
			{ id: "project", label: "This project" },
			{ id: "session", label: "This session" },
			{ id: "everywhere", label: "Everywhere" },
		],
		items: (search, tab) => {
			const terms = search.toLowerCase().split(/\s+/).filter(Boolean);
			return promptsOf(tab).filter(({ text }) => terms.every((word) => text.toLowerCase().includes(word)));
		},
		idOf: ({ text }) => text,
		row: ({ text, at, cwd }, width, theme) => {
			const dim = (part: string): string => theme.fg("dim", part);
			const age: Column = { text: ago(new Date(at), now), width: 4, align: "right", paint: dim };
			const name = basename(cwd ?? "");
			const from: Column = { text: plain(name), width: limits.directoryCells, paint: dim };
			return row(plain(text), picker.tab === "everywhere" ? [age, from] : [age], width);
		},
		about: ({ text, session: from }, width, theme) => {
			const shown = stripControls(text).slice(0, width * (limits.previewRows + 1));
			const rows = wrapTextWithAnsi(shown, width).map((line) => theme.fg("muted", line));
			if (!from) return rows;
			const place = `from ${plain(from.name ?? "a session")} · tau --session ${plain(from.id).slice(0, idChars)}`;
			return [...rows.slice(0, limits.previewRows - 1), theme.fg("dim", place)];
		},
		aboutRows: limits.previewRows,
		empty: (search) => (search === "" ? "No prompts yet" : `No prompt matches "${plain(search)}"`),
		hints: (theme) => [
			keyHint(theme, "tui.select.confirm", "edit"),
			keyHint(theme, "tui.editor.historySearch", "older"),
			keyHint(theme, "app.list.nextTab", "next tab"),
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
