/** Which diagnostics of a changed file are new: those that had no counterpart before the change. */
import type { Diagnostic } from "vscode-languageserver-protocol";
import { cutUnits, oneLine } from "@tau/utils";

import { replacedRange, lineStarts } from "../client/positions.ts";
import { limits } from "../limits.ts";

/** One problem as it is shown and stored; lines and columns count from 1. */
export interface Problem {
	readonly path: string;
	readonly line: number;
	readonly column: number;
	readonly severity: "error" | "warning" | "info" | "hint";
	readonly message: string;
	/** Such as `ts(2322)`. */
	readonly code?: string;
}

const severities = ["error", "warning", "info", "hint"] as const;

export function problemOf(path: string, { range, severity, message, code, source }: Diagnostic): Problem {
	const [first = ""] = String(message).split("\n");
	const name = [typeof source === "string" ? source : "", code === undefined ? "" : `(${String(code)})`].join(
		"",
	);
	return {
		path,
		line: Number(range?.start?.line ?? 0) + 1,
		column: Number(range?.start?.character ?? 0) + 1,
		severity: severities[(severity ?? 1) - 1] ?? "error",
		message: oneLine(first, limits.diagnosticChars),
		...(name === "" ? {} : { code: cutUnits(oneLine(name, 40), 40) }),
	};
}

/** `before` belongs to the old text. Without it nothing is known to be old. */
export function newDiagnostics(
	before: readonly Diagnostic[],
	after: readonly Diagnostic[],
	texts: { before: string; after: string },
): Diagnostic[] {
	const moved = lineMap(texts);
	const places = countOf(before.map((one) => `${keyOf(one)}\0${moved(one.range.start.line)}`));
	const unplaced = after.filter((one) => !take(places, `${keyOf(one)}\0${one.range.start.line}`));
	// The same problem on another line is the old one, as long as there are old ones left.
	const rest = countOf(
		[...places].flatMap(([place, count]) =>
			Array.from({ length: count }, () => place.slice(0, place.lastIndexOf("\0"))),
		),
	);
	return unplaced.filter((one) => !take(rest, keyOf(one)));
}

function keyOf({ severity, code, source, message }: Diagnostic): string {
	return [severity ?? 1, source ?? "", code ?? "", message].join("\0");
}

function countOf(keys: readonly string[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
	return counts;
}

function take(counts: Map<string, number>, key: string): boolean {
	const count = counts.get(key) ?? 0;
	if (count === 0) return false;
	counts.set(key, count - 1);
	return true;
}

/** Where a line of the old text is in the new one; lines behind the change move with it. */
function lineMap({ before, after }: { before: string; after: string }): (line: number) => number {
	if (before === after) return (line) => line;
	const { start, end } = replacedRange(before, after);
	const first = lineStarts(before.slice(0, start)).length - 1;
	const last = lineStarts(before.slice(0, end)).length - 1;
	const shift = lineStarts(after).length - lineStarts(before).length;
	return (line) => (line <= first ? line : line >= last ? line + shift : line);
}
