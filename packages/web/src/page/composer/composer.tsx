/** Where the user writes. Enter sends; while the model works, Enter steers and Alt+Enter queues a follow-up. */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";

import { Icon, IconButton } from "../parts/icon.tsx";
import { interrupt, takeQueue } from "../store/actions.ts";
import type { OpenSession } from "../store/open-session.ts";
import type { Attachments } from "./attachments.ts";
import { AttachmentList } from "./attachment-list.tsx";
import { SuggestionList } from "./suggestion-list.tsx";
import { useComposer, type ComposerState } from "./use-composer.ts";

export function Composer({ session }: { session: OpenSession }): JSX.Element {
	const state = useComposer(session);
	const { field, text, attachments, suggestions, setText, write } = state;
	return (
		<form
			class="composer"
			aria-label="Message"
			onSubmit={(event) => {
				event.preventDefault();
				void state.submit("steer");
			}}
		>
			<SuggestionList state={suggestions} onPick={(picked) => suggestions.pick(picked, write)} />
			<QueueList session={session} />
			<AttachmentList attachments={attachments} />
			<textarea
				id="composer"
				ref={field}
				rows={1}
				value={text}
				placeholder={placeholderFor(session)}
				aria-label="Message"
				aria-autocomplete="list"
				aria-controls="suggestions"
				aria-activedescendant={suggestions.list.length > 0 ? `suggestion-${suggestions.selected}` : undefined}
				onInput={(event) => setText(event.currentTarget.value)}
				onKeyDown={state.onKey}
				onKeyUp={suggestions.onCursor}
				onClick={suggestions.onCursor}
				onPaste={(event) => {
					const files = [...(event.clipboardData?.files ?? [])];
					if (files.length === 0 || session.isGuest) return;
					event.preventDefault();
					attachments.add(files);
				}}
			/>
			<Tools session={session} state={state} />
		</form>
	);
}

function Tools({ session, state }: { session: OpenSession; state: ComposerState }): JSX.Element {
	const { text, attachments } = state;
	// Who may not prompt neither steers nor interrupts.
	const isBusy = session.isBusy.value && !session.isReadOnly;
	const isStoppable = session.isStoppable.value && !session.isReadOnly;
	const isEmpty = text.trim() === "" && attachments.list.value.length === 0;
	return (
		<div class="composer-tools">
			{!session.isGuest && <AttachButtons attachments={attachments} />}
			<span class="composer-hint">{hintFor(session)}</span>
			{isBusy && !isEmpty && (
				<button type="button" class="chip" onClick={() => void state.submit("followUp")}>
					Queue
				</button>
			)}
			{isStoppable && isEmpty ? (
				<button
					type="button"
					class="send stop"
					aria-label="Interrupt"
					title="Interrupt (Esc)"
					onClick={() => interrupt(session)}
				>
					<Icon name="stop" />
				</button>
			) : (
				<button type="submit" class="send" aria-label={isBusy ? "Steer" : "Send"} disabled={isEmpty}>
					<Icon name="send" />
				</button>
			)}
		</div>
	);
}

function placeholderFor(session: OpenSession): string {
	if (session.isReadOnly) return "Comment for the others";
	return session.isBusy.value ? "Steer the model…" : "Ask, or describe a change";
}

function hintFor(session: OpenSession): string {
	if (session.isReadOnly) return "The model does not read comments";
	if (session.isStoppable.value && !session.isBusy.value) return "A command runs · Esc interrupts";
	if (session.isBusy.value) return "Enter steers · Alt+Enter queues · Esc interrupts";
	return session.isGuest ? "Enter sends to the host" : "/ commands · @ files · ! shell";
}

/** A phone has a camera beside its files. */
const hasCamera = matchMedia("(pointer: coarse)").matches;

function AttachButtons({ attachments }: { attachments: Attachments }): JSX.Element {
	return (
		<>
			<FileButton attachments={attachments} icon="attach" label="Attach images or files" />
			{hasCamera && <FileButton attachments={attachments} icon="camera" label="Take a photo" isCamera />}
		</>
	);
}

interface FileButtonProps {
	attachments: Attachments;
	icon: "attach" | "camera";
	label: string;
	isCamera?: boolean;
}

function FileButton({ attachments, icon, label, isCamera = false }: FileButtonProps): JSX.Element {
	const picker = useRef<HTMLInputElement>(null);
	return (
		<>
			<IconButton icon={icon} label={label} onClick={() => picker.current?.click()} />
			<input
				ref={picker}
				type="file"
				multiple={!isCamera}
				{...(isCamera ? { accept: "image/*", capture: "environment" } : {})}
				hidden
				tabIndex={-1}
				aria-label={isCamera ? "Photo" : "Attach files"}
				onChange={(event) => {
					attachments.add(event.currentTarget.files ?? []);
					event.currentTarget.value = "";
				}}
			/>
		</>
	);
}

/** Messages that wait: steering ones for the tools that run, follow-ups for the end of the run. */
function QueueList({ session }: { session: OpenSession }): JSX.Element | null {
	const { steering, followUp } = session.facts.value.queue;
	if (steering.length + followUp.length === 0) return null;
	return (
		<div class="queue">
			<ul aria-label="Queued messages">
				{steering.map((text, at) => (
					<li key={`s${at}`}>
						<span class="tag">steer</span> {text}
					</li>
				))}
				{followUp.map((text, at) => (
					<li key={`f${at}`}>
						<span class="tag">follow-up</span> {text}
					</li>
				))}
			</ul>
			{!session.isGuest && (
				<button type="button" class="link" onClick={() => void takeQueue(session)}>
					Edit
				</button>
			)}
		</div>
	);
}
