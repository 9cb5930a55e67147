/** Merges two versions of a text that go back to the same one, as `git merge-file` does. */
import { editScript, type EditPart } from "@tau/utils/edit-script";

import { limits } from "./limits.ts";

export interface ThreeWay {
	readonly text: string;
	readonly conflicts: number;
}

/** Conflicts are marked in the text; `names` are those of the two sides. */
export function mergeTexts(
	base: string,
	ours: string,
	theirs: string,
	names: { ours: string; theirs: string } = { ours: "project", theirs: "agent" },
): ThreeWay {
	const [o, a, b] = [linesOf(base), linesOf(ours), linesOf(theirs)];
	const [toOurs, toTheirs] = [changed(o, a), changed(o, b)];
	const out: string[] = [];
	let conflicts = 0;
	let [at, i, j] = [0, 0, 0];
	while (i < toOurs.length || j < toTheirs.length) {
		const region = overlap(toOurs, i, toTheirs, j);
		out.push(...o.slice(at, region.from));
		const old = o.slice(region.from, region.to);
		const mine = side(a, toOurs.slice(i, region.i), region) ?? old;
		const other = side(b, toTheirs.slice(j, region.j), region) ?? old;
		if (isSame(mine, other) || isSame(other, old)) out.push(...mine);
		else if (isSame(mine, old)) out.push(...other);
		else {
			conflicts++;
			const ended = (lines: readonly string[]): string[] => lines.map((line) => line.replace(/\n?$/, "\n"));
			out.push(`<<<<<<< ${names.ours}\n`, ...ended(mine), "=======\n", ...ended(other));
			out.push(`>>>>>>> ${names.theirs}\n`);
		}
		[at, i, j] = [region.to, region.i, region.j];
	}
	out.push(...o.slice(at));
	return { text: out.join(""), conflicts };
}

/** A range of the base that one or both sides have changed, and the changes after it. */
interface Region {
	readonly from: number;
	readonly to: number;
	readonly i: number;
	readonly j: number;
}

/** Changes that touch are one region: which of them comes first cannot be known. */
function overlap(ours: readonly EditPart[], i: number, theirs: readonly EditPart[], j: number): Region {
	const starts = [ours[i]?.before[0], theirs[j]?.before[0]].filter((start) => start !== undefined);
	const from = Math.min(...starts);
	let to = from;
	for (;;) {
		const mine = ours[i];
		const other = theirs[j];
		if (mine && mine.before[0] <= to) {
			to = Math.max(to, mine.before[1]);
			i++;
		} else if (other && other.before[0] <= to) {
			to = Math.max(to, other.before[1]);
			j++;
		} else return { from, to, i, j };
	}
}

/** One side's lines of a region: the changes that it has there, and the lines around them. Undefined without changes. */
function side(
	lines: readonly string[],
	parts: readonly EditPart[],
	{ from, to }: Region,
): readonly string[] | undefined {
	const [first, last] = [parts[0], parts.at(-1)];
	if (!first || !last) return undefined;
	return lines.slice(first.after[0] - (first.before[0] - from), last.after[1] + (to - last.before[1]));
}

function changed(before: readonly string[], after: readonly string[]): EditPart[] {
	return editScript(before, after, limits.lineEdits).filter((part) => !part.isSame);
}

function linesOf(text: string): string[] {
	return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
	return one.length === other.length && one.every((line, index) => line === other[index]);
}
