/** One row of the transcript. It is drawn again only when its item is another one. */
import { Component, type JSX } from "preact";
import { useContext, useState } from "preact/hooks";

import { Markdown } from "../markdown/markdown.tsx";
import { Icon, IconButton } from "../parts/icon.tsx";
import { SessionContext } from "../store/session-context.ts";
import { showThinking } from "../store/preferences.ts";
import { CallRow } from "./call-row.tsx";
import type { CommandItem, CustomItem, DividerItem, Item, NoticeItem, TextItem, UserItem } from "./items.ts";
import { Drawn } from "./drawn.tsx";
import { Output } from "./output.tsx";
import { Pictures } from "./pictures.tsx";
import { rendererFor } from "./renderers.ts";

export class Row extends Component<{ item: Item }> {
	override shouldComponentUpdate({ item }: { item: Item }): boolean {
		return item !== this.props.item;
	}

	override render(): JSX.Element {
		return rowOf(this.props.item);
	}
}

function rowOf(item: Item): JSX.Element {
	switch (item.kind) {
		case "user":
			return <UserRow item={item} />;
		case "text":
			return <Markdown text={item.text} isDone={item.isDone} />;
		case "thinking":
			return <ThinkingRow item={item} />;
		case "call":
			return <CallRow item={item} />;
		case "command":
			return <CommandRow item={item} />;
		case "notice":
			return <NoticeRow item={item} />;
		case "divider":
			return <DividerRow item={item} />;
		default:
			return <CustomRow item={item} />;
	}
}

function UserRow({ item }: { item: UserItem }): JSX.Element {
	const { onEdit, me } = useContext(SessionContext);
	const isOwn = item.by === undefined || item.by === me;
	return (
		<article class="user" aria-label={isOwn ? "You" : item.by}>
			{!isOwn && <span class="by">{item.by}</span>}
			<div class="user-text">{item.text}</div>
			<Pictures images={item.images} />
			{onEdit && (
				<IconButton
					class="user-edit"
					icon="edit"
					label="Go back to this message"
					onClick={() => onEdit(item.entryId, item.text)}
				/>
			)}
		</article>
	);
}

function ThinkingRow({ item }: { item: TextItem }): JSX.Element {
	const [isOpen, setOpen] = useState(false);
	const isShown = isOpen || showThinking.value;
	const [first = ""] = item.text
		.trim()
		.replaceAll(/[*_#`]/g, "")
		.split("\n");
	return (
		<div class="thinking">
			<button type="button" class="line" aria-expanded={isShown} onClick={() => setOpen(!isOpen)}>
				<span class={`dot ${item.isDone ? "dot-done" : "dot-running"}`} />
				<span class="line-name">Thinking</span>
				{!isShown && <span class="line-subject">{first}</span>}
				<Icon name="chevron" />
			</button>
			{isShown && <Markdown text={item.text} isDone={item.isDone} />}
		</div>
	);
}

const commandSigns = { bash: "$", python: "py", js: "js" } as const;

function CommandRow({ item }: { item: CommandItem }): JSX.Element {
	return (
		<div class={`command command-${item.phase}`}>
			<div class="command-head">
				<span class="command-sign">{commandSigns[item.language]}</span>
				<code>{item.command}</code>
				{item.isPrivate && <span class="tag">not in context</span>}
				{item.by !== undefined && <span class="tag">{item.by}</span>}
				{item.phase === "failed" && (
					<span class="tag tag-bad">{item.exitCode === undefined ? "stopped" : `exit ${item.exitCode}`}</span>
				)}
			</div>
			{item.output !== "" && <Output text={item.output} />}
		</div>
	);
}

function NoticeRow({ item }: { item: NoticeItem }): JSX.Element {
	return (
		<div class={`notice notice-${item.level}`} role={item.level === "error" ? "alert" : "status"}>
			<Output text={item.text} isPlain />
		</div>
	);
}

function DividerRow({ item }: { item: DividerItem }): JSX.Element {
	const [isOpen, setOpen] = useState(false);
	if (!item.text) return <div class="divider">{item.title}</div>;
	return (
		<div>
			<button type="button" class="divider" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
				{item.title} <Icon name="chevron" />
			</button>
			{isOpen && <Markdown text={item.text} />}
		</div>
	);
}

/** A message of an extension: by a renderer of its kind, or as Markdown. */
function CustomRow({ item }: { item: CustomItem }): JSX.Element {
	const render = rendererFor(item.customType);
	if (render) return render(item);
	return (
		<div class="custom">
			<span class="tag">{item.customType}</span>
			<Drawn about={{ entryId: item.key }}>
				<Markdown text={item.text} />
			</Drawn>
		</div>
	);
}
