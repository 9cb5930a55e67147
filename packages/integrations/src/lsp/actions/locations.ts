/** Definitions, references and other locations in code: grouped by file, with their source lines. */
import type { Location, LocationLink, Range } from "vscode-languageserver-protocol";
import type { MachineFiles } from "@tau/sys";
import { cutUnits, isRecord, stripControls } from "@tau/utils";

import { pathOf } from "../client/diagnostic-store.ts";
import { PositionedText, type Encoding } from "../client/positions.ts";
import { shownFile } from "../diagnostics/report.ts";
import { limits } from "../limits.ts";

export interface CodeLocation {
	readonly path: string;
	readonly range: Range;
	/** What the server says about it, instead of the source line. */
	readonly label?: string;
}

/** A server answers with one location, several, links, or nothing. */
export function locationsOf(
	answer: Location | Location[] | LocationLink[] | null | undefined,
): CodeLocation[] {
	const all = Array.isArray(answer) ? answer : answer ? [answer] : [];
	return all.flatMap((one): CodeLocation[] => {
		if (!isRecord(one)) return [];
		const isLink = "targetUri" in one;
		const path = pathOf(isLink ? one.targetUri : one.uri);
		const range = isLink ? (one.targetSelectionRange ?? one.targetRange) : one.range;
		return path === undefined || !range ? [] : [{ path, range }];
	});
}

export interface LocationOptions {
	cwd: string;
	files: Pick<MachineFiles, "readText">;
	encoding: Encoding;
}

/** `12:5 source line`, in the order of files and lines. */
export async function locationRows(
	locations: readonly CodeLocation[],
	options: LocationOptions,
): Promise<string> {
	const sorted = unique(locations).toSorted(
		(a, b) =>
			compare(a.path, b.path) ||
			a.range.start.line - b.range.start.line ||
			a.range.start.character - b.range.start.character,
	);
	const rows: string[] = [];
	let text: { path: string; lines: PositionedText | undefined } | undefined;
	for (const { path, range, label } of sorted.slice(0, limits.locations)) {
		if (text?.path !== path) {
			rows.push(shownFile(options.cwd, path));
			text = { path, lines: await textOf(path, options) };
		}
		const { line } = range.start;
		const column = columnOf(text.lines, range, options.encoding);
		const source = label ?? text.lines?.line(line).trim() ?? "";
		rows.push(`  ${line + 1}:${column} ${cutUnits(stripControls(source), limits.rowChars)}`.trimEnd());
	}
	if (sorted.length > limits.locations) rows.push(`… and ${sorted.length - limits.locations} more`);
	return rows.join("\n");
}

/** Columns are shown in characters, whatever the server counts. */
function columnOf(text: PositionedText | undefined, { start }: Range, encoding: Encoding): number {
	if (!text || encoding === "utf-16") return start.character + 1;
	return text.offsetAt(start) - text.offsetAt({ line: start.line, character: 0 }) + 1;
}

async function textOf(
	path: string,
	{ files, encoding }: LocationOptions,
): Promise<PositionedText | undefined> {
	const file = await files.readText(path, path);
	return file.ok && file.text !== undefined ? new PositionedText(file.text, encoding) : undefined;
}

function unique(locations: readonly CodeLocation[]): CodeLocation[] {
	const seen = new Map(
		locations.map((location) => [
			`${location.path}\0${location.range.start.line}\0${location.range.start.character}`,
			location,
		]),
	);
	return [...seen.values()];
}

function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
