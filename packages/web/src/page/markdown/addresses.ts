/** Where an address in an answer leads: to another page, to a file of the session's machine, or nowhere. */

/** Only what leads to another page: neither code nor this page's own commands. */
export function safeAddress(href: string): string | undefined {
	try {
		const url = new URL(href);
		return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
	} catch {
		return undefined;
	}
}

export interface LocalPath {
	readonly path: string;
	/** As in `src/lexer.ts:12` and `src/lexer.ts#L12`. */
	readonly line: number | undefined;
}

/** A scheme; what follows the name of a file is a line. */
const scheme = /^[a-z][\w+.-]*:(?!\d+(?::\d+)?$)/i;

/** Undefined for what leads elsewhere, or nowhere. */
export function localPath(address: string): LocalPath | undefined {
	if (safeAddress(address) !== undefined) return undefined;
	const named = address.replace(/^file:\/\/(?:localhost)?(?=\/)/i, "");
	const [, written = "", colon, hash] =
		/^([^#]*?)(?::(\d+)(?::\d+)?)?(?:#(?:L(\d+))?.*)?$/s.exec(named) ?? [];
	if (written === "" || written.startsWith("//") || scheme.test(named)) return undefined;
	const line = colon ?? hash;
	return { path: decoded(written), line: line === undefined ? undefined : Number(line) };
}

function decoded(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		// A per cent sign of its own.
		return path;
	}
}
