/** Names the look-alike characters in which two lines differ. */
import { codePoint } from "../../files/hidden-characters.ts";
import { limits } from "../limits.ts";

/** Combining marks, and characters without a width. */
const unseen = /[\p{M}\p{Cf}\u115f\u1160\u3164\uffa0]/u;

const names = new Map([
	["\t", "tab"],
	[" ", "space"],
	["\u00a0", "no-break space"],
	["\u00ad", "soft hyphen"],
	["\u200b", "zero width space"],
	["\u200c", "zero width non-joiner"],
	["\u200d", "zero width joiner"],
	["\u2060", "word joiner"],
	["\ufeff", "byte order mark"],
]);

/** One entry for each character; undefined if the lines differ visibly, or not at all. */
export function unseenDifferences(value: string, there: string): string[] | undefined {
	const [one, other] = [[...value], [...there]];
	const matches: string[] = [];
	let same = 0;
	let [i, j] = [0, 0];
	while (i < one.length || j < other.length) {
		const [a, b] = [one[i], other[j]];
		if (a === b) same++;
		else if (a !== undefined && unseen.test(a)) {
			matches.push(`column ${j + 1}: nothing in the file, ${named(a)} given`);
			i++;
			continue;
		} else if (b !== undefined && unseen.test(b)) {
			matches.push(`column ${j + 1}: ${named(b)} in the file, nothing given`);
			j++;
			continue;
		} else if (a === undefined || b === undefined || (isAscii(a) && isAscii(b))) return undefined;
		else matches.push(`column ${j + 1}: ${named(b)} in the file, ${named(a)} given`);
		i++;
		j++;
	}
	return matches.length > 0 && same > matches.length ? matches.slice(0, limits.namedPlaces) : undefined;
}

function isAscii(character: string): boolean {
	return character <= "\x7f";
}

function named(character: string): string {
	const name = names.get(character) ?? (unseen.test(character) ? undefined : `"${character}"`);
	return name === undefined ? codePoint(character) : `${codePoint(character)} (${name})`;
}
