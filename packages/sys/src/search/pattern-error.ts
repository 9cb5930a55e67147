/** Parses ripgrep's error message about a pattern: what is wrong and where. */

export interface PatternError {
	message: string;
	/** Position in characters from 0. */
	at?: number;
}

const complaints = [
	/regex parse error/,
	/regex could not be compiled/,
	/PCRE2: error compiling/,
	/is not allowed in a regex/,
	/exceeds size limit/,
];

/** Undefined when the message is about something else. */
export function readPatternError(stderr: string, pattern: string): PatternError | undefined {
	if (!complaints.some((complaint) => complaint.test(stderr))) return undefined;
	const { message, at = -1 } = parsed(stderr, pattern);
	const isInside = at >= 0 && at < pattern.length && !/^un\w+ group$/.test(message);
	return { message, ...place(isInside ? at : unbalanced(pattern)) };
}

/** The default engine reports more, unless the message is about a feature that only the other one has. */
function parsed(stderr: string, pattern: string): PatternError {
	const other = /PCRE2: error compiling pattern at offset (\d+): (.+)/.exec(stderr);
	const message = /^error: (.+)$/m.exec(stderr)?.[1];
	if (message !== undefined && !(other && /not supported|unrecognized flag/.test(message))) {
		const at = caret(stderr, pattern);
		// The backslash escaped the end of the group that ripgrep puts around the pattern.
		const isIncomplete = at !== undefined && at < 0 && unbalanced(pattern) === pattern.length - 1;
		return { message: isIncomplete && pattern.endsWith("\\") ? "incomplete escape" : message, ...place(at) };
	}
	if (other) {
		const shift = wrapLength(stderr);
		// The engine notices an unclosed bracket only at the end.
		const at = /missing|at end/.test(other[2] ?? "") ? undefined : Number(other[1]) - shift;
		return { message: other[2] ?? "", ...place(at) };
	}
	return { message: stderr.replace(/^rg: /, "").trim().split("\n")[0] ?? "" };
}

function place(at: number | undefined): Pick<PatternError, "at"> {
	return at === undefined ? {} : { at };
}

/** Newer versions put the pattern into a group before they parse it. */
const wrap = "(?:";

function wrapLength(stderr: string): number {
	return /^ {4}\(\?:/m.test(stderr) || /^1: \(\?:/m.test(stderr) ? wrap.length : 0;
}

/** Reads the position from the line of carets below the pattern; the lines of a multi-line pattern are numbered. */
function caret(stderr: string, pattern: string): number | undefined {
	const lines = stderr.split("\n");
	const row = lines.findIndex((line) => /^ *\^+(?: +\^+)*$/.test(line));
	const above = lines[row - 1];
	if (row < 0 || above === undefined) return undefined;
	const numbered = /^(\d+): /.exec(above);
	const column = (lines[row] ?? "").indexOf("^") - (numbered ? numbered[0].length : 4);
	const line = Number(numbered?.[1] ?? 1) - 1;
	const before = pattern.split("\n").slice(0, line);
	const start = before.reduce((sum, text) => sum + text.length + 1, 0);
	const isWrapped = line === 0 && above.slice(numbered ? numbered[0].length : 4).startsWith(wrap);
	return start + column - (isWrapped && !pattern.startsWith(wrap + wrap) ? wrap.length : 0);
}

/**
 * The position of a bracket that closes nothing, else of the last unclosed group or class, or of a trailing
 * backslash.
 */
function unbalanced(pattern: string): number | undefined {
	const groups: number[] = [];
	for (let at = 0; at < pattern.length; at++) {
		const unit = pattern[at];
		if (unit === "\\") {
			if (at + 1 === pattern.length) return at;
			at++;
		} else if (unit === "[") {
			const end = endOfClass(pattern, at);
			if (end === undefined) return at;
			at = end;
		} else if (unit === "(") groups.push(at);
		else if (unit === ")" && groups.pop() === undefined) return at;
	}
	return groups.at(-1);
}

function endOfClass(pattern: string, start: number): number | undefined {
	let at = start + 1;
	if (pattern[at] === "^") at++;
	// A bracket directly after the opening one is literal.
	if (pattern[at] === "]") at++;
	for (; at < pattern.length; at++) {
		if (pattern[at] === "]") return at;
		if (pattern[at] === "\\") at++;
	}
	return undefined;
}
