/** Decides whether a hook applies to a tool or a reason: by names, or by a regular expression. */

/** A matcher of plain names, single or in a list, is not read as a regular expression. */
const namesAlone = /^[\w\-\s,|]*$/;

/** `subjects` are the names of one thing. An invalid regular expression matches only its literal text. */
export function fits(matcher: string, subjects: readonly string[]): boolean {
	const requested = matcher.trim();
	if (requested === "" || requested === "*") return true;
	if (namesAlone.test(requested)) {
		const names = new Set(requested.split(/[|,]/).map((name) => name.trim()));
		return subjects.some((subject) => names.has(subject));
	}
	const pattern = patternOf(requested);
	// The pattern is invalid, so the user probably meant the literal text.
	if (!("test" in pattern)) return subjects.includes(requested);
	return subjects.some((subject) => pattern.test(subject));
}

function patternOf(matcher: string): RegExp | { problem: string } {
	try {
		return new RegExp(matcher);
	} catch (error) {
		return { problem: error instanceof Error ? error.message : String(error) };
	}
}

/** Why the matcher matches less than intended. */
export function matcherProblem(matcher: string): string | undefined {
	if (namesAlone.test(matcher) || matcher.trim() === "*") return undefined;
	const pattern = patternOf(matcher);
	return "problem" in pattern
		? `the matcher is not a valid regular expression: ${pattern.problem}`
		: undefined;
}

/**
 * A rule as `Bash(git *)`: the tool, and what its command or path looks like. A rule that cannot be read holds for
 * every call: better a hook too many than a check too few.
 */
export function fitsCondition(condition: string, tool: readonly string[], texts: readonly string[]): boolean {
	const [, name, inner] = /^\s*([\w-]+)\s*(?:\((.*)\))?\s*$/s.exec(condition) ?? [];
	if (name === undefined) return true;
	if (!tool.includes(name)) return false;
	if (inner === undefined || inner === "" || inner === "*") return true;
	// `git:*` is the older way to write `git *`.
	const parts = inner.replace(/:\*$/, " *").split(/\*+/);
	return texts.some((text) => fitsWildcard(parts, text) || fitsWildcard(parts, `${text} `));
}

/** Whether the text is these parts with anything between them. A regular expression could take exponential time. */
function fitsWildcard(parts: readonly string[], text: string): boolean {
	const [first = "", ...rest] = parts;
	const last = rest.pop();
	if (last === undefined) return text === first;
	if (!text.startsWith(first)) return false;
	let at = first.length;
	for (const part of rest) {
		const next = text.indexOf(part, at);
		if (next < 0) return false;
		at = next + part.length;
	}
	return text.length - last.length >= at && text.endsWith(last);
}
