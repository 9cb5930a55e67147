/** A session that is only read: its facts, the conversation, the outline beside it, agents and raw entries on demand. */
import { elapsed, money, plural, tokens } from "@tau/utils/portable";
import type { Entry } from "@tau/wire";
import { documentTitle, type ShareDocument } from "@tau/wire/share";
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { ChildTranscript } from "../panels/child-transcript.tsx";
import { IconButton } from "../parts/icon.tsx";
import { fileClient } from "../store/file-client.ts";
import { OpenSession } from "../store/open-session.ts";
import { theme } from "../store/preferences.ts";
import { SessionContext, type RowContext } from "../store/session-context.ts";
import { toast } from "../store/toasts.ts";
import { Toasts } from "../shell/toasts.tsx";
import { messageInAddress, type Shared } from "./load.ts";
import { OutlinePanel } from "./outline-panel.tsx";
import { localTime, Reading, type Target } from "./reading.tsx";
import { counted, leafBelow, snapshotOf } from "./snapshot.ts";

export function Opening({ failure }: { failure?: string }): JSX.Element {
	return (
		<main class="screen" aria-busy={failure === undefined}>
			<p class="empty-mark" aria-hidden="true">
				τ
			</p>
			{failure === undefined ? (
				<p class="muted pulse">Opening…</p>
			) : (
				<>
					<h1>This session cannot be shown</h1>
					<p role="alert">{failure}</p>
				</>
			)}
		</main>
	);
}

type Side = { kind: "raw"; entryId: string | undefined } | { kind: "agent"; id: string };

export const isEmbedded = new URLSearchParams(location.search).has("embed");

export function ViewerApp({ shared }: { shared: Shared }): JSX.Element {
	const { document: shown, linkStart } = shared;
	const [leafId, setLeafId] = useState(() => leafFor(shown, messageInAddress()));
	const [target, setTarget] = useState<Target | undefined>(() => jumpTo(messageInAddress()));
	const [side, setSide] = useState<Side>();
	const [isOutlineOpen, setOutlineOpen] = useState(false);
	const [areCallsOpen, setCallsOpen] = useState(false);
	const session = useMemo(() => openedAt(shown, leafId), [shown, leafId]);
	useEffect(() => () => session[Symbol.dispose](), [session]);
	const { entries } = session.client.view.tail;
	const branch = useMemo(() => new Set(entries.map(({ id }) => id)), [entries]);
	const title = documentTitle(shown) || "Session";
	useEffect(() => {
		document.title = `${title} · Tau`;
	}, [title]);
	const choose = (id: string, callId?: string): void => {
		if (!branch.has(id)) setLeafId(leafBelow(shown.entries, id));
		setTarget((before) => ({ id, callId, times: (before?.times ?? 0) + 1 }));
		setOutlineOpen(false);
	};
	useViewerKeys(choose, () => setOutlineOpen(true));
	const openCall = target?.callId;
	const context = useMemo((): RowContext => ({ areCallsOpen, openCall }), [areCallsOpen, openCall]);
	return (
		<SessionContext.Provider value={context}>
			<div class={`viewer${isEmbedded ? " is-embedded" : ""}${isOutlineOpen ? " outline-open" : ""}`}>
				{isOutlineOpen && (
					<button
						type="button"
						class="outline-shade"
						aria-label="Close the outline"
						onClick={() => setOutlineOpen(false)}
					/>
				)}
				{!isEmbedded && (
					<OutlinePanel entries={shown.entries} branch={branch} current={target?.id} onChoose={choose} />
				)}
				<main class="viewer-main">
					<Head
						shown={shown}
						title={title}
						areCallsOpen={areCallsOpen}
						onCalls={() => setCallsOpen(!areCallsOpen)}
						onOutline={() => setOutlineOpen(!isOutlineOpen)}
						onSide={setSide}
					/>
					<Reading
						key={`${areCallsOpen}`}
						session={session}
						entries={entries}
						target={target}
						onLink={(id) => void copyLink(linkStart + id)}
						onRaw={(entryId) => setSide({ kind: "raw", entryId })}
					/>
					<footer class="viewer-foot muted">
						{`Made by Tau ${shown.program}, ${localTime(Date.parse(shown.createdAt))}`}
						{shown.masked > 0 && ` · ${plural(shown.masked, "secret")} masked`}
					</footer>
				</main>
				{side && <SidePanel side={side} shown={shown} session={session} onClose={() => setSide(undefined)} />}
			</div>
			<Toasts />
		</SessionContext.Provider>
	);
}

interface HeadProps {
	shown: ShareDocument;
	title: string;
	areCallsOpen: boolean;
	onCalls(): void;
	onOutline(): void;
	onSide(side: Side): void;
}

function Head({ shown, title, areCallsOpen, onCalls, onOutline, onSide }: HeadProps): JSX.Element {
	const {
		from,
		to,
		models,
		prompts,
		calls,
		cost,
		tokens: used,
	} = useMemo(() => counted(shown.entries), [shown]);
	const facts = [
		localTime(from),
		to - from > 1000 ? elapsed(to - from) : "",
		models.join(", "),
		plural(prompts, "prompt"),
		calls > 0 ? plural(calls, "tool call") : "",
		used > 0 ? `${tokens(used)} tokens` : "",
		cost > 0 ? money(cost) : "",
	].filter(Boolean);
	return (
		<header class="viewer-head">
			<div class="viewer-title">
				{!isEmbedded && (
					<IconButton class="outline-button" icon="sidebar" label="Show the outline" onClick={onOutline} />
				)}
				<h1>{title}</h1>
			</div>
			<p class="viewer-facts">{facts.join(" · ")}</p>
			<p class="viewer-facts">
				<code>{shown.session.cwd}</code>
			</p>
			{isEmbedded ? (
				<a class="link" href={location.href.replace("?embed", "")} target="_blank" rel="noopener noreferrer">
					Open the session
				</a>
			) : (
				<div class="viewer-actions">
					<button type="button" class="chip" aria-pressed={areCallsOpen} onClick={onCalls}>
						{areCallsOpen ? "Close all tools" : "Open all tools"}
					</button>
					<button type="button" class="chip" onClick={() => print()}>
						Print
					</button>
					<button type="button" class="chip" onClick={() => onSide({ kind: "raw", entryId: undefined })}>
						Raw entries
					</button>
					<IconButton icon="sun" label={`Colors: ${theme.value}`} onClick={nextTheme} />
				</div>
			)}
			{shown.agents.length > 0 && (
				<div class="viewer-agents">
					<span class="muted">Agents</span>
					{shown.agents.map(({ id, name, task }) => (
						<button
							key={id}
							type="button"
							class="chip"
							title={task}
							onClick={() => onSide({ kind: "agent", id })}
						>
							{name}
						</button>
					))}
				</div>
			)}
		</header>
	);
}

interface SideProps {
	side: Side;
	shown: ShareDocument;
	session: OpenSession;
	onClose(): void;
}

function SidePanel({ side, shown, session, onClose }: SideProps): JSX.Element {
	const agent = side.kind === "agent" ? shown.agents.find(({ id }) => id === side.id) : undefined;
	const title = agent ? agent.name : "Raw entries";
	return (
		<aside class="panel viewer-side" aria-label={title}>
			<header class="panel-head">
				<h2>{title}</h2>
				<IconButton icon="close" label="Close the panel" onClick={onClose} />
			</header>
			<div class="panel-body">
				{agent ? (
					<>
						<p class="muted">{agent.task}</p>
						<ChildTranscript key={agent.id} session={session} agent={agent} />
					</>
				) : (
					<pre class="raw-entries">{rawText(shown, side)}</pre>
				)}
			</div>
		</aside>
	);
}

/** As the lines of the session file, readable. Results of the calls of an answer belong to it. */
function rawText({ entries }: ShareDocument, side: Side): string {
	const id = side.kind === "raw" ? side.entryId : undefined;
	const shown =
		id === undefined ? entries : entries.filter((entry) => entry.id === id || isResultOf(entry, id));
	return shown.map((entry) => JSON.stringify(entry, shortened, 2)).join("\n\n");
}

function isResultOf(entry: Entry, parentId: string): boolean {
	const { message } = entry as { message?: { role?: unknown } };
	return entry.parentId === parentId && message?.role === "toolResult";
}

const rawChars = 20_000;

function shortened(_: string, value: unknown): unknown {
	return typeof value === "string" && value.length > rawChars
		? `${value.slice(0, rawChars)}… (${value.length} characters)`
		: value;
}

function openedAt(shown: ShareDocument, leafId: string | null): OpenSession {
	const client = fileClient(snapshotOf(shown, leafId), {
		get_child_messages: ({ childId }) => ({
			messages: [...(shown.agents.find(({ id }) => id === childId)?.messages ?? [])],
		}),
	});
	return new OpenSession(shown.session.id, client);
}

function leafFor(shown: ShareDocument, entryId: string | undefined): string | null {
	const isKnown = entryId !== undefined && shown.entries.some(({ id }) => id === entryId);
	return isKnown ? leafBelow(shown.entries, entryId) : shown.leafId;
}

function jumpTo(id: string | undefined): Target | undefined {
	return id === undefined ? undefined : { id, callId: undefined, times: 0 };
}

async function copyLink(hash: string): Promise<void> {
	history.replaceState(null, "", hash);
	try {
		await navigator.clipboard.writeText(location.href);
		toast("The link to this message is in the clipboard.");
	} catch {
		// A page that is embedded or a file may not write there: the address bar has the link.
		toast("The address has the link to this message now.");
	}
}

export function nextTheme(): void {
	const order = ["system", "light", "dark"] as const;
	theme.value = order[(order.indexOf(theme.value) + 1) % order.length] ?? "system";
}

function useViewerKeys(choose: (id: string) => void, onSearch: () => void): void {
	useEffect(() => {
		const onKey = (event: KeyboardEvent): void => {
			if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
			event.preventDefault();
			onSearch();
			document.getElementById("outline-search")?.focus();
		};
		const onHash = (): void => {
			const id = messageInAddress();
			if (id !== undefined) choose(id);
		};
		addEventListener("keydown", onKey);
		addEventListener("hashchange", onHash);
		return () => {
			removeEventListener("keydown", onKey);
			removeEventListener("hashchange", onHash);
		};
	});
}
