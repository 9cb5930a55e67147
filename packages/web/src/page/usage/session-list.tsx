/** The sessions of the machine, the last one first, and what happened in one of them: each turn with its time and cost. */
import { elapsed, tokens } from "@tau/utils/portable";
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { Loading } from "../panels/loading.tsx";
import { useLoaded } from "../panels/use-loaded.ts";
import { Dialog } from "../parts/dialog.tsx";
import { baseName } from "../shell/screens.tsx";
import { count, duration, marked, timeText } from "./figures.ts";
import { Named, Table } from "./tables.tsx";
import { loadSessions, loadTrace, type SessionSums, type TraceEntry } from "./usage-data.ts";

export function SessionList({ scan }: { scan: string }): JSX.Element {
	const [words, setWords] = useState("");
	const [opened, open] = useState<SessionSums>();
	const sessions = useLoaded(() => loadSessions(words), [words, scan]);
	return (
		<>
			<label class="session-search">
				<span class="visually-hidden">Search sessions by title, project or id</span>
				<input
					type="search"
					placeholder="Search sessions"
					value={words}
					onInput={({ currentTarget }) => setWords(currentTarget.value)}
				/>
			</label>
			<Loading from={sessions} />
			{sessions.data && (
				<Table
					title="Sessions"
					rows={sessions.data}
					keyOf={({ id }) => id}
					columns={[
						{
							name: "Session",
							isText: true,
							cell: (row) => <SessionName session={row} onOpen={() => open(row)} />,
						},
						{ name: "Last used", isText: true, cell: ({ last }) => timeText(last, true) },
						{ name: "Cost", cell: paid },
						{ name: "Requests", cell: ({ requests }) => count(requests) },
						{ name: "Tokens", cell: (row) => tokens(row.tokens) },
						{ name: "Tools", cell: ({ toolCalls }) => count(toolCalls) },
						{ name: "Failed", cell: ({ errors }) => count(errors) },
					]}
				/>
			)}
			{opened && <Timeline session={opened} onClose={() => open(undefined)} />}
		</>
	);
}

function paid({ cost, estimatedCost, unpricedRequests, requests }: SessionSums): string {
	return unpricedRequests === requests ? "N/A" : marked(cost, estimatedCost > 0);
}

/** A session that was not stored has usage, but no file to read. */
function SessionName({ session, onOpen }: { session: SessionSums; onOpen(): void }): JSX.Element {
	const { title, id, folder, file } = session;
	const name = title ?? id;
	if (file === null) return <Named name={name} about={baseName(folder)} />;
	return (
		<button type="button" class="link" title={folder} onClick={onOpen}>
			{name}
		</button>
	);
}

function Timeline({ session, onClose }: { session: SessionSums; onClose(): void }): JSX.Element {
	const { file, title, id, folder } = session;
	const trace = useLoaded(() => loadTrace(file ?? ""), [file]);
	const entries = trace.data?.entries ?? [];
	const begin = Math.min(...entries.map(({ at }) => at));
	const end = Math.max(...entries.map(({ at, durationMs }) => at + durationMs));
	return (
		<Dialog label="Timeline" class="timeline-dialog" onClose={onClose}>
			<header>
				<h2>{title ?? id}</h2>
				<button type="button" onClick={onClose}>
					Close
				</button>
			</header>
			<p class="muted">
				{folder}
				{entries.length > 0 && `, ${timeText(begin, true)}, ${elapsed(end - begin)}`}
			</p>
			<Loading from={trace} />
			<ol class="timeline" tabIndex={0} aria-label="Turns">
				{entries.map((entry, at) => (
					<Span key={`${at} ${entry.id}`} entry={entry} begin={begin} length={Math.max(1, end - begin)} />
				))}
			</ol>
			{(trace.data?.omitted ?? 0) > 0 && (
				<p class="muted">{count(trace.data?.omitted ?? 0)} later entries are not shown.</p>
			)}
		</Dialog>
	);
}

/** The bar shows when it was and how long it took, of the whole session. */
function Span({ entry, begin, length }: { entry: TraceEntry; begin: number; length: number }): JSX.Element {
	const { kind, name, at, durationMs, text, isError, cost } = entry;
	const facts = [
		durationMs > 0 ? duration(durationMs) : "",
		entry.tokens > 0 ? `${tokens(entry.tokens)} tokens` : "",
		cost === null ? "" : marked(cost, false),
	].filter(Boolean);
	return (
		<li class={`span span-${kind}${isError ? " span-failed" : ""}`}>
			<time dateTime={new Date(at).toISOString()}>+{elapsed(at - begin)}</time>
			<strong>{name || kind}</strong>
			<span class="span-text">{text}</span>
			<span class="muted">{[isError ? "failed" : "", ...facts].filter(Boolean).join(", ")}</span>
			<svg class="span-bar" viewBox="0 0 1000 4" preserveAspectRatio="none" aria-hidden="true">
				<rect
					x={(1000 * (at - begin)) / length}
					width={Math.max(3, (1000 * durationMs) / length)}
					height="4"
				/>
			</svg>
		</li>
	);
}
