/** Indents new lines the way the file does, learnt from the lines that were found. */

/**
 * `sought` are the lines as the model wrote them, `there` the same lines in the file. Undefined when the two do not
 * go together: the same indentation stands for two in the file.
 */
export function reindent(
	sought: readonly string[],
	there: readonly string[],
	lines: readonly string[],
): string[] | undefined {
	const known = new Map<string, string>();
	for (const [index, line] of sought.entries()) {
		if (line.trim() === "") continue;
		const [theirs, ours] = [indentOf(line), indentOf(there[index] ?? "")];
		if ((known.get(theirs) ?? ours) !== ours) return undefined;
		known.set(theirs, ours);
	}
	if ([...known].every(([theirs, ours]) => theirs === ours)) return [...lines];
	const unit = unitOf(known);
	return lines.map((line) => {
		if (line.trim() === "") return line.trim();
		const indent = indentOf(line);
		return translate(indent, known, unit) + line.slice(indent.length);
	});
}

function indentOf(line: string): string {
	return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** What one step of the model's indentation is in the file. */
interface Unit {
	theirs: string;
	ours: string;
}

/** Learnt from the two known indentations that are nearest to each other. */
function unitOf(known: ReadonlyMap<string, string>): Unit | undefined {
	const outermost: [string, string][] = known.has("") ? [] : [["", ""]];
	const pairs = [...outermost, ...known].toSorted(([a], [b]) => a.length - b.length);
	let best: Unit | undefined;
	for (const [index, [theirs, ours]] of pairs.entries()) {
		const before = pairs[index - 1];
		if (!before || !theirs.startsWith(before[0]) || !ours.startsWith(before[1])) continue;
		const unit = { theirs: theirs.slice(before[0].length), ours: ours.slice(before[1].length) };
		if (unit.theirs === "" || unit.ours === "") continue;
		if (!best || unit.theirs.length < best.theirs.length) best = unit;
	}
	return best && reduced(best);
}

/** Eight blanks for two tabs are four for one. */
function reduced({ theirs, ours }: Unit): Unit {
	for (let parts = Math.min(theirs.length, ours.length); parts > 1; parts--) {
		if (theirs.length % parts > 0 || ours.length % parts > 0) continue;
		const [one, other] = [theirs.slice(0, theirs.length / parts), ours.slice(0, ours.length / parts)];
		if (one.repeat(parts) === theirs && other.repeat(parts) === ours) return { theirs: one, ours: other };
	}
	return { theirs, ours };
}

function translate(indent: string, known: ReadonlyMap<string, string>, unit: Unit | undefined): string {
	const exact = known.get(indent);
	if (exact !== undefined) return exact;
	const below = [...known]
		.filter(([theirs]) => indent.startsWith(theirs))
		.toSorted(([a], [b]) => b.length - a.length)[0];
	if (below) return below[1] + steps(indent.slice(below[0].length), unit);
	// Further out than every line that was found: as many steps less.
	const above = [...known]
		.filter(([theirs]) => theirs.startsWith(indent))
		.toSorted(([a], [b]) => a.length - b.length)[0];
	if (!above) return steps(indent, unit);
	const less = steps(above[0].slice(indent.length), unit);
	return above[1].endsWith(less) ? above[1].slice(0, above[1].length - less.length) : steps(indent, unit);
}

function steps(indent: string, unit: Unit | undefined): string {
	if (!unit) return indent;
	let out = "";
	let rest = indent;
	while (rest.startsWith(unit.theirs)) {
		out += unit.ours;
		rest = rest.slice(unit.theirs.length);
	}
	return out + rest;
}
