/** The grapheme clusters of a line, and the positions of the caret between them. */
import { graphemes } from "@tau/sys";

import { limits } from "./limits.ts";

export interface Cluster {
	text: string;
	/** Its start in the line, in UTF-16 units. */
	index: number;
	cells: number;
}

/** A marker (markers.ts) is an unpaired low surrogate; it never joins its neighbors. */
export function isMarkerAt(line: string, at: number): boolean {
	return isLow(line.charCodeAt(at)) && !isHigh(line.charCodeAt(at - 1));
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

const loneSurrogate = /\p{Cs}/gu;

const printableAscii = /^[\x20-\x7e]*$/;

/** Every key lays out its line anew, so that most lines, which are ASCII, are not taken through the tables. */
export function clusters(line: string): Cluster[] {
	const all: Cluster[] = [];
	if (printableAscii.test(line)) {
		for (let index = 0; index < line.length; index++) all.push({ text: line.charAt(index), index, cells: 1 });
		return all;
	}
	let from = 0;
	for (const { index } of line.matchAll(loneSurrogate)) {
		addClusters(all, line, from, index);
		all.push({ text: line.charAt(index), index, cells: 1 });
		from = index + 1;
	}
	addClusters(all, line, from, line.length);
	return all;
}

function addClusters(all: Cluster[], line: string, from: number, to: number): void {
	for (const { text, index, cells } of graphemes(line.slice(from, to)))
		all.push({ text, index: index + from, cells });
}

/** The end of the cluster that begins at `col`. */
export function nextEdge(line: string, col: number): number {
	if (col >= line.length) return line.length;
	return isSureEdge(line, col + 1) ? col + 1 : clusterAt(line, col).to;
}

/** The start of the cluster that ends at `col`. */
export function previousEdge(line: string, col: number): number {
	if (col <= 0) return 0;
	return isSureEdge(line, col - 1) ? col - 1 : clusterAt(line, col - 1).from;
}

/** `col`, or the end of the cluster around it. */
export function snapForward(line: string, col: number): number {
	if (col <= 0) return 0;
	if (col >= line.length) return line.length;
	if (isSureEdge(line, col)) return col;
	const { from, to } = clusterAt(line, col);
	return from === col ? col : to;
}

/** Edges that need no context: at the ends, and between letters that never combine. */
function isSureEdge(line: string, at: number): boolean {
	if (at <= 0 || at >= line.length) return true;
	return isPlain(line.charCodeAt(at - 1)) && isPlain(line.charCodeAt(at));
}

/** Printable ASCII, and the ideographs: their neighbors never change where they end. */
function isPlain(unit: number): boolean {
	return (unit >= 0x20 && unit <= 0x7e) || (unit >= 0x4e00 && unit <= 0x9fff);
}

/** The cluster that contains the unit at `at`, computed from the nearest sure edge before it. */
function clusterAt(line: string, at: number): { from: number; to: number } {
	let from = at;
	while (from > 0 && !isSureEdge(line, from)) from--;
	let to = Math.min(line.length, at + limits.windowChars);
	for (;;) {
		const cluster = clusterWithin(line, from, to, at);
		// A cluster that reaches the end of the window may continue after it.
		if (cluster.to < to || to === line.length) return cluster;
		to = Math.min(line.length, to + (to - from));
	}
}

function clusterWithin(line: string, from: number, to: number, at: number): { from: number; to: number } {
	for (const { text, index } of clusters(line.slice(from, to))) {
		const end = from + index + text.length;
		if (end > at) return { from: from + index, to: end };
	}
	return { from: at, to };
}
