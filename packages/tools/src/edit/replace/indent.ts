/** Indents new lines like the file, inferred from the matched lines. */
import { indentOf, indentStyleOf, isBlank, type IndentStyle } from "./indent-style.ts";

/**
 * `sought` are the lines as the model wrote them, `there` the same lines in the file, which has the given style.
 * Undefined if they are inconsistent, or if the new lines are ambiguous.
 */
export function reindent(
	sought: readonly string[],
	there: readonly string[],
	lines: readonly string[],
	style: IndentStyle,
): string[] | undefined {
	const known = knownIndents(sought, there);
	if (!known) return undefined;
	if ([...known].every(([theirs, ours]) => theirs === ours)) return [...lines];
	const news = lines.filter((line) => !isBlank(line)).map(indentOf);
	const indents = new Map(known);
	const unknown = [...new Set(news)].filter((indent) => !known.has(indent));
	if (unknown.length > 0) {
		const modelStep = indentStyleOf([...sought, ...lines]).step;
		const translated = translate(unknown, known, style.step, modelStep);
		if (!translated) return undefined;
		for (const [index, indent] of unknown.entries()) indents.set(indent, translated[index] ?? "");
	}
	return lines.map((line) => {
		const indent = indentOf(line);
		return isBlank(line) ? "" : (indents.get(indent) ?? indent) + line.slice(indent.length);
	});
}

/** Maps the model's indentation to that of the file; undefined where one indentation maps to two. */
function knownIndents(sought: readonly string[], there: readonly string[]): Map<string, string> | undefined {
	const known = new Map<string, string>();
	for (const [index, line] of sought.entries()) {
		if (isBlank(line)) continue;
		const [theirs, ours] = [indentOf(line), indentOf(there[index] ?? "")];
		if ((known.get(theirs) ?? ours) !== ours) return undefined;
		known.set(theirs, ours);
	}
	return known;
}

/** A mapping from the model's indentation to the file's that fits all known lines. */
type Rule = (indent: string) => string | undefined;

/** Missing or added levels are a better explanation of a difference than another level width. */
function translate(
	indents: readonly string[],
	known: ReadonlyMap<string, string>,
	step: string | undefined,
	modelStep: string | undefined,
): string[] | undefined {
	const shift = shiftOf(known);
	const apply = (rule: Rule) => {
		const results = indents.map(rule);
		return results.every((result) => result !== undefined) ? [results] : [];
	};
	const shifted = shift ? apply(shift.rule)[0] : undefined;
	const all = [...(shifted ? [shifted] : []), ...conversions(known, step, modelStep).flatMap(apply)];
	const offGrid = (results: readonly string[]) =>
		results.filter((result) => step !== undefined && !isRepeated(result, step)).length;
	const fewest = Math.min(...all.map(offGrid));
	const best = all.filter((results) => offGrid(results) === fewest);
	const [first] = best;
	if (!first || best.every((results) => results.join() === first.join())) return first;
	if (!shifted || first !== shifted) return undefined;
	const isByLevels = modelStep === step || (step !== undefined && isRepeated(shift?.by ?? "", step));
	return isByLevels ? shifted : undefined;
}

/** The same prefix before each line in the file, or before each line of the model. */
function shiftOf(known: ReadonlyMap<string, string>): { by: string; rule: Rule } | undefined {
	const pairs = [...known];
	const [theirs = "", ours = ""] = pairs[0] ?? [];
	const missing = ours.endsWith(theirs) ? ours.slice(0, ours.length - theirs.length) : undefined;
	if (missing !== undefined && pairs.every(([one, other]) => other === missing + one)) {
		return { by: missing, rule: (indent) => missing + indent };
	}
	const surplus = theirs.endsWith(ours) ? theirs.slice(0, theirs.length - ours.length) : undefined;
	if (surplus !== undefined && pairs.every(([one, other]) => one === surplus + other)) {
		return {
			by: surplus,
			rule: (indent) => (indent.startsWith(surplus) ? indent.slice(surplus.length) : undefined),
		};
	}
	return undefined;
}

/** The model uses another level width than the file; levels may be missing at the same time. */
function conversions(
	known: ReadonlyMap<string, string>,
	step: string | undefined,
	modelStep: string | undefined,
): Rule[] {
	const candidates: Levels[] = [];
	if (step !== undefined && modelStep !== undefined) candidates.push({ theirs: modelStep, ours: step });
	for (const [theirs, ours] of known) candidates.push(...levelsOf(theirs, ours, step));
	return candidates.flatMap((levels) => conversion(levels, known));
}

/** One indentation level of the model and of the file. */
interface Levels {
	theirs: string;
	ours: string;
}

/** Both have the same depth: eight spaces for two tabs means four for one. */
function levelsOf(theirs: string, ours: string, step: string | undefined): Levels[] {
	const depth = step === undefined ? greatestDepth(theirs, ours) : ours.length / step.length;
	if (!Number.isInteger(depth) || depth === 0 || theirs === "" || theirs.length % depth > 0) return [];
	const [one, other] = [theirs.slice(0, theirs.length / depth), ours.slice(0, ours.length / depth)];
	return isRepeated(theirs, one) && isRepeated(ours, other) ? [{ theirs: one, ours: other }] : [];
}

/** If the file does not show its level width: with the same characters, a missing level is likelier than another width. */
function greatestDepth(theirs: string, ours: string): number {
	if (theirs === "" || theirs[0] === ours[0]) return 0;
	let depth = Math.min(theirs.length, ours.length);
	while (depth > 1 && (theirs.length % depth > 0 || ours.length % depth > 0)) depth--;
	return depth;
}

function conversion({ theirs, ours }: Levels, known: ReadonlyMap<string, string>): Rule[] {
	if (theirs === ours) return [];
	let missing: number | undefined;
	for (const [one, other] of known) {
		const [model, file] = [depthOf(one, theirs), depthOf(other, ours)];
		if (model.rest !== file.rest) return [];
		missing ??= file.depth - model.depth;
		if (file.depth - model.depth !== missing) return [];
	}
	const more = missing ?? 0;
	return [
		(indent) => {
			const { depth, rest } = depthOf(indent, theirs);
			return depth + more < 0 ? undefined : ours.repeat(depth + more) + rest;
		},
	];
}

function depthOf(indent: string, level: string): { depth: number; rest: string } {
	let depth = 0;
	while (indent.startsWith(level, depth * level.length)) depth++;
	return { depth, rest: indent.slice(depth * level.length) };
}

function isRepeated(text: string, part: string): boolean {
	return depthOf(text, part).rest === "";
}
