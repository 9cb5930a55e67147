/** A conversation with an agent of this page: its transcript, and where the user writes. */
import type { Agent, Attachment, UserMessageWithAttachments } from "@tau/agent";
import { render, type JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { Icon, IconButton } from "../parts/icon.tsx";
import { OpenSession } from "../store/open-session.ts";
import { Transcript } from "../transcript/transcript.tsx";
import { agentClient } from "./agent-client.ts";
import { loadAttachment, type LoadOptions } from "./load-attachment.ts";

export interface AgentPanelProps extends LoadOptions {
	readonly agent: Agent;
	readonly placeholder?: string;
}

/** Draws a panel into an element of a page, whose style sheet is `@tau/web/agent.css`. */
export function showAgent(element: HTMLElement, props: AgentPanelProps): Disposable {
	render(<AgentPanel {...props} />, element);
	return { [Symbol.dispose]: () => render(null, element) };
}

export function AgentPanel({ placeholder = "Ask", ...props }: AgentPanelProps): JSX.Element {
	const { agent } = props;
	const session = useMemo(() => new OpenSession("agent", agentClient(agent)), [agent]);
	useEffect(() => () => session[Symbol.dispose](), [session]);
	return (
		<div class="agent-panel">
			<Transcript session={session} />
			<PromptForm {...props} session={session} placeholder={placeholder} />
		</div>
	);
}

interface PromptFormProps extends AgentPanelProps {
	readonly session: OpenSession;
}

function PromptForm({ agent, session, placeholder, ...loading }: PromptFormProps): JSX.Element {
	const [text, setText] = useState("");
	const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
	const [problem, setProblem] = useState<string>();
	const isBusy = session.isBusy.value;
	const failed = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
	const submit = (): void => {
		if (text.trim() === "" && attachments.length === 0) return;
		setText("");
		setAttachments([]);
		setProblem(undefined);
		const message: UserMessageWithAttachments = {
			role: "user",
			content: text,
			timestamp: Date.now(),
			attachments: [...attachments],
		};
		if (isBusy) agent.steer(message);
		else agent.prompt(message).catch(failed);
	};
	const add = async (files: Iterable<File>): Promise<void> => {
		for (const file of files) {
			try {
				const loaded = await loadAttachment(file, loading);
				setAttachments((before) => [...before, loaded]);
			} catch (error) {
				failed(error);
			}
		}
	};
	return (
		<form
			class="composer"
			aria-label="Message"
			onSubmit={(event) => {
				event.preventDefault();
				submit();
			}}
			onDragOver={(event) => event.preventDefault()}
			onDrop={(event) => {
				event.preventDefault();
				void add([...(event.dataTransfer?.files ?? [])]);
			}}
		>
			{(problem ?? agent.state.error) !== undefined && <p role="alert">{problem ?? agent.state.error}</p>}
			<AttachmentNames
				attachments={attachments}
				onRemove={(id) => setAttachments((before) => before.filter((each) => each.id !== id))}
			/>
			<textarea
				rows={2}
				value={text}
				placeholder={placeholder}
				aria-label="Message"
				onInput={(event) => setText(event.currentTarget.value)}
				onKeyDown={(event) => {
					if (event.isComposing) return;
					if (event.key === "Escape") agent.abort();
					if (event.key !== "Enter" || event.shiftKey) return;
					event.preventDefault();
					submit();
				}}
			/>
			<div class="composer-tools">
				<FilePicker onFiles={(files) => void add(files)} />
				<span class="composer-hint">{isBusy ? "Enter steers · Esc interrupts" : "Enter sends"}</span>
				{isBusy && text === "" ? (
					<button type="button" class="send stop" aria-label="Interrupt" onClick={() => agent.abort()}>
						<Icon name="stop" />
					</button>
				) : (
					<SendButton disabled={text === "" && attachments.length === 0} />
				)}
			</div>
		</form>
	);
}

function SendButton({ disabled }: { disabled: boolean }): JSX.Element {
	return (
		<button type="submit" class="send" aria-label="Send" disabled={disabled}>
			<Icon name="send" />
		</button>
	);
}

function FilePicker({ onFiles }: { onFiles(files: File[]): void }): JSX.Element {
	const picker = useRef<HTMLInputElement>(null);
	return (
		<>
			<IconButton icon="attach" label="Attach images or files" onClick={() => picker.current?.click()} />
			<input
				ref={picker}
				type="file"
				multiple
				hidden
				tabIndex={-1}
				aria-label="Attach files"
				onChange={(event) => {
					onFiles([...(event.currentTarget.files ?? [])]);
					event.currentTarget.value = "";
				}}
			/>
		</>
	);
}

function AttachmentNames({
	attachments,
	onRemove,
}: {
	attachments: readonly Attachment[];
	onRemove(id: string): void;
}): JSX.Element | null {
	if (attachments.length === 0) return null;
	return (
		<ul class="attachments" aria-label="Attachments">
			{attachments.map(({ id, type, fileName, preview, mimeType }) => (
				<li key={id} class="attachment">
					{preview === undefined ? (
						<Icon name="file" />
					) : (
						<img src={`data:${type === "image" ? mimeType : "image/png"};base64,${preview}`} alt="" />
					)}
					<span class="attachment-name">{fileName}</span>
					<IconButton icon="close" label={`Remove ${fileName}`} onClick={() => onRemove(id)} />
				</li>
			))}
		</ul>
	);
}
