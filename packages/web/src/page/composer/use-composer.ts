/** The state of the composer: its text, what goes with it, and what the keys do. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { OpenSession } from "../store/open-session.ts";
import { early } from "../store/overlay.ts";
import { Attachments } from "./attachments.ts";
import { draftOf, keepDraft, PromptHistory, remember } from "./drafts.ts";
import { send, type Lane } from "./send.ts";
import { useSuggestions, type Suggestions } from "./use-suggestions.ts";

/** On a screen keyboard, Enter is a new line. */
export const isTouch = matchMedia("(pointer: coarse)").matches;

export interface ComposerState {
	readonly field: { current: HTMLTextAreaElement | null };
	readonly text: string;
	readonly attachments: Attachments;
	readonly suggestions: Suggestions;
	setText(text: string): void;
	/** Replaces the text, and goes there. */
	write(text: string): void;
	submit(lane: Lane): Promise<void>;
	onKey(event: KeyboardEvent): void;
}

export function useComposer(session: OpenSession): ComposerState {
	const field = useRef<HTMLTextAreaElement>(null);
	const [text, setText] = useState(() => draftOf(session.id));
	const history = useMemo(() => new PromptHistory(), []);
	const attachments = useMemo(() => new Attachments(() => session.id), [session]);
	const suggestions = useSuggestions(session, field, text);
	useEffect(() => keepDraft(session.id, text), [text]);
	useEffect(() => () => attachments[Symbol.dispose](), [attachments]);
	useEffect(() => takeDrops((files) => !session.isGuest && attachments.add(files)), [attachments]);
	useLayoutEffect(() => grow(field.current), [text]);
	const write = (value: string): void => {
		setText(value);
		field.current?.focus();
	};
	useEffect(() => {
		const { value } = session.prefill;
		if (value === undefined) return;
		session.prefill.value = undefined;
		write(value);
	}, [session.prefill.value]);
	const submit = async (lane: Lane): Promise<void> => {
		if (!attachments.areReady()) return;
		const sent = text;
		const files = attachments.list.value;
		// At once, so that what is typed next is not lost when the answer comes.
		setText("");
		history.reset();
		if (await send(session, sent, files, lane)) {
			if (sent.trim() !== "") remember(sent);
			attachments.clear();
		} else setText((now) => now || sent);
	};
	// As soon as it is there, so that no key is lost.
	useLayoutEffect(() => {
		const { id, isSent = false } = early.peek() ?? {};
		early.value = undefined;
		const isWriting = id === session.id && text !== "";
		// A question comes first, except for who is writing already: the next key must not answer it.
		if (isWriting || (!isTouch && session.requests.value.length === 0)) field.current?.focus();
		if (isWriting && isSent) void submit("steer");
	}, []);
	const onArrow = (event: KeyboardEvent): void => {
		const by = event.key === "ArrowUp" ? -1 : 1;
		if (!isAtEdge(field.current, by) || event.altKey || event.shiftKey) return;
		const next = history.step(by, text);
		if (next === undefined) return;
		event.preventDefault();
		setText(next);
	};
	const onKey = (event: KeyboardEvent): void => {
		if (event.isComposing) return;
		if (suggestions.onKey(event, write)) return event.preventDefault();
		if (event.key === "Enter" && !event.shiftKey && (!isTouch || event.ctrlKey || event.metaKey)) {
			event.preventDefault();
			void submit(event.altKey ? "followUp" : "steer");
		} else if (event.key === "ArrowUp" || event.key === "ArrowDown") onArrow(event);
	};
	return { field, text, attachments, suggestions, setText, write, submit, onKey };
}

/** Wherever files are dropped on the page: the browser would leave it and show the file. Text stays the field's. */
function takeDrops(onFiles: (files: FileList) => void): () => void {
	const onDrag = (event: DragEvent): void => {
		if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
	};
	const onDrop = (event: DragEvent): void => {
		if (!event.dataTransfer?.types.includes("Files")) return;
		event.preventDefault();
		onFiles(event.dataTransfer.files);
	};
	addEventListener("dragover", onDrag);
	addEventListener("drop", onDrop);
	return () => {
		removeEventListener("dragover", onDrag);
		removeEventListener("drop", onDrop);
	};
}

/** Whether the cursor is in the first line, or the last: only there the arrow keys leave the text. */
function isAtEdge(field: HTMLTextAreaElement | null, by: -1 | 1): boolean {
	if (!field || field.selectionStart !== field.selectionEnd) return false;
	const { value, selectionStart: at } = field;
	return by === -1 ? !value.slice(0, at).includes("\n") : !value.slice(at).includes("\n");
}

/** As high as its text, up to what the style sheet allows. */
export function grow(field: HTMLTextAreaElement | null): void {
	if (!field) return;
	field.style.height = field.value === "" ? "" : "auto";
	// To ask for the height lays out the page, which a field of one line does not need.
	if (field.value !== "") field.style.height = `${field.scrollHeight}px`;
}
