/** Reports what an edit did: the changed lines for the model, a diff for the UI. */
import { hashlineHeader, hashlineRows } from "../files/hashline.ts";
import { showHidden } from "../files/hidden-characters.ts";
import { limits as fileLimits } from "../files/limits.ts";
import type { LineText } from "../files/line-text.ts";
import { unifiedDiff, type Region, type TextDiff } from "../files/unified-diff.ts";
import { limits } from "./limits.ts";
import type { PlannedFile } from "./plan.ts";

export interface EditedFile {
	path: string;
	kind: "edited" | "created" | "deleted" | "moved";
	movedFrom?: string;
	added: number;
	removed: number;
}

export interface FileReport {
	text: string;
	/** The changed lines with their numbers, as pi writes them: for extensions that show them. */
	diff: string;
	/** The same as `diff -u` writes it. */
	patch: string;
	truncated: boolean;
	/** The changed lines of the new text. */
	regions: readonly Region[];
	file: EditedFile;
}

export function reportFile(planned: PlannedFile): FileReport {
	const { before, after, regions, notes, movedFrom } = planned;
	const diff = unifiedDiff(before, after, regions);
	const kind = kindOf(planned);
	const path = planned.change.before.shown;
	return {
		text: [`${headline(kind, planned, diff)}.`, ...notes].join(" "),
		diff: numberedDiff(diff.diff, before.count, after.count),
		patch: [diffHead(kind, movedFrom ?? path, path), diff.diff].filter(Boolean).join("\n"),
		truncated: diff.truncated,
		regions: diff.regions,
		file: {
			path,
			kind,
			...(movedFrom === undefined ? {} : { movedFrom }),
			added: diff.added,
			removed: diff.removed,
		},
	};
}

function kindOf({ change, movedFrom }: PlannedFile): EditedFile["kind"] {
	if (movedFrom !== undefined) return "moved";
	if (!change.after) return "deleted";
	return change.before.text === undefined ? "created" : "edited";
}

function headline(kind: EditedFile["kind"], planned: PlannedFile, diff: TextDiff): string {
	const { shown } = planned.change.before;
	const where =
		diff.regions.length === 0 ? "" : `: ${changedLines(diff.regions)} (+${diff.added} -${diff.removed})`;
	switch (kind) {
		case "created":
			return `Created ${shown} (${count(planned.after)})`;
		case "deleted":
			return `Deleted ${shown}`;
		case "moved":
			return `Moved ${planned.movedFrom} to ${shown}${where}`;
		case "edited":
			return `Edited ${shown}${where}`;
	}
}

function count(text: LineText): string {
	return `${text.count} ${text.count === 1 ? "line" : "lines"}`;
}

/** `lines 3-5, 9; deleted after line 20`, in numbers of the new text. */
function changedLines(regions: readonly Region[]): string {
	const shown = regions.slice(0, limits.namedPlaces);
	const there = shown
		.filter(({ newStart, newEnd }) => newEnd > newStart)
		.map(({ newStart, newEnd }) => (newEnd === newStart + 1 ? `${newEnd}` : `${newStart + 1}-${newEnd}`));
	const gone = shown
		.filter(({ newStart, newEnd }) => newEnd === newStart)
		.map(({ newStart }) => `${newStart}`);
	const parts = [
		...(there.length > 0 ? [numbered("", there)] : []),
		...(gone.length > 0 ? [numbered("deleted after ", gone)] : []),
	];
	const more = regions.length > shown.length ? ` and ${regions.length - shown.length} more` : "";
	return parts.join("; ") + more;
}

function numbered(verb: string, numbers: readonly string[]): string {
	const isOne = numbers.length === 1 && !numbers[0]?.includes("-");
	return `${verb}${isOne ? "line" : "lines"} ${numbers.join(", ")}`;
}

function diffHead(kind: EditedFile["kind"], before: string, after: string): string {
	const none = "/dev/null";
	return `--- ${kind === "created" ? none : before}\n+++ ${kind === "deleted" ? none : after}`;
}

/** ` 9 same`, `-10 old`, `+10 new`, with `...` where lines are left out. */
function numberedDiff(hunks: string, oldCount: number, newCount: number): string {
	const width = String(Math.max(oldCount, newCount, 1)).length;
	const gap = ` ${" ".repeat(width)} ...`;
	const rows: string[] = [];
	let [old, now] = [1, 1];
	for (const line of hunks === "" ? [] : hunks.split("\n")) {
		const [, oldStart, newStart] = /^@@ -(\d+)\S* \+(\d+)/.exec(line) ?? [];
		if (oldStart !== undefined) {
			if (Number(newStart) > now) rows.push(gap);
			[old, now] = [Number(oldStart), Number(newStart)];
			continue;
		}
		const sign = line.charAt(0);
		if (!/[-+ ]/.test(sign)) continue;
		rows.push(`${sign}${String(sign === "-" ? old : now).padStart(width)} ${line.slice(1)}`);
		if (sign !== "+") old++;
		if (sign !== "-") now++;
	}
	return rows.length > 0 && now <= newCount ? [...rows, gap].join("\n") : rows.join("\n");
}

/** The changed lines with their new numbers, so that the next edit needs no `read`. */
export function freshRows({ change, after }: PlannedFile, regions: readonly Region[], tag: string): string {
	const rows: string[] = [];
	let [room, shown] = [limits.excerptLines as number, 0];
	for (const { newStart, newEnd } of regions) {
		const first = Math.max(shown + 1, newStart + 1 - 2);
		const last = Math.min(after.count, newEnd + 2, first + room - 1);
		if (last < first) continue;
		if (shown > 0 && first > shown + 1) rows.push("…");
		rows.push(hashlineRows(after.lines(first, last).map(clean), first));
		room -= last - first + 1;
		shown = last;
	}
	return [hashlineHeader(change.before.shown, tag), ...rows].join("\n");
}

/** Numbered lines around a position. */
export function excerpt(text: LineText, first: number, last: number): string {
	const from = Math.max(1, first - limits.excerptContext);
	const to = Math.min(text.count, last + limits.excerptContext, from + limits.excerptLines - 1);
	return hashlineRows(text.lines(from, to).map(clean), from);
}

function clean(line: string): string {
	return showHidden(line.slice(0, fileLimits.diffLineChars));
}
