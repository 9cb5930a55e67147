/** Ranks tools for a query by the words in their names, descriptions and parameters (BM25). */
import type { SessionTool } from "@tau/session/run";
import { isRecord } from "@tau/utils";

/** Words of a query that count; a model may pass a whole paragraph. */
const queryWords = 32;
/** Characters of a text that are indexed: a server may send megabytes as a description. */
const indexedChars = 8_000;

/** The usual constants: how soon a repeated word stops to count, and how much a long text is discounted. */
const saturation = 1.2;
const lengthWeight = 0.75;
/** A word of the name says more than one of the description. */
const weights = { name: 5, description: 1, parameters: 0.7 };

interface Entry {
	tool: SessionTool;
	/** How often each word occurs, weighted by where. */
	words: ReadonlyMap<string, number>;
	length: number;
}

/** The best matches first; empty when no word of the query occurs anywhere. */
export function rankTools(tools: readonly SessionTool[], query: string): SessionTool[] {
	const asked = [...new Set(wordsOf(query))].slice(0, queryWords);
	const exact = query.trim().toLowerCase();
	const entries = tools.map(entryOf);
	const average = entries.reduce((sum, { length }) => sum + length, 0) / Math.max(1, entries.length);
	const weightOf = new Map(
		asked.map((word) => {
			const holders = entries.filter(({ words }) => words.has(word)).length;
			return [word, Math.log(1 + (entries.length - holders + 0.5) / (holders + 0.5))];
		}),
	);
	const scored = entries.map(({ tool, words, length }) => {
		// A model that knows the name searches for it.
		if (tool.name.toLowerCase() === exact) return { tool, score: Number.POSITIVE_INFINITY };
		const score = asked.reduce((sum, word) => {
			const count = words.get(word) ?? 0;
			const damped = count + saturation * (1 - lengthWeight + (lengthWeight * length) / average);
			return sum + (weightOf.get(word) ?? 0) * ((count * (saturation + 1)) / damped);
		}, 0);
		return { tool, score };
	});
	return scored
		.filter(({ score }) => score > 0)
		.toSorted((a, b) => b.score - a.score)
		.map(({ tool }) => tool);
}

/** Made once for each tool: a server may have thousands. */
const known = new WeakMap<SessionTool, Entry>();

function entryOf(tool: SessionTool): Entry {
	const before = known.get(tool);
	if (before) return before;
	const words = new Map<string, number>();
	const add = (text: string, weight: number): void => {
		for (const word of wordsOf(text)) words.set(word, (words.get(word) ?? 0) + weight);
	};
	add(`${tool.name} ${tool.label}`, weights.name);
	add(tool.description, weights.description);
	add(parameterText(tool.parameters), weights.parameters);
	const length = [...words.values()].reduce((sum, count) => sum + count, 0);
	const entry = { tool, words, length };
	known.set(tool, entry);
	return entry;
}

function parameterText(parameters: unknown): string {
	const properties = isRecord(parameters) && isRecord(parameters.properties) ? parameters.properties : {};
	return Object.entries(properties)
		.map(([name, value]) =>
			isRecord(value) && typeof value.description === "string" ? `${name} ${value.description}` : name,
		)
		.join(" ");
}

/** `createIssue`, `create_issue` and `Create issues` have the same words. */
function wordsOf(text: string): string[] {
	const split = text
		.slice(0, indexedChars)
		.replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
		.toLowerCase();
	return (split.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !stopWords.has(word)).map(stem);
}

const stopWords: ReadonlySet<string> = new Set([
	"a",
	"an",
	"and",
	"for",
	"in",
	"is",
	"of",
	"on",
	"or",
	"the",
	"this",
	"to",
	"with",
	"mcp",
]);

/** Enough for the plurals and verb forms of tool names. */
function stem(word: string): string {
	if (word.length > 5 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
	if (word.length > 5 && word.endsWith("ing")) return word.slice(0, -3);
	if (word.length > 4 && /(?:ch|sh|ss|x)es$/.test(word)) return word.slice(0, -2);
	if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) return word.slice(0, -1);
	return word;
}
