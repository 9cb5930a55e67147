/** Reads values of files that other programs wrote, which may hold anything. */
import { isRecord } from "@tau/utils";

import { nanos } from "../lines/usage-line.ts";
import { limits } from "../limits.ts";

export type Json = Readonly<Record<string, unknown>>;

export function object(value: unknown): Json {
	return isRecord(value) ? value : {};
}

export function text(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/** Counts of tokens and milliseconds: what is negative, no number, or too large to be one is none. */
export function count(value: unknown): number {
	return typeof value === "number" && value > 0 && value <= limits.count ? Math.round(value) : 0;
}

/** Nano-dollars of dollars, under the same rules; a correction may be negative. */
export function amount(dollars: unknown): number {
	return typeof dollars === "number" && Math.abs(dollars) <= limits.dollars ? nanos(dollars) : 0;
}

export function list(value: unknown): Json[] {
	return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** As `Date.now()`, from a number or an ISO time; 0 for neither. */
export function time(value: unknown): number {
	const at = typeof value === "string" ? Date.parse(value) : value;
	return typeof at === "number" && at > 0 && at <= limits.latest ? Math.round(at) : 0;
}

/** Undefined for what is not a JSON object, such as a torn line. */
export function parse(json: string): Json | undefined {
	try {
		const value: unknown = JSON.parse(json);
		return isRecord(value) ? value : undefined;
	} catch {
		// Left out: the line was torn, and its program says so where it reads it.
		return undefined;
	}
}

/** The words of a message: text, or blocks of which some have text. */
export function words(content: unknown): string {
	if (typeof content === "string") return content;
	return list(content)
		.map((block) => text(block.text))
		.join(" ");
}
