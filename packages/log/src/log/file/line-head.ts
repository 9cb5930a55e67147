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

/** The usual types, so that 10,000 entries do not each have a copy of the word. */
const types = new Map(["message", "custom", "custom_message", "usage", "label"].map((type) => [type, type]));

/** Returns undefined if the keys are missing or in another order. `before`: an id that the parent may share. */
export function quickHead(bytes: Buffer, start: number, end: number, before?: string): EntryHead | undefined {
	const match = inOrder.exec(bytes.toString("latin1", start, Math.min(end, start + limits.headBytes)));
	if (!match) return undefined;
	const [all, type = "", id = "", parentId, timestamp = ""] = match;
	const typeAt = start + '{"type":"'.length;
	const idAt = typeAt + type.length + '","id":"'.length;
	const parentAt = idAt + id.length + '","parentId":"'.length;
	return {
		type: types.get(type) ?? copy(bytes, typeAt, type),
		id: copy(bytes, idAt, id),
		parentId: parentId === undefined ? null : parentId === before ? before : copy(bytes, parentAt, parentId),
		timestamp: copy(bytes, start + all.length - '",'.length - timestamp.length, timestamp),
	};
}

/** What is matched is a part of the text that was searched, and would keep all of it in memory: 3 MB of 10,000 entries. */
function copy(bytes: Buffer, at: number, { length }: string): string {
	return bytes.toString("latin1", at, at + length);
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
