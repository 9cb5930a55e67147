/** One look at a page, and the difference between two of them. */
import type { Frame } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";
import { elementLines, type ElementLine } from "./elements.ts";
import { documentOf, type Refs } from "./refs.ts";
import { textLines } from "./texts.ts";
import type { PageTree } from "./tree.ts";

export interface Look {
	readonly title: string;
	/** Of the main frame: looks at different documents have nothing in common. */
	readonly document: string;
	readonly elements: readonly ElementLine[];
	readonly texts: readonly string[];
	readonly notes: readonly string[];
}

export function lookAt(tree: PageTree, mainFrame: Frame, refs: Refs): Look {
	return {
		title: tree.roots[0]?.role === "RootWebArea" ? tree.roots[0].name : "",
		document: documentOf(mainFrame),
		elements: elementLines(tree.roots, refs),
		texts: textLines(tree.roots),
		notes: tree.notes,
	};
}

/** The elements, at most 2,000 tokens of them; with words, only those that contain one of them. */
export function describeLook({ elements, texts, notes }: Look, words?: string): string {
	const wanted = words?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
	const matching =
		wanted.length === 0
			? elements
			: elements.filter(({ text }) => wanted.some((word) => text.toLowerCase().includes(word)));
	const shown = fitting(matching, limits.lookChars);
	const left = matching.length - shown.length;
	const lines = shown.map(({ text }) => text);
	if (matching.length === 0 && wanted.length > 0) lines.push(`No control matches ${wanted.join(" ")}.`);
	else if (matching.length === 0)
		lines.push(
			texts.length === 0 ? "The page is empty." : "The page has no controls. Use the view text to read it.",
		);
	if (left > 0) lines.push(`[${left} more: filter with text, or use the views outline and region]`);
	return [...lines, ...notes.map((note) => `[${note}]`)].join("\n");
}

/** What does not fit loses its links first: a page has more of them than of anything else. */
function fitting(elements: readonly ElementLine[], chars: number): ElementLine[] {
	let room = chars;
	const kept = new Set<ElementLine>();
	const isLink = ({ role }: ElementLine): boolean => role === "link";
	for (const part of [elements.filter((each) => !isLink(each)), elements.filter(isLink)])
		for (const element of part) {
			room -= element.text.length + 1;
			if (room < 0) break;
			kept.add(element);
		}
	return elements.filter((element) => kept.has(element));
}

/** Undefined if nothing has changed that a look shows. */
export function describeChange(before: Look, after: Look): string | undefined {
	const old = new Map(before.elements.map(({ ref, text }) => [ref, text]));
	const now = new Map(after.elements.map(({ ref, text }) => [ref, text]));
	const lines = [
		...after.elements.flatMap(({ ref, text }) => {
			const previous = old.get(ref);
			if (previous === undefined) return [`+ ${text}`];
			return previous === text ? [] : [`~ ${text}`];
		}),
		...before.elements.flatMap(({ ref, text }) => (now.has(ref) ? [] : [`- ${text}`])),
	];
	// The name of a control is a text of the page as well.
	const texts = textChanges(before.texts, after.texts);
	lines.push(
		...texts.filter(({ line }) => !lines.some((other) => other.endsWith(line))).map(({ text }) => text),
	);
	if (lines.length === 0) return undefined;
	let room: number = limits.diffChars;
	const end = lines.findIndex((line) => (room -= line.length + 1) < 0);
	const shown = end === -1 ? lines : lines.slice(0, end);
	const more = lines.length - shown.length;
	return [...shown, ...(more > 0 ? [`[${more} more changes: look to see all]`] : [])].join("\n");
}

/** A page that the model has seen: what has changed, unless a whole look is hardly longer. */
export function describeAgain(before: Look | undefined, after: Look): string {
	const whole = describeLook(after);
	if (before?.document !== after.document) return whole;
	const change = describeChange(before, after);
	const count = after.elements.length;
	const short = `${change ?? "Unchanged since the last result."}\n[${count} controls; full lists all]`;
	return short.length * limits.againShare > whole.length ? whole : short;
}

/** New and lost lines of text, without those that only moved. */
function textChanges(before: readonly string[], after: readonly string[]): { line: string; text: string }[] {
	if (before.length >= limits.textLines || after.length >= limits.textLines) return [];
	const [old, now] = [new Set(before), new Set(after)];
	return [
		...[...now].filter((line) => !old.has(line)).map((line) => ({ line, text: `+ "${line}"` })),
		...[...old].filter((line) => !now.has(line)).map((line) => ({ line, text: `- "${line}"` })),
	];
}
