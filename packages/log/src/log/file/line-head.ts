/** Reads type, id, parentId and timestamp of an entry from the first bytes of its line, without parsing the rest. */
import type { EntryHead } from "../tree/entry.ts";
import { limits } from "../limits.ts";

/** The head as it is in a file: an id or a parent may be missing in version 1 and after damage. */
export interface RawHead {
	type: string;
	id: string | undefined;
	parentId: string | null | undefined;
	timestamp: string;
}

/** A JSON string of plain ASCII; anything else is left to a real parser. */
const word = String.raw`"([ !#-\[\]-~]+)"`;
const inOrder = new RegExp(
	`^\\{"type":${word},"id":${word},"parentId":(?:null|${word}),"timestamp":${word}[,}]`,
);

/** Returns undefined if the keys are missing or in another order. */
export function quickHead(bytes: Buffer, start: number, end: number): EntryHead | undefined {
	const match = inOrder.exec(bytes.toString("latin1", start, Math.min(end, start + limits.headBytes)));
	if (!match) return undefined;
	const [, type = "", id = "", parentId = null, timestamp = ""] = match;
	return { type, id, parentId, timestamp };
}

export function parsedHead(value: Record<string, unknown>): RawHead {
	const { type, id, parentId, timestamp } = value;
	return {
		type: typeof type === "string" ? type : "unknown",
		id: typeof id === "string" && id !== "" ? id : undefined,
		parentId: typeof parentId === "string" || parentId === null ? parentId : undefined,
		timestamp: typeof timestamp === "string" ? timestamp : "",
	};
}
