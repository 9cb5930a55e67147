/** How an entry refers to a payload outside of it, and where in an entry payloads may be. */
import { isRecord } from "@tau/utils";

import { limits } from "../limits.ts";

const prefix = "blob:sha256:";

/** The text in every line with a reference, for a search in its bytes. */
export const referenceMark = Buffer.from(prefix);

/** The length of a hash in hex. */
const hashChars = 64;

/** The length of a reference. A part of a file that is searched overlaps the next by less. */
export const referenceBytes = referenceMark.length + hashChars;

export function referenceTo(hash: string): string {
	return prefix + hash;
}

/** Returns the hash if the text is nothing but a reference. */
export function referredHash(text: unknown): string | undefined {
	if (typeof text !== "string" || !text.startsWith(prefix)) return undefined;
	const hash = text.slice(prefix.length);
	return isHash(hash) ? hash : undefined;
}

export function isHash(text: string): boolean {
	return text.length === hashChars && /^[0-9a-f]+$/.test(text);
}

/** Returns all references in a part of a session file, however damaged the lines are. */
export function* hashesIn(bytes: Buffer): Generator<string> {
	for (let at = bytes.indexOf(referenceMark); at !== -1; at = bytes.indexOf(referenceMark, at + 1)) {
		const hash = bytes.toString("latin1", at + referenceMark.length, at + referenceBytes);
		if (isHash(hash)) yield hash;
	}
}

type Change = (record: Record<string, unknown>) => Record<string, unknown> | undefined;

/** Replaces records anywhere in a value; returns the value itself if nothing changed. */
export function changeRecords<T>(value: T, change: Change): T {
	// Only the results of `change` differ, and they match the type if the caller returns the same kind.
	return changed(value, change, 0) as T;
}

function changed(value: unknown, change: Change, depth: number): unknown {
	if (typeof value !== "object" || value === null || depth > limits.payloadDepth) return value;
	if (Array.isArray(value)) return changedItems(value, change, depth);
	if (!isRecord(value)) return value;
	const other = change(value);
	if (other) return other;
	let copy: Record<string, unknown> | undefined;
	for (const key of Object.keys(value)) {
		const before = value[key];
		const after = changed(before, change, depth + 1);
		if (after !== before) (copy ??= { ...value })[key] = after;
	}
	return copy ?? value;
}

function changedItems(items: unknown[], change: Change, depth: number): unknown[] {
	let copy: unknown[] | undefined;
	for (const [index, before] of items.entries()) {
		const after = changed(before, change, depth + 1);
		if (after !== before) (copy ??= [...items])[index] = after;
	}
	return copy ?? items;
}
