/** Builds one complete tree from a file: gives ids to entries without one, reattaches orphans, breaks cycles. */
import { tombstone, type EntryNode } from "../tree/node.ts";
import type { BrokenPiece, Piece } from "./piece.ts";
import type { LogProblem } from "./problem.ts";

export interface Arrangement {
	nodes: EntryNode[];
	/** The damaged stretches, each with its placeholder entry if its position in the tree is known. */
	broken: { piece: BrokenPiece; node: EntryNode | undefined }[];
	problems: LogProblem[];
}

/** What is known already when only the end of a file is arranged. */
export interface Before {
	has(id: string): boolean;
	lastId: string | null;
}

interface PendingEntry {
	piece: Extract<Piece, { kind: "entry" | "broken" }>;
	type: string;
	id: string | undefined;
	/** A draft, the id of an earlier entry, or none. */
	parent: PendingEntry | string | null;
	order: number;
	timestamp: string;
}

const nothing: Before = { has: () => false, lastId: null };

export function arrange(pieces: readonly Piece[], before: Before = nothing): Arrangement {
	const whole = wholeTree(pieces, before);
	if (whole) return { nodes: whole, broken: [], problems: [] };
	const problems: LogProblem[] = [];
	const pending = pendingEntries(pieces);
	const byId = assignIds(pending, before, problems);
	joinParents(pending, byId, before, problems);
	assignRemainingIds(pending, byId, before);
	if (pending.some(pointsForward)) cutCircles(pending, problems);
	return { ...finish(pending), problems };
}

/** The usual case, three times as fast: every entry has a unique id and a parent that precedes it. */
function wholeTree(pieces: readonly Piece[], before: Before): EntryNode[] | undefined {
	const nodes: EntryNode[] = [];
	const ids = new Set<string>();
	for (const piece of pieces) {
		if (piece.kind === "header" || piece.kind === "title") continue;
		if (piece.kind === "broken") return undefined;
		const { type, id, parentId, timestamp } = piece.head;
		if (id === undefined || parentId === undefined || ids.has(id) || before.has(id)) return undefined;
		if (parentId !== null && !ids.has(parentId) && !before.has(parentId)) return undefined;
		ids.add(id);
		nodes.push({ type, id, parentId, timestamp, offset: piece.offset, length: piece.length });
	}
	return nodes;
}

function pendingEntries(pieces: readonly Piece[]): PendingEntry[] {
	const pending: PendingEntry[] = [];
	for (const piece of pieces) {
		if (piece.kind !== "entry" && piece.kind !== "broken") continue;
		const { head } = piece;
		const type = piece.kind === "broken" ? "custom" : piece.head.type;
		const order = pending.length;
		pending.push({ piece, type, id: head?.id, parent: null, order, timestamp: head?.timestamp ?? "" });
	}
	return pending;
}

function assignIds(
	pending: readonly PendingEntry[],
	before: Before,
	problems: LogProblem[],
): Map<string, PendingEntry> {
	const byId = new Map<string, PendingEntry>();
	for (const entry of pending) {
		const { id } = entry;
		if (id === undefined) continue;
		if (byId.has(id) || before.has(id)) {
			entry.id = freeId(id, (taken) => byId.has(taken) || before.has(taken));
			problems.push({ kind: "duplicate", id, renamed: entry.id });
		}
		byId.set(entry.id ?? id, entry);
	}
	return byId;
}

/** The id is the same at every opening, so that its children stay attached to it. */
function freeId(id: string, isTaken: (id: string) => boolean): string {
	let count = 2;
	while (isTaken(`${id}-${count}`)) count++;
	return `${id}-${count}`;
}

function joinParents(
	pending: readonly PendingEntry[],
	byId: Map<string, PendingEntry>,
	before: Before,
	problems: LogProblem[],
): void {
	const nameless: PendingEntry[] = [];
	for (const [index, entry] of pending.entries()) {
		const previous = pending[index - 1] ?? before.lastId;
		const parentId = entry.piece.head?.parentId;
		entry.parent = parentId === undefined ? previous : parentId;
		if (typeof parentId === "string" && !before.has(parentId)) {
			entry.parent = byId.get(parentId) ?? claim(parentId, nameless.pop(), byId);
			if (entry.parent === null) {
				entry.parent = previous;
				if (entry.id !== undefined) problems.push({ kind: "orphan", id: entry.id, parentId });
			}
		}
		if (entry.id === undefined) nameless.push(entry);
	}
}

/** The likely identity of an unknown parent: the last unreadable line before its child. */
function claim(
	id: string,
	lost: PendingEntry | undefined,
	byId: Map<string, PendingEntry>,
): PendingEntry | null {
	if (!lost) return null;
	lost.id = id;
	byId.set(id, lost);
	return lost;
}

/** Entries of version 1 have no ids. A position in the file makes one that is the same at every opening. */
function assignRemainingIds(
	pending: readonly PendingEntry[],
	byId: Map<string, PendingEntry>,
	before: Before,
): void {
	for (const entry of pending) {
		if (entry.id !== undefined || entry.piece.kind === "broken") continue;
		const position = entry.piece.offset.toString(16).padStart(8, "0");
		const isTaken = (id: string) => byId.has(id) || before.has(id);
		entry.id = isTaken(position) ? freeId(position, isTaken) : position;
		byId.set(entry.id, entry);
	}
}

/** In a file that was only appended to, parents precede their children, and then there is no cycle. */
function pointsForward({ parent, order }: PendingEntry): boolean {
	return typeof parent === "object" && parent !== null && parent.order >= order;
}

function cutCircles(pending: readonly PendingEntry[], problems: LogProblem[]): void {
	const safe = new Set<PendingEntry>();
	const cut = new Set<PendingEntry>();
	for (const entry of pending) {
		for (;;) {
			const circle = circleAbove(entry, safe);
			if (circle === undefined) break;
			const [first] = circle.toSorted((a, b) => a.order - b.order);
			if (!first) break;
			// The entry before it may itself be below the cycle: then it becomes a root.
			first.parent = cut.has(first) ? null : (pending[first.order - 1] ?? null);
			cut.add(first);
		}
	}
	for (const entry of cut) if (entry.id !== undefined) problems.push({ kind: "cycle", id: entry.id });
}

/** Walks up from a draft; the drafts on the way are safe unless one is visited twice. */
function circleAbove(entry: PendingEntry, safe: Set<PendingEntry>): PendingEntry[] | undefined {
	const passed = new Set<PendingEntry>();
	let at: PendingEntry | string | null = entry;
	while (typeof at === "object" && at !== null && !safe.has(at)) {
		if (passed.has(at)) {
			const trail = [...passed];
			return trail.slice(trail.indexOf(at));
		}
		passed.add(at);
		at = at.parent;
	}
	for (const one of passed) safe.add(one);
	return undefined;
}

function finish(pending: readonly PendingEntry[]): Pick<Arrangement, "nodes" | "broken"> {
	const nodes: EntryNode[] = [];
	const broken: Arrangement["broken"] = [];
	for (const entry of pending) {
		const node = nodeOf(entry);
		if (node) nodes.push(node);
		if (entry.piece.kind === "broken") broken.push({ piece: entry.piece, node });
	}
	return { nodes, broken };
}

function nodeOf({ piece, type, id, parent, timestamp }: PendingEntry): EntryNode | undefined {
	if (id === undefined) return undefined;
	const { offset, length } = piece;
	const node: EntryNode = { type, id, parentId: livingId(parent), timestamp, offset, length };
	if (piece.kind === "broken") node.kept = tombstone(node);
	return node;
}

/** A damaged line that no entry refers to is not in the tree; its parent is the nearest ancestor that is. */
function livingId(parent: PendingEntry | string | null): string | null {
	let at = parent;
	while (typeof at === "object" && at !== null && at.id === undefined) at = at.parent;
	return typeof at === "object" && at !== null ? (at.id ?? null) : at;
}
