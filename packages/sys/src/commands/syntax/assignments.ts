/** The words of assignments: values, lists, and the subscripts that bash evaluates. */
import type { Assignment, Part, Word } from "./tree.ts";

/**
 * A word without text whose only part has the operands of all subscripts (`a[i]=x`, `a=([i]=x)`); none if there are none.
 * Bash evaluates them as arithmetic, and `b[$(rm x)]` in a value runs rm.
 */
export function subscriptsOf(words: readonly Word[]): Word[] {
	const arithmetic = words.flatMap(operandsOf);
	if (arithmetic.length === 0) return [];
	return [
		{
			text: "",
			parts: [{ kind: "dynamic", text: "", gives: "number", quoted: true, scripts: [], arithmetic }],
		},
	];
}

/** The text between the first bracket and its closing one, if an assignment follows. */
function operandsOf(word: Word): Part[] {
	if (!/^\w*\[.*\]\+?=/su.test(word.text)) return [];
	const operands: Part[] = [];
	let depth = 0;
	for (const part of word.parts) {
		if (part.kind === "dynamic" && part.gives !== "glob") {
			if (depth > 0) operands.push(part);
			continue;
		}
		if (part.kind === "dynamic" && part.scripts.length > 0) operands.push(part);
		let inside = "";
		for (const char of part.text) {
			if (char === "]" && --depth === 0) break;
			if (depth > 0) inside += char;
			if (char === "[") depth++;
		}
		for (const name of inside.match(/(?<![\w#])[A-Za-z_]\w*/gu) ?? [])
			operands.push({ kind: "literal", text: name, quoted: true });
		if (depth <= 0 && part.text.includes("]")) return operands;
	}
	return operands;
}

/** The value of `x=value`. */
export function valueOf(word: Word, length: number): Word {
	const [first, ...rest] = word.parts;
	if (first?.kind !== "literal") return word;
	const text = first.text.slice(length);
	return { text: word.text.slice(length), parts: [{ kind: "literal", text, quoted: false }, ...rest] };
}

/** The parts of a list that is a word of `declare`. */
export function partsOf(word: Word, assignment: Assignment): readonly Part[] {
	return [...word.parts, ...assignment.words.slice(1).flatMap((element) => element.parts)];
}
