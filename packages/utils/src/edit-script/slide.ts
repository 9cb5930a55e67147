/** Moves additions and removals that fit at several places to the last of them, where readers of diffs expect them. */
import { Parts, type EditPart } from "./parts.ts";

export function slideDown(parts: readonly EditPart[], a: Int32Array, b: Int32Array): EditPart[] {
	const out = new Parts();
	let taken = 0;
	for (const [index, part] of parts.entries()) {
		const [before, after] = [part.before[1] - part.before[0], part.after[1] - part.after[0]];
		if (part.isSame) {
			out.add(true, before - taken, after - taken);
			taken = 0;
			continue;
		}
		taken = room(part, parts[index + 1], index + 2 >= parts.length, a, b);
		out.add(true, taken, taken);
		out.add(false, before, after);
	}
	return out.list;
}

/** How far a change can move into the same part that follows it. */
function room(
	{ before, after }: EditPart,
	next: EditPart | undefined,
	isLast: boolean,
	a: Int32Array,
	b: Int32Array,
): number {
	const isAddition = before[0] === before[1];
	// One list in the place of the other cannot move.
	if (next === undefined || (!isAddition && after[0] !== after[1])) return 0;
	const [values, [from, to]] = isAddition ? [b, after] : [a, before];
	// Something has to stay between two changes.
	const most = next.before[1] - next.before[0] - (isLast ? 0 : 1);
	let by = 0;
	while (by < most && values[from + by] === values[to + by]) by++;
	return by;
}
