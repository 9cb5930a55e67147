/** Keeps the suggestions for what is typed, and which of them is selected. */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { OpenSession } from "../store/open-session.ts";
import { suggestionsFor, type Suggestion } from "./suggestions.ts";

export interface Suggestions {
	readonly list: readonly Suggestion[];
	readonly selected: number;
	onCursor(): void;
	/** Whether the key was for the list. */
	onKey(event: KeyboardEvent, write: (text: string) => void): boolean;
	pick(suggestion: Suggestion, write: (text: string) => void): void;
}

interface Found {
	readonly list: readonly Suggestion[];
	/** The text that they were asked for. */
	readonly asked: string;
}

export function useSuggestions(
	session: OpenSession,
	field: RefObject<HTMLTextAreaElement | null>,
	text: string,
): Suggestions {
	const [{ list, asked }, setFound] = useState<Found>({ list: [], asked: "" });
	const [selected, setSelected] = useState(0);
	const [cursor, setCursor] = useState(text.length);
	const [closedFor, setClosedFor] = useState<string>();
	/** Where the first suggestion goes as soon as it is there: Tab was pressed before the list for this text had come. */
	const awaited = useRef<{ text: string; write: (text: string) => void }>(undefined);
	const at = field.current?.selectionStart ?? text.length;
	// A list that is open already shows the commands of an extension that is loaded only now.
	const commands = session.commands.value;
	useEffect(() => {
		const left = new AbortController();
		void suggestionsFor(session, { text, cursor: at }, left.signal).then((found) => {
			if (left.signal.aborted) return;
			setFound({ list: found, asked: text });
			setSelected(0);
			const { text: wanted, write } = awaited.current ?? {};
			awaited.current = undefined;
			if (write && wanted === text && found[0]) pick(found[0], write);
		});
		return () => left.abort();
	}, [text, cursor, session, commands]);
	const shown = closedFor === text ? [] : list;
	const pick = ({ insert, from }: Suggestion, write: (text: string) => void): void => {
		const end = field.current?.selectionStart ?? text.length;
		const next = text.slice(0, from) + insert + text.slice(end);
		write(next);
		const place = from + insert.length;
		queueMicrotask(() => {
			field.current?.setSelectionRange(place, place);
			setCursor(place);
		});
	};
	const onKey = (event: KeyboardEvent, write: (text: string) => void): boolean => {
		const choice = shown[selected];
		if (!choice) return false;
		if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			const by = event.key === "ArrowDown" ? 1 : -1;
			setSelected((selected + by + shown.length) % shown.length);
			return true;
		}
		if (event.key === "Escape") {
			event.stopPropagation();
			setClosedFor(text);
			return true;
		}
		// A list for what stood here before replaces nothing: Enter sends what was typed, Tab waits for the list.
		if (asked !== text) {
			if (event.key !== "Tab") return false;
			awaited.current = { text, write };
			return true;
		}
		// Enter sends what is complete already.
		const isComplete = text.slice(choice.from, at).trim() === choice.insert.trim();
		if (event.key !== "Tab" && (event.key !== "Enter" || event.shiftKey || isComplete)) return false;
		pick(choice, write);
		return true;
	};
	return {
		list: shown,
		selected,
		onCursor: () => setCursor(field.current?.selectionStart ?? 0),
		onKey,
		pick,
	};
}
