/** The prefixes of a leaf's rows (bars of quotes, markers and indents of items), and the space between leaves. */
import { visibleWidth } from "../text.ts";
import type { Container, Item, Leaf } from "./leaf.ts";
import type { Look } from "./theme.ts";

export interface Prefix {
	/** The prefix of the first row, and of all others. */
	first: string;
	rest: string;
	cells: number;
}

/** The minimum width of text, or half of a narrow screen; the outer prefixes of deeper nesting are left out. */
const leastCells = 10;

/** The number of containers that two leaves share. */
export function sharedDepth(before: Leaf | undefined, leaf: Leaf): number {
	if (before === undefined) return 0;
	let depth = 0;
	while (depth < leaf.path.length && leaf.path[depth] === before.path[depth]) depth++;
	return depth;
}

const noPrefix: Prefix = { first: "", rest: "", cells: 0 };

/** Containers that the previous leaf was in too continue; the others begin. */
export function prefixOf(leaf: Leaf, shared: number, width: number, look: Look): Prefix {
	if (leaf.path.length === 0) return noPrefix;
	let [first, rest, cells] = ["", "", 0];
	for (let at = leaf.path.length - 1; at >= 0; at--) {
		const container = leaf.path[at];
		if (container === undefined || container.kind === "list") continue;
		const box = at === leaf.path.length - 1 ? boxOf(leaf, shared) : undefined;
		const [sign, indent] = signOf(container, at >= shared, look, box);
		const needed = visibleWidth(indent);
		if (width - cells - needed < Math.min(leastCells, Math.floor(width / 2))) break;
		cells += needed;
		first = sign + first;
		rest = indent + rest;
	}
	return { first, rest, cells };
}

function signOf(
	container: Exclude<Container, { kind: "list" }>,
	isFirst: boolean,
	look: Look,
	box: string | undefined,
): [string, string] {
	const { theme } = look;
	if (container.kind === "quote") return [theme.quoteBorder("│ "), theme.quoteBorder("│ ")];
	const marker = markerOf(container, box);
	const space = " ".repeat(visibleWidth(marker));
	return [isFirst ? theme.listBullet(marker) : space, space];
}

function markerOf({ list, index }: Item, box: string | undefined): string {
	if (list.ordered) return `${list.start + index}${list.sign} ${box === undefined ? "" : `${box} `}`;
	return `${box ?? "•"} `;
}

const task = /^\[([ xX])\] /;

/** The box of a task: its first paragraph begins with one. */
function boxOf(leaf: Leaf, shared: number): string | undefined {
	const isFirst = leaf.path.at(-1)?.kind === "item" && shared < leaf.path.length;
	if (!isFirst || leaf.kind !== "paragraph" || leaf.continues) return undefined;
	const state = task.exec(leaf.text)?.[1];
	return state === undefined ? undefined : state === " " ? "☐" : "☑";
}

/** The leaf without the box that stands in front of it. */
export function withoutBox(leaf: Leaf, shared: number): Leaf {
	if (leaf.kind !== "paragraph" || boxOf(leaf, shared) === undefined) return leaf;
	return { ...leaf, text: leaf.text.replace(task, "") };
}

/** Whether an empty row separates two leaves. */
export function hasGap(before: Leaf | undefined, leaf: Leaf, shared: number): boolean {
	if (before === undefined || (leaf.kind === "paragraph" && leaf.continues)) return false;
	const around = leaf.path[shared - 1]?.kind;
	// Lists are as tight as they are written.
	if (around === "item" || around === "list") return leaf.blank;
	const startsList = leaf.path[shared]?.kind === "list";
	const isIntroduced = startsList && before.kind === "paragraph" && before.path.length === shared;
	return !isIntroduced || leaf.blank;
}

export function isInQuote(leaf: Leaf): boolean {
	return leaf.path.some(({ kind }) => kind === "quote");
}
