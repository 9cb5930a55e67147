/** The words that a query searches for, and the extra words under which a fact is found. */
import { once } from "@tau/utils";

import { limits } from "./limits.ts";
import related from "./related.json";
import stopWordList from "./stop-words.json";
import synonyms from "./synonyms.json";

/** A word of the query and the other words that may be meant. */
export interface Concept {
	readonly word: string;
	/** Parts of an identifier, or two words of the query written as one. */
	readonly forms: readonly string[];
	readonly synonyms: readonly string[];
	/** Words of the same field: they say less. */
	readonly related: readonly string[];
}

const stopWords = new Set(stopWordList);

const synonymsOf = once(() => byStem(synonyms));
const relatedOf = once(() => byStem(related));

function byStem(groups: readonly (readonly string[])[]): ReadonlyMap<string, ReadonlySet<string>> {
	const words = new Map<string, Set<string>>();
	for (const group of groups)
		for (const word of group) {
			const others = words.get(stem(word)) ?? new Set<string>();
			for (const other of group) if (other !== word) others.add(other);
			words.set(stem(word), others);
		}
	return words;
}

/** Without stop words and repetitions, in the order of the text. */
export function conceptsOf(query: string): Concept[] {
	const tokens = tokensOf(query.slice(0, limits.queryChars));
	const concepts = new Map<string, Concept>();
	let previous: string | undefined;
	for (const token of tokens) {
		const word = token.toLowerCase();
		const isContent = !stopWords.has(word) && (word.length > 1 || /\d/.test(word));
		if (isContent && !concepts.has(word)) {
			const parts = partsOf(token).filter((part) => part !== word && !stopWords.has(part));
			const joined = previous === undefined ? [] : [previous + word];
			concepts.set(word, {
				word,
				forms: [...parts, ...joined],
				synonyms: [...new Set([word, ...parts].flatMap((one) => [...(synonymsOf().get(stem(one)) ?? [])]))],
				related: [...(relatedOf().get(stem(word)) ?? [])],
			});
		}
		previous = isContent ? word : undefined;
		if (concepts.size >= limits.terms) break;
	}
	return [...concepts.values()];
}

/** What the index adds to a text: the parts of `camelCase`, and `snake_case` or `kebab-case` in one word. */
export function indexWords(text: string): string {
	const words = new Set<string>();
	for (const [compound] of text.matchAll(/[\p{L}\p{N}]+(?:[_.\-/][\p{L}\p{N}]+)+/gu))
		words.add(compound.replaceAll(/[_.\-/]/g, "").toLowerCase());
	for (const token of tokensOf(text)) for (const part of partsOf(token)) words.add(part);
	return [...words].join(" ");
}

/** The words of a text, for comparing two texts. */
export function contentStems(text: string): Set<string> {
	const words = tokensOf(text).map((token) => token.toLowerCase());
	return new Set(words.filter((word) => !stopWords.has(word)).map(stem));
}

function tokensOf(text: string): string[] {
	return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** `parseHTTPHeader2` has `parse`, `http`, `header` and `2`; a plain word has no parts. */
function partsOf(token: string): string[] {
	const parts = token.match(/\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+/gu) ?? [];
	return parts.length < 2 ? [] : parts.map((part) => part.toLowerCase());
}

/** Only for looking up synonyms and comparing texts; the index has a stemmer of its own. */
function stem(word: string): string {
	const bare = word.replace(/(?:ies)$/, "y").replace(/(?<=.{3})(?:ings?|ed|es|s|e)$/, "");
	return bare.length >= 2 ? bare.replace(/(.)\1$/, "$1") : word;
}
