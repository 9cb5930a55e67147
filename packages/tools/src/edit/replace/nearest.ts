/** Finds the part of a file that is most similar to a text that does not occur in it, and shows the difference. */
import { LineText } from "../../files/line-text.ts";
import { everything, unifiedDiff } from "../../files/unified-diff.ts";
import { limits } from "../limits.ts";
import { unseenDifferences } from "./look-alike.ts";

/** Describes the nearest match, with a diff; `given` is the model's name for its text. Empty if nothing is similar. */
export function describeNearest(file: LineText, oldText: string, value: string): string {
	const near = nearestMatch(file, oldText);
	if (!near) return "";
	const { line, diff, unseen } = near;
	if (diff === "") return `The same lines are at line ${line}.`;
	const head = `The closest match is at line ${line}; - is ${value}, + is the file:`;
	return [head, diff, ...unseen].join("\n");
}

interface NearMatch {
	/** Its first line, from 1. */
	line: number;
	diff: string;
	/** Differences that the diff does not show. */
	unseen: string[];
}

function nearestMatch(file: LineText, oldText: string): NearMatch | undefined {
	const sought = oldText.replace(/\n$/, "").split("\n").slice(0, limits.nearestLines);
	const start = byEqualLines(file, sought) ?? byLikeness(file, sought);
	if (start === undefined) return undefined;
	const first = Math.min(Math.max(start, 0), file.count - 1);
	const there = file.lines(first + 1, first + sought.length);
	const [old, now] = [sought, there].map((lines) => new LineText(`${lines.join("\n")}\n`));
	if (!old || !now) return undefined;
	const { diff } = unifiedDiff(old, now, everything(old, now));
	// The line numbers of the hunk header are relative to the excerpt and would mislead.
	const unseen = there.flatMap((line, index) => {
		const differences = unseenDifferences(sought[index] ?? "", line);
		return differences ? [`Line ${first + 1 + index} only looks the same: ${differences.join("; ")}.`] : [];
	});
	return { line: first + 1, diff: diff.replaceAll(/^@@.*@@\n/gm, ""), unseen };
}

/** Every line that is the same apart from blanks votes for where the text would begin. */
function byEqualLines(file: LineText, sought: readonly string[]): number | undefined {
	const wanted = new Map<string, number[]>();
	for (const [index, line] of sought.entries()) {
		const key = line.trim();
		if (key.length > 1) wanted.set(key, [...(wanted.get(key) ?? []), index]);
	}
	if (wanted.size === 0) return undefined;
	const votes = new Map<number, number>();
	for (let line = 0; line < file.count; line++) {
		const key = file.line(line + 1).trim();
		for (const index of wanted.get(key) ?? []) {
			// A long line is stronger evidence than a short one.
			votes.set(line - index, (votes.get(line - index) ?? 0) + key.length);
		}
	}
	return [...votes].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

/** The line that shares the most bigrams with the longest line of the text. */
function byLikeness(file: LineText, sought: readonly string[]): number | undefined {
	const index = sought.reduce(
		(best, line, at) => (line.trim().length > (sought[best]?.trim().length ?? 0) ? at : best),
		0,
	);
	const pairs = pairsOf(sought[index]?.trim() ?? "");
	if (pairs.size === 0) return undefined;
	let best: { line: number; score: number } | undefined;
	for (let line = 0; line < Math.min(file.count, limits.nearestScan); line++) {
		const other = pairsOf(file.line(line + 1).trim());
		let common = 0;
		for (const pair of other) if (pairs.has(pair)) common++;
		const score = (2 * common) / (pairs.size + other.size);
		if (score > (best?.score ?? 0.4)) best = { line, score };
	}
	return best && best.line - index;
}

function pairsOf(text: string): Set<string> {
	const pairs = new Set<string>();
	for (let at = 0; at + 1 < Math.min(text.length, 200); at++) pairs.add(text.slice(at, at + 2));
	return pairs;
}
