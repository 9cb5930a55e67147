/** Takes the keys while a session is being opened. The composer continues with what was typed, and sends it if that was asked for. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import { early } from "../store/overlay.ts";
import { draftOf, keepDraft } from "./drafts.ts";
import { grow, isTouch } from "./use-composer.ts";

export function EarlyField({ id }: { id: string }): JSX.Element {
	const field = useRef<HTMLTextAreaElement>(null);
	const isSent = early.value?.id === id && early.value.isSent;
	useLayoutEffect(() => {
		if (!field.current) return;
		field.current.value = draftOf(id);
		grow(field.current);
		if (!isTouch) field.current.focus();
	}, [id]);
	return (
		<div class="composer">
			<textarea
				ref={field}
				rows={1}
				placeholder="Ask, or describe a change"
				aria-label="Message"
				onInput={({ currentTarget }) => {
					keepDraft(id, currentTarget.value);
					grow(currentTarget);
					early.value = { id, isSent: false };
				}}
				onKeyDown={(event) => {
					if (event.key !== "Enter" || event.shiftKey || event.isComposing || isTouch) return;
					event.preventDefault();
					early.value = { id, isSent: event.currentTarget.value.trim() !== "" };
				}}
			/>
			<div class="composer-tools">
				<span class="composer-hint" role="status">
					{isSent ? "Is sent as soon as the session is open" : ""}
				</span>
			</div>
		</div>
	);
}
