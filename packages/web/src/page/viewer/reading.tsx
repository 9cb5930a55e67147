/** The conversation as one reads it: all rows in the page, so that the browser's own search and print find them. */
import { isRecord } from "@tau/utils/portable";
import type { Entry } from "@tau/wire";
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { limits } from "../limits.ts";
import { IconButton } from "../parts/icon.tsx";
import type { OpenSession } from "../store/open-session.ts";
import type { Item } from "../transcript/items.ts";
import { Row } from "../transcript/row.tsx";

/** Where the reader has jumped to: a message, or a call in it. The number tells two jumps to the same one apart. */
export interface Target {
	readonly id: string;
	readonly callId: string | undefined;
	readonly times: number;
}

interface ReadRow {
	readonly item: Item;
	/** Of its entry. */
	readonly id: string;
}

interface ReadingProps {
	session: OpenSession;
	entries: readonly Entry[];
	target: Target | undefined;
	onLink(entryId: string): void;
	onRaw(entryId: string): void;
}

export function Reading({ session, entries, target, onLink, onRaw }: ReadingProps): JSX.Element {
	const items = session.items.value;
	const entryOf = useMemo(() => entryIds(entries), [entries]);
	const rows = useMemo(() => items.map((item) => ({ item, id: entryOf(item) })), [items, entryOf]);
	const index = useMemo(() => indexOf(rows, target), [rows, target]);
	const heads = useMemo(() => headsIn(rows), [rows]);
	const count = useGrowingCount(rows.length, index);
	useEffect(() => {
		if (index < 0) return;
		const row = document.getElementById(`row-${index}`);
		row?.scrollIntoView({ block: "start" });
		row?.classList.add("is-target");
		const timer = setTimeout(() => row?.classList.remove("is-target"), limits.flashMs);
		return () => clearTimeout(timer);
	}, [target, index, count > index]);
	return (
		<div class="reading">
			{rows.slice(0, count).map(({ item, id }, at) => {
				return (
					<div
						key={item.key}
						id={`row-${at}`}
						class={`row row-${item.kind}${isJoined(rows, at) ? " joined" : ""}`}
					>
						{item.kind === "user" && <time class="row-time">{localTime(item.timestamp)}</time>}
						<Row item={item} />
						{heads.has(at) && (
							<div class="row-tools">
								<IconButton icon="link" label="Copy a link to this message" onClick={() => onLink(id)} />
								<IconButton icon="code" label="Show the raw entry" onClick={() => onRaw(id)} />
							</div>
						)}
					</div>
				);
			})}
			{count < rows.length && <p class="muted pulse">Loading…</p>}
		</div>
	);
}

/** Rows are added while the browser has nothing else to do: the first screen of a long session is there at once. */
function useGrowingCount(length: number, wanted: number): number {
	const [count, setCount] = useState<number>(limits.firstRows);
	const now = Math.max(count, wanted + 1);
	useEffect(() => {
		if (now >= length) return undefined;
		const timer = setTimeout(() => setCount(now + limits.moreRows));
		const whole = (): void => setCount(length);
		addEventListener("beforeprint", whole);
		return () => {
			clearTimeout(timer);
			removeEventListener("beforeprint", whole);
		};
	}, [now, length]);
	return Math.min(now, length);
}

function indexOf(rows: readonly ReadRow[], target: Target | undefined): number {
	if (!target) return -1;
	const call = rows.findIndex(({ item }) => item.kind === "call" && item.id === target.callId);
	return call < 0 ? rows.findIndex(({ id }) => id === target.id) : call;
}

/** The rows that have the link of their message: its first text, or its first row where it says nothing. */
function headsIn(rows: readonly ReadRow[]): ReadonlySet<number> {
	const heads = new Map<string, number>();
	for (const [at, { item, id }] of rows.entries()) {
		const head = rows[heads.get(id) ?? -1];
		const isText = item.kind === "user" || item.kind === "text";
		if (!head || (isText && head.item.kind !== "user" && head.item.kind !== "text")) heads.set(id, at);
	}
	return new Set(heads.values());
}

function isJoined(rows: readonly { item: Item }[], at: number): boolean {
	const isLine = (item: Item | undefined): boolean => item?.kind === "call" || item?.kind === "thinking";
	return isLine(rows[at]?.item) && isLine(rows[at - 1]?.item);
}

/** Rows of an answer are named by its time, all others by their entry. */
function entryIds(entries: readonly Entry[]): (item: Item) => string {
	const answers = new Map<string, string>();
	for (const { id, message } of entries) {
		if (isRecord(message) && message.role === "assistant") answers.set(`a${String(message.timestamp)}`, id);
	}
	return ({ key }) => answers.get(key.split(":")[0] ?? "") ?? key;
}

const times = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** In the reader's own time zone. */
export function localTime(ms: number): string {
	return Number.isFinite(ms) && ms > 0 ? times.format(ms) : "";
}
