/** The words that a query searches for, and the extra words under which a fact is found. */
import { limits } from "./limits.ts";
import stopWordList from "./stop-words.json";
import synonyms from "./synonyms.json";

/** A word of the query and the other words that may be meant. */
export interface Concept {
	readonly word: string;
	/** Parts of an identifier, or two words of the query written as one. */
	readonly forms: readonly string[];
	readonly synonyms: readonly string[];
}

const stopWords = new Set(stopWordList);

const groups: readonly (readonly string[])[] = synonyms;
const groupsOf = new Map<string, Set<string>>();
for (const group of groups)
	for (const word of group) {
		const others = groupsOf.get(stem(word)) ?? new Set<string>();
		for (const other of group) if (other !== word) others.add(other);
		groupsOf.set(stem(word), others);
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
				synonyms: [...new Set([word, ...parts].flatMap((one) => [...(groupsOf.get(stem(one)) ?? [])]))],
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
