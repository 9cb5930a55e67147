/** What would be shared: masked, small enough, and described so that the user can decide. */
import { isRecord } from "@tau/utils";
import { maskValue, type FoundSecret, type KnownSecrets } from "@tau/utils/secrets";
import type { ShareDocument } from "@tau/wire/share";

import { limits } from "./limits.ts";

export interface PreparedShare {
	readonly document: ShareDocument;
	/** JSON of the document, compressed. */
	readonly packed: Uint8Array<ArrayBuffer>;
	readonly found: readonly FoundSecret[];
	readonly kept: ReadonlySet<string>;
	readonly images: { readonly count: number; readonly bytes: number };
	/** Paths that calls were about. */
	readonly files: readonly string[];
	readonly bytes: number;
	/** What was left out to make it fit; empty if nothing was. */
	readonly trimmed: string;
}

export interface PrepareOptions {
	readonly known: KnownSecrets;
	/** `share.redactSecrets`. */
	readonly redact: boolean;
	/** Ids of findings that stay. */
	readonly keep?: ReadonlySet<string>;
	readonly maxBytes: number;
}

/** Throws with the reason if it cannot be made small enough. */
export function prepareShare(
	whole: ShareDocument,
	{ known, redact, keep = new Set(), maxBytes }: PrepareOptions,
): PreparedShare {
	const { value, found } = redact ? maskValue(whole, known, keep) : { value: whole, found: [] };
	const masked = { ...value, masked: found.filter(({ id }) => !keep.has(id)).length };
	const { document, packed, bytes, trimmed } = fitted(masked, maxBytes);
	return {
		document,
		packed,
		bytes,
		trimmed,
		found,
		kept: keep,
		images: imagesIn(document),
		files: filesIn(document),
	};
}

/** Images go first, then the ends of long texts, then the oldest entries. */
function fitted(
	document: ShareDocument,
	maxBytes: number,
): { document: ShareDocument; packed: Uint8Array<ArrayBuffer>; bytes: number; trimmed: string } {
	const trims: [(from: ShareDocument) => ShareDocument, string][] = [
		[(from) => from, ""],
		[(from) => mapped(from, withoutImage), "Images were left out to make it fit."],
		...limits.textChars.map((most): [(from: ShareDocument) => ShareDocument, string] => [
			(from) => mapped(mapped(from, withoutImage), shortened(most)),
			`Images and texts over ${most.toLocaleString("en-US")} characters were cut to make it fit.`,
		]),
		[
			(from) => newestEntries(mapped(mapped(from, withoutImage), shortened(limits.textChars.at(-1) ?? 0))),
			"Images, long texts and the older half of the session were left out to make it fit.",
		],
	];
	for (const [trim, trimmed] of trims) {
		const smaller = trim(document);
		const json = Buffer.from(JSON.stringify(smaller));
		const packed = new Uint8Array(Bun.zstdCompressSync(json, { level: limits.zstdLevel }));
		if (packed.length <= maxBytes) return { document: smaller, packed, bytes: json.length, trimmed };
	}
	throw new Error(
		`Session too large to share: at most ${Math.round(maxBytes / 1e6)} MB. Fork a shorter part of it with /fork, or use /export.`,
	);
}

function mapped(document: ShareDocument, change: (value: unknown) => unknown): ShareDocument {
	const { entries, agents } = document;
	const copy = (value: unknown): unknown => {
		const changed = change(value);
		if (Array.isArray(changed)) return changed.map(copy);
		if (!isRecord(changed)) return changed;
		return Object.fromEntries(Object.entries(changed).map(([name, field]) => [name, copy(field)]));
	};
	// Only texts and images are replaced: the shape stays.
	return { ...document, entries: entries.map(copy), agents: agents.map(copy) } as ShareDocument;
}

function withoutImage(value: unknown): unknown {
	if (!isRecord(value) || value.type !== "image") return value;
	return { type: "text", text: `[image left out: ${String(value.mimeType)}]` };
}

function shortened(most: number): (value: unknown) => unknown {
	return (value) =>
		typeof value === "string" && value.length > most
			? `${value.slice(0, most)}… [${value.length - most} characters left out]`
			: value;
}

function newestEntries(document: ShareDocument): ShareDocument {
	const kept = document.entries.slice(Math.floor(document.entries.length / 2));
	const ids = new Set(kept.map(({ id }) => id));
	const entries = kept.map((entry) => ({
		...entry,
		parentId: entry.parentId !== null && ids.has(entry.parentId) ? entry.parentId : null,
	}));
	return { ...document, entries, agents: [] };
}

function imagesIn(document: ShareDocument): PreparedShare["images"] {
	let [count, bytes] = [0, 0];
	visit(document, (value) => {
		if (value.type !== "image" || typeof value.data !== "string") return;
		count++;
		bytes += Math.floor(value.data.length * 0.75);
	});
	return { count, bytes };
}

const pathFields = ["path", "file_path", "file"];

function filesIn(document: ShareDocument): string[] {
	const files = new Set<string>();
	visit(document, (value) => {
		if (value.type !== "toolCall" || !isRecord(value.arguments)) return;
		for (const name of pathFields) {
			const path = value.arguments[name];
			if (typeof path === "string" && path !== "") files.add(path);
		}
	});
	return [...files];
}

function visit(value: unknown, see: (record: Record<string, unknown>) => void): void {
	if (Array.isArray(value)) for (const item of value) visit(item, see);
	else if (isRecord(value)) {
		see(value);
		for (const field of Object.values(value)) visit(field, see);
	}
}
