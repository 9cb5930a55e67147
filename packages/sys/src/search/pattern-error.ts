/** Reads ripgrep's complaint about a pattern: what is wrong and where. */

export interface PatternError {
	message: string;
	/** In characters from 0. */
	at?: number;
}

const complaints = [
	/regex parse error/,
	/regex could not be compiled/,
	/PCRE2: error compiling/,
	/is not allowed in a regex/,
	/exceeds size limit/,
];

/** Nothing when it complains about something else. */
export function readPatternError(stderr: string, pattern: string): PatternError | undefined {
	if (!complaints.some((complaint) => complaint.test(stderr))) return undefined;
	const { message, at = -1 } = parsed(stderr, pattern);
	const isInside = at >= 0 && at < pattern.length && !/^un\w+ group$/.test(message);
	return { message, ...place(isInside ? at : unbalanced(pattern)) };
}

/** The default engine says more, unless it complains about what only the other one can do. */
function parsed(stderr: string, pattern: string): PatternError {
	const other = /PCRE2: error compiling pattern at offset (\d+): (.+)/.exec(stderr);
	const message = /^error: (.+)$/m.exec(stderr)?.[1];
	if (message !== undefined && !(other && /not supported|unrecognized flag/.test(message))) {
		const at = caret(stderr, pattern);
		// The backslash quoted the end of the group that the pattern was put into.
		const isIncomplete = at !== undefined && at < 0 && unbalanced(pattern) === pattern.length - 1;
		return { message: isIncomplete && pattern.endsWith("\\") ? "incomplete escape" : message, ...place(at) };
	}
	if (other) {
		const shift = wrapLength(stderr);
		// It notices at the end that something was opened and not closed.
		const at = /missing|at end/.test(other[2] ?? "") ? undefined : Number(other[1]) - shift;
		return { message: other[2] ?? "", ...place(at) };
	}
	return { message: stderr.replace(/^rg: /, "").trim().split("\n")[0] ?? "" };
}

function place(at: number | undefined): Pick<PatternError, "at"> {
	return at === undefined ? {} : { at };
}

/** Newer versions put the pattern into a group before they read it. */
const wrap = "(?:";

function wrapLength(stderr: string): number {
	return /^ {4}\(\?:/m.test(stderr) || /^1: \(\?:/m.test(stderr) ? wrap.length : 0;
}

/** From the line of carets below the pattern; a pattern of several lines has them numbered. */
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

/** What closes nothing, else the last group or class that is not closed, or the backslash that quotes nothing. */
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
	// A bracket right behind the opening one stands for itself.
	if (pattern[at] === "]") at++;
	for (; at < pattern.length; at++) {
		if (pattern[at] === "]") return at;
		if (pattern[at] === "\\") at++;
	}
	return undefined;
}
