/** The code of an awk script without its strings, patterns and comments, in which nothing runs. */

/** After these words a slash begins a pattern; after other names and values it divides. */
const beforePattern = /(?:^|[^\w$)\]"])(?:print|printf|return|in|else|do|case|getline|exit|delete)$/u;

/** Returns nothing when it cannot tell a pattern from a division. */
export function awkCode(script: string): string | undefined {
	let code = "";
	let at = 0;
	while (at < script.length) {
		const char = script[at] ?? "";
		if (char === "#") {
			const end = script.indexOf("\n", at);
			at = end < 0 ? script.length : end;
		} else if (char === '"') {
			const end = closing(script, at + 1, '"');
			if (end < 0) return undefined;
			code += '""';
			at = end + 1;
		} else if (char === "/" && /[\w$)\]"\\]\s*\n\s*$/u.test(code)) {
			// A new line ends a statement, or does not after a backslash.
			return undefined;
		} else if (char === "/" && beginsPattern(code)) {
			// Awks differ on what a slash after `a++` begins, and on whether `case` is a name.
			if (/(?:\+\+|--|\bcase)\s*$/u.test(code)) return undefined;
			const end = closing(script, at + 1, "/");
			// Awks differ on a slash inside of brackets.
			if (end < 0 || /\[[^\]]*$/u.test(script.slice(at, end))) return undefined;
			code += "0";
			at = end + 1;
		} else {
			// In gawk a pattern may follow `if (x)`, and hide a quote or the start of a comment.
			if (
				char === "/" &&
				/\)\s*$/u.test(code) &&
				/^[^\n]*["#][^\n]*/u.test(script.slice(at + 1)) &&
				mayClose(script, at)
			)
				return undefined;
			code += char;
			at++;
		}
	}
	return code;
}

function mayClose(script: string, at: number): boolean {
	return /^[^\n]*\//u.test(script.slice(at + 1));
}

function beginsPattern(code: string): boolean {
	const before = code.slice(-40).trimEnd();
	if (before === "" || !/[\w$)\]"]$/u.test(before)) return true;
	return beforePattern.test(before) || /^(?:print|printf|return|in|else|do)$/u.test(before);
}

function closing(script: string, from: number, delimiter: string): number {
	for (let at = from; at < script.length; at++) {
		if (script[at] === "\\") at++;
		else if (script[at] === delimiter) return at;
		else if (script[at] === "\n") return -1;
	}
	return -1;
}
