/** The tree of the session beside the conversation, with its search and its filters. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";

import type { Entry } from "@tau/wire";

import { limits } from "../limits.ts";
import { filters, outlineOf, shownRows, type Filter, type OutlineRow } from "./outline.ts";

interface OutlineProps {
	entries: readonly Entry[];
	/** Ids of the branch that is shown. */
	branch: ReadonlySet<string>;
	current: string | undefined;
	onChoose(id: string, callId?: string): void;
}

const marks: Readonly<Record<OutlineRow["kind"], string>> = {
	prompt: "›",
	answer: "τ",
	call: "⚙",
	event: "·",
};

export function OutlinePanel({ entries, branch, current, onChoose }: OutlineProps): JSX.Element {
	const [search, setSearch] = useState("");
	const [filter, setFilter] = useState<Filter>("talk");
	const [shownCount, setShownCount] = useState<number>(limits.outlineRows);
	const rows = useMemo(() => outlineOf(entries, branch), [entries, branch]);
	const shown = useMemo(() => shownRows(rows, filter, search), [rows, filter, search]);
	return (
		<nav class="outline" aria-label="Outline">
			<input
				type="search"
				id="outline-search"
				aria-label="Search the session"
				placeholder="Search (/)"
				value={search}
				onInput={(event) => setSearch(event.currentTarget.value)}
				onKeyDown={(event) => {
					const [first] = shown;
					if (event.key === "Enter" && first) onChoose(first.id, first.callId);
					if (event.key === "Escape") setSearch("");
				}}
			/>
			<div class="outline-filters" role="group" aria-label="Filter">
				{Object.entries(filters).map(([name, title]) => (
					<button
						key={name}
						type="button"
						class="chip"
						aria-pressed={filter === name}
						onClick={() => setFilter(name as Filter)}
					>
						{title}
					</button>
				))}
			</div>
			<p class="muted outline-count" role="status">
				{search === "" ? "" : `${shown.length} found`}
			</p>
			<ol class="outline-rows">
				{shown.slice(0, shownCount).map((row, at) => (
					<li key={`${row.id}:${at}`} style={{ paddingInlineStart: `${Math.min(row.depth, 8) * 14}px` }}>
						<button
							type="button"
							class={`outline-row outline-${row.kind}${branch.has(row.id) ? "" : " off-branch"}${row.isFailed ? " is-failed" : ""}`}
							aria-current={row.id === current ? "true" : undefined}
							title={branch.has(row.id) ? undefined : "On another branch"}
							onClick={() => onChoose(row.id, row.callId)}
						>
							<span class="outline-mark" aria-hidden="true">
								{marks[row.kind]}
							</span>
							<span class="outline-text">{row.text || "…"}</span>
						</button>
					</li>
				))}
			</ol>
			{shown.length > shownCount && (
				<button type="button" class="link" onClick={() => setShownCount(shownCount + limits.outlineRows)}>
					{`Show more of ${shown.length}`}
				</button>
			)}
		</nav>
	);
}
