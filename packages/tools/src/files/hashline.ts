/** The lines of a file as `read` shows them and `edit` names them: `[path#TAG]`, then `LINE:text`. */

/** No letters that look like digits. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const tagChars = 4;

/** A short name for a text: the same text always has the same one. A byte order mark does not count. */
export function fileTag(text: string): string {
	return tagOf(textHash(text));
}

export function textHash(text: string): bigint {
	return Bun.hash.xxHash64(text.startsWith("\ufeff") ? text.slice(1) : text);
}

export function tagOf(hash: bigint): string {
	let tag = "";
	for (let at = 0; at < tagChars; at++) tag += alphabet[Number((hash >> BigInt(5 * at)) & 31n)];
	return tag;
}

export function hashlineHeader(path: string, tag: string): string {
	return `[${path}#${tag}]`;
}

/** `first` is the number of the first line; the lines have no ends and are clean already. */
export function hashlineRows(lines: readonly string[], first: number): string {
	return lines.map((line, index) => `${first + index}:${line}`).join("\n");
}

export interface Stripped {
	text: string;
	/** True when there was something to remove. */
	stripped: boolean;
}

/** Removes headers and numbers that were copied from the output of `read`, if all lines are numbered in order. */
export function stripHashlines(text: string): Stripped {
	const lines = text.split("\n");
	const hasHeader = /^\[.+#[0-9A-Z]{4}\]$/.test(lines[0] ?? "");
	const rows = hasHeader ? lines.slice(1) : lines;
	const tail = rows.at(-1) === "" ? [""] : [];
	const body = tail.length > 0 ? rows.slice(0, -1) : rows;
	const first = Number(/^(\d+):/.exec(body[0] ?? "")?.[1]);
	const isNumbered =
		(hasHeader || body.length > 1) &&
		body.length > 0 &&
		body.every((row, index) => row.startsWith(`${first + index}:`));
	if (!isNumbered) return { text, stripped: false };
	const bare = body.map((row) => row.slice(row.indexOf(":") + 1));
	return { text: [...bare, ...tail].join("\n"), stripped: true };
}
