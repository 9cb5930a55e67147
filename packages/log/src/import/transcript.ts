/** A conversation of another program, in terms of a session: what its readers give and what is written down. */
import type { Usage } from "@tau/ai";

import type { EntryFields } from "../log/tree/entry.ts";

/** An entry before it has its id. */
export interface ImportedEntry {
	/** What the entry is called in its source; the same at every reading. */
	key: string;
	parent: string | null;
	timestamp: string;
	fields: EntryFields;
}

export interface Transcript {
	id: string;
	/** When it started. */
	timestamp: string;
	/** Empty where the file does not say. */
	cwd: string;
	title?: string;
	/** Each after its parent. */
	entries: ImportedEntry[];
	/** Where the conversation continues. */
	leaf: string | null;
	/** Lines of which nothing is known, by kind. */
	unknown: Map<string, number>;
}

/** A line of the source, read. */
export interface SourceLine {
	/** Counted from 1. */
	number: number;
	/** Undefined when it is no JSON object. */
	value: Record<string, unknown> | undefined;
}

/** A session of which only this is known gets the rest from its file. */
export interface SourceFile {
	path: string;
	/** When it was written last. */
	modified: Date;
}

export function count(kinds: Map<string, number>, kind: string): void {
	kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
}

export function noUsage(): Usage {
	const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
	return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
}
