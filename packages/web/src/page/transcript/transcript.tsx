/** The conversation, newest at the end. Only the rows around the visible ones are in the page. */
import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { limits } from "../limits.ts";
import { Icon, IconButton } from "../parts/icon.tsx";
import { useVirtualRows } from "../parts/virtual-list.ts";
import type { OpenSession } from "../store/open-session.ts";
import { attempt } from "../store/toasts.ts";
import type { Item } from "./items.ts";
import { Row } from "./row.tsx";

const heights: Readonly<Record<Item["kind"], number>> = {
	user: 84,
	text: 140,
	thinking: 36,
	call: 34,
	command: 80,
	notice: 48,
	divider: 56,
	custom: 80,
};

export function Transcript({ session }: { session: OpenSession }): JSX.Element {
	const scroller = useRef<HTMLDivElement>(null);
	const items = [...session.items.value, ...session.replies.value];
	const isBusy = session.isBusy.value;
	const shown = useRef<readonly Item[]>(items);
	shown.current = items;
	const keyAt = useCallback((index: number) => shown.current[index]?.key ?? String(index), []);
	const estimate = useCallback((index: number) => heights[shown.current[index]?.kind ?? "text"], []);
	const { rows, height, list, measure } = useVirtualRows({ count: items.length, keyAt, estimate, scroller });
	const [isAtEnd, setAtEnd] = useState(true);
	// A session opens at its end.
	useLayoutEffect(() => list.scrollToEnd(), [list]);
	useEffect(() => {
		const element = scroller.current;
		if (!element) return undefined;
		let isFollowed = true;
		const onScroll = (): void => {
			isFollowed = list.isAtEnd(limits.endPixels);
			// Above a long question there is no room for the way back.
			setAtEnd(list.isAtEnd(120) || element.clientHeight < limits.roomPixels);
			if (element.scrollTop < 600) void session.loadEarlier();
		};
		element.addEventListener("scroll", onScroll, { passive: true });
		// A question, a long prompt or the keyboard of a phone takes room from below: the end stays in view.
		const resized = new ResizeObserver(() => {
			if (isFollowed) list.scrollToEnd();
			else onScroll();
		});
		resized.observe(element);
		onScroll();
		return () => {
			element.removeEventListener("scroll", onScroll);
			resized.disconnect();
		};
	}, [list, session]);
	const start = rows[0]?.start ?? 0;
	return (
		<div class="transcript-frame">
			<div
				class="transcript"
				ref={scroller}
				tabIndex={0}
				role="log"
				aria-label="Conversation"
				aria-busy={isBusy}
			>
				<div class="rows" style={{ height: `${height}px` }}>
					<div class="window" style={{ transform: `translateY(${start}px)` }}>
						{rows.map(({ key, index }) => {
							const item = items[index];
							return (
								item && (
									<div key={key} data-index={index} ref={measure} class={rowClass(item, items[index - 1])}>
										<Row item={item} />
										{item.kind === "text" && isLastWord(item, items[index + 1], isBusy) && (
											<AnswerTools text={item.text} />
										)}
									</div>
								)
							);
						})}
					</div>
				</div>
				{items.length === 0 && !isBusy && <Empty session={session} />}
			</div>
			{!isAtEnd && (
				<button type="button" class="to-end" onClick={() => list.scrollToEnd({ behavior: "auto" })}>
					<Icon name="down" /> {isBusy ? "Follow" : "To the end"}
				</button>
			)}
		</div>
	);
}

/** Lines of calls touch each other; everything else stands apart. */
function rowClass(item: Item, before: Item | undefined): string {
	const isLine = (each: Item | undefined): boolean => each?.kind === "call" || each?.kind === "thinking";
	return `row row-${item.kind}${isLine(item) && isLine(before) ? " joined" : ""}`;
}

function Empty({ session }: { session: OpenSession }): JSX.Element {
	const { cwd } = session.facts.value.session;
	return (
		<div class="empty">
			<p class="empty-mark" aria-hidden="true">
				τ
			</p>
			<p>
				A new session in <code>{cwd}</code>
			</p>
			<p class="muted">Ask a question, describe a change, or type / for commands and @ for files.</p>
		</div>
	);
}

const partsOfAnswer: ReadonlySet<Item["kind"]> = new Set(["text", "thinking", "call"]);

/** The last words of an answer, behind which nothing more of it comes. */
function isLastWord(item: Item, next: Item | undefined, isBusy: boolean): boolean {
	if (item.kind !== "text" || !item.isDone || (next && partsOfAnswer.has(next.kind))) return false;
	return next?.kind === "user" || !isBusy;
}

function AnswerTools({ text }: { text: string }): JSX.Element {
	const [isCopied, setCopied] = useState(false);
	useEffect(() => {
		if (!isCopied) return undefined;
		const timer = setTimeout(() => setCopied(false), limits.copiedMs);
		return () => clearTimeout(timer);
	}, [isCopied]);
	const copy = async (): Promise<void> => {
		const copied = navigator.clipboard.writeText(text).then(() => true);
		if (await attempt(copied)) setCopied(true);
	};
	return (
		<div class="answer-tools">
			<IconButton
				icon={isCopied ? "check" : "copy"}
				label={isCopied ? "Copied" : "Copy the answer"}
				onClick={() => void copy()}
			/>
		</div>
	);
}
