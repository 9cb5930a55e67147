/** The tree of a session as rows: what a filter and a search show, how it branches, what is folded. */
import type { treeFilters } from "@tau/config/settings";

import { isBookkeeping, leafOf, type EntryLabel, type TreeEntry } from "@tau/session-commands/work";

export type TreeFilter = (typeof treeFilters)[number];

export interface TreeView {
	entries: readonly TreeEntry[];
	labels: ReadonlyMap<string, EntryLabel>;
	leafId: string | null;
	filter: TreeFilter;
	search: string;
	/** Entries whose branch is folded. */
	folded: ReadonlySet<string>;
}

export interface TreeRow {
	entry: TreeEntry;
	/** The nearest entry above it that is shown. */
	parent: string | null;
	/** For each branch that contains it: whether others follow below. */
	levels: readonly boolean[];
	/** A branch starts here. */
	isStart: boolean;
	hasChildren: boolean;
	isFolded: boolean;
	/** On the way from the root to where the session is now. */
	isActive: boolean;
	isLeaf: boolean;
	label?: EntryLabel;
}

export function treeRows(view: TreeView): TreeRow[] {
	const byId = new Map(view.entries.map((entry) => [entry.id, entry]));
	const leaf = leafOf(byId, view.leafId);
	const active = new Set(pathTo(byId, view.leafId));
	const terms = view.search.toLowerCase().split(/\s+/).filter(Boolean);
	const shown = new Set(
		view.entries
			.filter((entry) => isShown(entry, view, leaf) && fits(entry, view, terms))
			.map(({ id }) => id),
	);
	const children = visibleChildren(view.entries, byId, shown);
	const rows: TreeRow[] = [];
	const roots = children.get(null) ?? [];
	const open = branches(roots, null, []).toReversed();
	for (let next = open.pop(); next; next = open.pop()) {
		const { entry } = next;
		const below = children.get(entry.id) ?? [];
		// What was searched for is not hidden again.
		const isFolded = terms.length === 0 && below.length > 0 && view.folded.has(entry.id);
		const label = view.labels.get(entry.id);
		rows.push({
			...next,
			hasChildren: below.length > 0,
			isFolded,
			isActive: active.has(entry.id),
			isLeaf: entry.id === leaf,
			...(label ? { label } : {}),
		});
		if (!isFolded) open.push(...branches(below, entry.id, next.levels).toReversed());
	}
	return rows;
}

/** The nearest entry that is shown, above one that is not. */
export function nearestShown(
	entries: ReadonlyMap<string, TreeEntry>,
	rows: readonly TreeRow[],
	id: string,
): string | undefined {
	const shown = new Set(rows.map(({ entry }) => entry.id));
	return pathTo(entries, id).find((each) => shown.has(each)) ?? rows.at(-1)?.entry.id;
}

/** From an entry up to the root. */
export function pathTo(entries: ReadonlyMap<string, TreeEntry>, id: string | null): string[] {
	const path = new Set<string>();
	for (let at = id; at !== null && !path.has(at);) {
		const entry = entries.get(at);
		if (!entry) break;
		path.add(at);
		at = entry.parentId;
	}
	return [...path];
}

/** Where the key that folds leads: to the entry whose branch it folds, or to the beginning of the branch. */
export function foldOrUp(rows: readonly TreeRow[], id: string): { fold: string } | { go: string } {
	const at = indexOf(rows, id);
	const row = rows[at];
	if (row?.isStart && row.hasChildren && !row.isFolded) return { fold: id };
	for (let above = row?.isStart ? row.parent : id; above !== null;) {
		const next = rows[indexOf(rows, above)];
		if (!next || next.isStart || next.parent === null) return { go: above };
		above = next.parent;
	}
	return { go: id };
}

/** Where the key that unfolds leads: to the entry that it unfolds, to the next branch, or to the end of this one. */
export function unfoldOrDown(rows: readonly TreeRow[], id: string): { unfold: string } | { go: string } {
	const from = indexOf(rows, id);
	if (rows[from]?.isFolded) return { unfold: id };
	let at = from;
	while (rows[at + 1]?.parent === rows[at]?.entry.id && !rows[at + 1]?.isStart) at++;
	const below = rows[at + 1];
	if (below?.parent === rows[at]?.entry.id || at === from)
		at = rows.findIndex((row, i) => i > at && row.isStart);
	return { go: rows[at]?.entry.id ?? id };
}

function indexOf(rows: readonly TreeRow[], id: string): number {
	return rows.findIndex(({ entry }) => entry.id === id);
}

interface Branch {
	entry: TreeEntry;
	parent: string | null;
	levels: readonly boolean[];
	isStart: boolean;
}

/** A conversation that continues stays in its column; at a fork, each branch gets its own column. */
function branches(
	children: readonly TreeEntry[],
	parent: string | null,
	levels: readonly boolean[],
): Branch[] {
	const isParting = children.length > 1;
	return children.map((entry, at) => ({
		entry,
		parent,
		levels: isParting ? [...levels, at < children.length - 1] : levels,
		isStart: isParting || parent === null,
	}));
}

/** The children of what is shown, older first; what is hidden hands its own on. */
function visibleChildren(
	entries: readonly TreeEntry[],
	byId: ReadonlyMap<string, TreeEntry>,
	shown: ReadonlySet<string>,
): Map<string | null, TreeEntry[]> {
	const parents = new Map<string, string | null>();
	const parentOf = (entry: TreeEntry): string | null => {
		const way: string[] = [];
		let at: string | null = entry.id;
		let match: string | null | undefined;
		const seen = new Set<string>();
		while (match === undefined) {
			const known: string | null | undefined = parents.get(at);
			if (known !== undefined) match = known;
			else {
				way.push(at);
				seen.add(at);
				const above: string | null = byId.get(at)?.parentId ?? null;
				// A root, a parent that is not in the file, or a circle that a damaged file holds.
				if (above === null || !byId.has(above) || seen.has(above)) match = null;
				else if (shown.has(above)) match = above;
				else at = above;
			}
		}
		for (const id of way) parents.set(id, match);
		return match;
	};
	const children = new Map<string | null, TreeEntry[]>();
	for (const entry of entries) {
		if (!shown.has(entry.id)) continue;
		const parent = parentOf(entry);
		const siblings = children.get(parent);
		if (siblings) siblings.push(entry);
		else children.set(parent, [entry]);
	}
	for (const siblings of children.values()) siblings.sort(byTime);
	return children;
}

/** Stable: entries of one moment stay in the order of the file. */
function byTime(a: TreeEntry, b: TreeEntry): number {
	return a.timestamp < b.timestamp ? -1 : Number(a.timestamp > b.timestamp);
}

function isShown(entry: TreeEntry, { filter, labels }: TreeView, leaf: string | null): boolean {
	if (filter === "all") return true;
	if (filter === "labeled-only") return labels.has(entry.id);
	if (filter === "user-only") return entry.type === "message" && entry.speaker === "user";
	if (isBookkeeping(entry.type)) return false;
	if (filter === "no-tools" && entry.speaker === "tool") return false;
	return !entry.isToolOnly || entry.hasFailed || entry.id === leaf;
}

function fits(entry: TreeEntry, { labels }: TreeView, terms: readonly string[]): boolean {
	if (terms.length === 0) return true;
	const text = `${labels.get(entry.id)?.label.toLowerCase() ?? ""} ${entry.searchText}`;
	return terms.every((word) => text.includes(word));
}
