/** Finds the first field in which two documents differ, in words for a report. */
import { isRecord, stripControls } from "@tau/utils";

import { limits } from "./limits.ts";

export interface Difference {
	/** Such as `messages[3].content[0].text`. */
	readonly field: string;
	readonly recorded: string;
	readonly actual: string;
}

/** Undefined if they are the same. */
export function firstDifference(recorded: unknown, actual: unknown, field = ""): Difference | undefined {
	if (Object.is(recorded, actual)) return undefined;
	if (Array.isArray(recorded) && Array.isArray(actual)) {
		for (let at = 0; at < Math.max(recorded.length, actual.length); at++) {
			const difference = firstDifference(recorded[at], actual[at], `${field}[${at}]`);
			if (difference) return difference;
		}
		return undefined;
	}
	if (isRecord(recorded) && isRecord(actual)) {
		for (const key of new Set([...Object.keys(recorded), ...Object.keys(actual)])) {
			const difference = firstDifference(recorded[key], actual[key], field === "" ? key : `${field}.${key}`);
			if (difference) return difference;
		}
		return undefined;
	}
	const [one, other] = [shown(recorded), shown(actual)];
	const at = firstChange(one, other);
	return { field, recorded: excerpt(one, at), actual: excerpt(other, at) };
}

export function describe({ field, recorded, actual }: Difference): string {
	return `${field || "the whole"}: recorded ${recorded}, now ${actual}`;
}

function shown(value: unknown): string {
	return value === undefined ? "nothing" : (JSON.stringify(value) ?? String(value));
}

function firstChange(one: string, other: string): number {
	let at = 0;
	while (at < one.length && one[at] === other[at]) at++;
	return at;
}

/** A long text from a little before the place where it differs. */
function excerpt(text: string, at: number): string {
	const from = Math.max(0, at - limits.leadChars);
	const to = from + limits.shownChars;
	const part = stripControls(text.slice(from, to), { newline: false, tab: false });
	return `${from > 0 ? "…" : ""}${part}${to < text.length ? "…" : ""}`;
}
