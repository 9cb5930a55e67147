/** Parses one line of a .gitignore into a rule that can be looked up or matched. */

/** How a rule is matched; the first two kinds are looked up in a table, for any number of rules. */
type IgnoreMatch =
	{ by: "name"; text: string } | { by: "suffix"; text: string } | { by: "glob"; glob: Bun.Glob };

export interface IgnoreRule {
	match: IgnoreMatch;
	/** True if it is matched against the path from the directory of the file, not against the last name alone. */
	isPath: boolean;
	directoryOnly: boolean;
	negated: boolean;
}

/** Undefined for an empty line, a comment, and a pattern that can match nothing. */
export function parseIgnoreLine(line: string): IgnoreRule | undefined {
	let pattern = trimEnd(line.replace(/\r$/, ""));
	if (pattern === "" || pattern.startsWith("#")) return undefined;
	const negated = pattern.startsWith("!");
	if (negated) pattern = pattern.slice(1);
	const directoryOnly = pattern.endsWith("/");
	if (directoryOnly) pattern = pattern.slice(0, -1);
	const isPath = pattern.includes("/");
	if (pattern.startsWith("/")) pattern = pattern.slice(1);
	if (pattern === "") return undefined;
	// `**/name` is practically the same as `name`.
	const inner = /^(?:\*\*\/)+([^/]+)$/.exec(pattern)?.[1];
	const isWhole = isPath && inner === undefined;
	const match = matchOf(inner ?? pattern, isWhole);
	return match && { match, isPath: isWhole, directoryOnly, negated };
}

/** Trailing spaces are ignored unless they are escaped. */
function trimEnd(line: string): string {
	let end = line.length;
	while (line[end - 1] === " " && !isQuoted(line, end - 1)) end--;
	return line.slice(0, end);
}

function isQuoted(text: string, at: number): boolean {
	let slashes = 0;
	while (text[at - 1 - slashes] === "\\") slashes++;
	return slashes % 2 === 1;
}

function matchOf(pattern: string, isPath: boolean): IgnoreMatch | undefined {
	if (!/[*?[\\]/.test(pattern)) return { by: "name", text: pattern };
	if (/^\*\.[^*?[\\/]+$/.test(pattern)) return { by: "suffix", text: pattern.slice(1) };
	const glob = translate(pattern, isPath);
	return glob === undefined ? undefined : { by: "glob", glob: new Bun.Glob(glob) };
}

/** Translates git's patterns to Bun's: braces and a leading `!` are literal, and stars beside a name are one star. */
function translate(pattern: string, isPath: boolean): string | undefined {
	let out = "";
	for (let at = 0; at < pattern.length;) {
		const unit = pattern[at] ?? "";
		if (unit === "\\") {
			// In git, a pattern that ends in a backslash matches nothing.
			if (at + 1 === pattern.length) return undefined;
			out += pattern.slice(at, at + 2);
			at += 2;
		} else if (unit === "*") {
			const end = endOfStars(pattern, at);
			const isSegment =
				(at === 0 || pattern[at - 1] === "/") && (end === pattern.length || pattern[end] === "/");
			out += end - at > 1 && isSegment && isPath ? "**" : "*";
			at = end;
		} else if (unit === "[") {
			const bracket = translateClass(pattern, at);
			if (!bracket) return undefined;
			out += bracket.glob;
			at = bracket.end;
		} else {
			out += unit === "{" || unit === "}" || (unit === "!" && at === 0) ? `\\${unit}` : unit;
			at++;
		}
	}
	return out;
}

function endOfStars(pattern: string, at: number): number {
	let end = at;
	while (pattern[end] === "*") end++;
	return end;
}

const posix: Readonly<Record<string, string>> = {
	alnum: "a-zA-Z0-9",
	alpha: "a-zA-Z",
	blank: " \t",
	digit: "0-9",
	lower: "a-z",
	upper: "A-Z",
	space: " \t\n\v\f\r",
	xdigit: "0-9a-fA-F",
	punct: "!-.:-@\\[-`{-~",
};

/** Undefined when the class is never closed or has an unknown name: git then matches nothing. */
function translateClass(pattern: string, start: number): { glob: string; end: number } | undefined {
	let at = start + 1;
	const negated = pattern[at] === "!" || pattern[at] === "^";
	if (negated) at++;
	// No class matches a slash, not even a negated one.
	let out = negated ? "[!/" : "[";
	for (let first = true; at < pattern.length; first = false) {
		const unit = pattern[at] ?? "";
		if (unit === "]" && !first) return { glob: `${out}]`, end: at + 1 };
		const name = unit === "[" ? /^\[:([a-z]*):\]/.exec(pattern.slice(at))?.[1] : undefined;
		if (name !== undefined) {
			const members = posix[name];
			if (members === undefined) return undefined;
			out += members;
			at += name.length + 4;
		} else if (unit === "\\") {
			if (at + 1 === pattern.length) return undefined;
			out += pattern.slice(at, at + 2);
			at += 2;
		} else {
			out += unit === "]" || unit === "[" || unit === "!" || unit === "^" ? `\\${unit}` : unit;
			at++;
		}
	}
	return undefined;
}
