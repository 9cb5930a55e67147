/** Quotes any text as one word for bash, unchanged. */

const plain = /^[\w@%+:,./-]+$/;

/** NUL is the one character that no argument of a process can contain; callers reject it before. */
export function shellQuote(text: string): string {
	return plain.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A path as a user types it: `~/` is the home folder, everything else is literal. */
export function shellPath(path: string): string {
	if (path === "~") return '"$HOME"';
	return path.startsWith("~/") ? `"$HOME"/${shellQuote(path.slice(2))}` : shellQuote(path);
}
