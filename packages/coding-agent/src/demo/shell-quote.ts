/** Makes any text one word for bash, exactly as it is. */

const plain = /^[\w@%+:,./-]+$/;

/** NUL is the one character that no argument of a process can hold; callers refuse it before. */
export function shellQuote(text: string): string {
	return plain.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A path as a person types it: `~/` means the home folder, everything else means itself. */
export function shellPath(path: string): string {
	if (path === "~") return '"$HOME"';
	return path.startsWith("~/") ? `"$HOME"/${shellQuote(path.slice(2))}` : shellQuote(path);
}
