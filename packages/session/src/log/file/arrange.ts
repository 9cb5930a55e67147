/** Makes one whole tree of what a file holds: names the nameless, rejoins the orphans, cuts the circles. */
import { tombstone, type EntryNode } from "../tree/node.ts";
import type { BrokenPiece, Piece } from "./piece.ts";
import type { LogProblem } from "./problem.ts";

export interface Arrangement {
	nodes: EntryNode[];
	/** The damaged stretches, each with the entry that stands for it where its place in the tree is known. */
	broken: { piece: BrokenPiece; node: EntryNode | undefined }[];
	problems: LogProblem[];
}

/** What is known already when only the end of a file is arranged. */
export interface Before {
	has(id: string): boolean;
	lastId: string | null;
}

interface Draft {
	piece: Extract<Piece, { kind: "entry" | "broken" }>;
	type: string;
	id: string | undefined;
	/** As a draft, as an id of the part before, or none. */
	parent: Draft | string | null;
	order: number;
	timestamp: string;
}

const nothing: Before = { has: () => false, lastId: null };

export function arrange(pieces: readonly Piece[], before: Before = nothing): Arrangement {
	const whole = wholeTree(pieces, before);
	if (whole) return { nodes: whole, broken: [], problems: [] };
	const problems: LogProblem[] = [];
	const drafts = draftsOf(pieces);
	const byId = nameDrafts(drafts, before, problems);
	joinParents(drafts, byId, before, problems);
	nameTheRest(drafts, byId, before);
	if (drafts.some(pointsForward)) cutCircles(drafts, problems);
	return { ...finish(drafts), problems };
}

/** The usual case, three times as fast: every entry has a name of its own and a parent that stands before it. */
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

function draftsOf(pieces: readonly Piece[]): Draft[] {
	const drafts: Draft[] = [];
	for (const piece of pieces) {
		if (piece.kind !== "entry" && piece.kind !== "broken") continue;
		const { head } = piece;
		const type = piece.kind === "broken" ? "custom" : piece.head.type;
		const order = drafts.length;
		drafts.push({ piece, type, id: head?.id, parent: null, order, timestamp: head?.timestamp ?? "" });
	}
	return drafts;
}

function nameDrafts(drafts: readonly Draft[], before: Before, problems: LogProblem[]): Map<string, Draft> {
	const byId = new Map<string, Draft>();
	for (const draft of drafts) {
		const { id } = draft;
		if (id === undefined) continue;
		if (byId.has(id) || before.has(id)) {
			draft.id = freeId(id, (taken) => byId.has(taken) || before.has(taken));
			problems.push({ kind: "duplicate", id, renamed: draft.id });
		}
		byId.set(draft.id ?? id, draft);
	}
	return byId;
}

/** The same at every opening, so that what hangs on it stays there. */
function freeId(id: string, isTaken: (id: string) => boolean): string {
	let count = 2;
	while (isTaken(`${id}-${count}`)) count++;
	return `${id}-${count}`;
}

function joinParents(
	drafts: readonly Draft[],
	byId: Map<string, Draft>,
	before: Before,
	problems: LogProblem[],
): void {
	const nameless: Draft[] = [];
	for (const [index, draft] of drafts.entries()) {
		const previous = drafts[index - 1] ?? before.lastId;
		const parentId = draft.piece.head?.parentId;
		draft.parent = parentId === undefined ? previous : parentId;
		if (typeof parentId === "string" && !before.has(parentId)) {
			draft.parent = byId.get(parentId) ?? claim(parentId, nameless.pop(), byId);
			if (draft.parent === null) {
				draft.parent = previous;
				if (draft.id !== undefined) problems.push({ kind: "orphan", id: draft.id, parentId });
			}
		}
		if (draft.id === undefined) nameless.push(draft);
	}
}

/** What an unknown parent most likely was: the last thing before its child that could not be read. */
function claim(id: string, lost: Draft | undefined, byId: Map<string, Draft>): Draft | null {
	if (!lost) return null;
	lost.id = id;
	byId.set(id, lost);
	return lost;
}

/** Entries of version 1 have no ids. A position in the file makes one that is the same at every opening. */
function nameTheRest(drafts: readonly Draft[], byId: Map<string, Draft>, before: Before): void {
	for (const draft of drafts) {
		if (draft.id !== undefined || draft.piece.kind === "broken") continue;
		const place = draft.piece.offset.toString(16).padStart(8, "0");
		const isTaken = (id: string) => byId.has(id) || before.has(id);
		draft.id = isTaken(place) ? freeId(place, isTaken) : place;
		byId.set(draft.id, draft);
	}
}

/** Parents stand before their children in a file that was only ever appended to, and then there is no circle. */
function pointsForward({ parent, order }: Draft): boolean {
	return typeof parent === "object" && parent !== null && parent.order >= order;
}

function cutCircles(drafts: readonly Draft[], problems: LogProblem[]): void {
	const safe = new Set<Draft>();
	const cut = new Set<Draft>();
	for (const draft of drafts) {
		for (;;) {
			const circle = circleAbove(draft, safe);
			if (circle === undefined) break;
			const [first] = circle.toSorted((a, b) => a.order - b.order);
			if (!first) break;
			// The entry before it may itself lie below the circle: then it becomes a root.
			first.parent = cut.has(first) ? null : (drafts[first.order - 1] ?? null);
			cut.add(first);
		}
	}
	for (const draft of cut) if (draft.id !== undefined) problems.push({ kind: "cycle", id: draft.id });
}

/** Walks up from a draft; all that it passes is safe unless it comes back to one of them. */
function circleAbove(draft: Draft, safe: Set<Draft>): Draft[] | undefined {
	const passed = new Set<Draft>();
	let at: Draft | string | null = draft;
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

function finish(drafts: readonly Draft[]): Pick<Arrangement, "nodes" | "broken"> {
	const nodes: EntryNode[] = [];
	const broken: Arrangement["broken"] = [];
	for (const draft of drafts) {
		const node = nodeOf(draft);
		if (node) nodes.push(node);
		if (draft.piece.kind === "broken") broken.push({ piece: draft.piece, node });
	}
	return { nodes, broken };
}

function nodeOf({ piece, type, id, parent, timestamp }: Draft): EntryNode | undefined {
	if (id === undefined) return undefined;
	const { offset, length } = piece;
	const node: EntryNode = { type, id, parentId: livingId(parent), timestamp, offset, length };
	if (piece.kind === "broken") node.kept = tombstone(node);
	return node;
}

/** A damaged line that nothing names is not in the tree; its own parent is the nearest that is. */
function livingId(parent: Draft | string | null): string | null {
	let at = parent;
	while (typeof at === "object" && at !== null && at.id === undefined) at = at.parent;
	return typeof at === "object" && at !== null ? (at.id ?? null) : at;
}
