/** Reads the text of PDF and Office documents, all of it or some pages. */
import type { AgentToolResult } from "@tau/agent";
import { documentKind, documentText, type DocumentKind } from "@tau/sys";

import { errorResult } from "../tool/result.ts";
import { rangeOf, type ReadRequest } from "./read-request.ts";
import { humanSize } from "./human-size.ts";
import { limits } from "./limits.ts";
import { linesOf, showText } from "./show-text.ts";
import type { Source } from "./source.ts";

/** A PDF is identified by its content; the others are ZIP archives or text, identified by name only. */
export function documentOf(name: string, head: Uint8Array): DocumentKind | undefined {
	const start = Buffer.from(head.subarray(0, 1024)).toString("latin1");
	if (start.includes("%PDF-")) return "pdf";
	const kind = documentKind(name);
	if (kind === "rtf") return start.startsWith("{\\rtf") ? kind : undefined;
	return kind !== undefined && kind !== "pdf" && start.startsWith("PK") ? kind : undefined;
}

/** The range of the path counts pages; the arguments count lines of their text. */
export async function readDocument(
	source: Source,
	kind: DocumentKind,
	request: ReadRequest,
	signal: AbortSignal,
): Promise<AgentToolResult> {
	const { shown } = source;
	const asRange = rangeOf(shown, request, "pages");
	if (!asRange.ok) return errorResult(asRange.reason);
	const bytes = await source.bytes(limits.mediaBytes);
	if (!bytes) {
		return errorResult(
			`${shown} is too large (${humanSize(source.size)}). Documents can have at most ${humanSize(limits.mediaBytes)}.`,
		);
	}
	const { range } = asRange;
	const pages = range && {
		first: Math.max(1, range.first),
		last: range.last ?? Number.MAX_SAFE_INTEGER,
	};
	const read = await documentText(bytes, kind, { signal, ...(pages ? { pages } : {}) });
	if (!read.ok) return errorResult(`${shown}: ${read.message}`);
	const notes: string[] = [];
	if (read.lastPage !== undefined && (range?.last ?? Number.MAX_SAFE_INTEGER) > read.lastPage) {
		notes.push(`there are ${read.pages} pages; continue with ${shown}:${read.lastPage + 1}-`);
	}
	if (read.truncated) notes.push("the text was too long to read in full: request fewer pages");
	return showText(read.text, linesOf(request), {
		shown: range ? `${shown}:${request.selector ?? ""}` : shown,
		style: "plain",
		notes,
		details: { kind, ...(read.pages === undefined ? {} : { pages: read.pages }) },
	});
}
