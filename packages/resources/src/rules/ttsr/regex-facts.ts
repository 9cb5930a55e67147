/** Derives facts about a condition from its syntax tree: words that it requires, whether it spans lines. */
import { limits } from "./limits.ts";
import type { RegexNode } from "./regex-tree.ts";

export interface RegexFacts {
	/** Lower-case words, one of which every match contains. Absent if there are no useful ones. */
	words?: readonly string[];
	/** Every match starts with one of them. */
	wordsLead: boolean;
	/** Whether a match may have a line break in it, or look beyond one. */
	spansLines: boolean;
	/** Whether it can be matched without backtracking. */
	isRegular: boolean;
	/** The number of unbounded repetitions. */
	openRepeats: number;
	/** True for a repetition of a repetition or of alternatives: backtracking takes exponential time. */
	explodes: boolean;
	/** The maximum number of paths through its alternatives and bounded repetitions. */
	ways: number;
}

export function regexFacts(tree: RegexNode, flags: string): RegexFacts {
	const { words, leads = false } = needOf(tree).best ?? {};
	// With these flags, some letters outside ASCII match ASCII letters.
	const isFolded = flags.includes("i") && flags.includes("u");
	return {
		...(words && !isFolded ? { words } : {}),
		wordsLead: leads && !isFolded,
		spansLines: some(tree, (node) => spans(node, flags)),
		isRegular: !isFolded && !some(tree, ({ kind }) => kind === "look" || kind === "opaque"),
		openRepeats: count(tree),
		explodes: some(tree, isExplosive),
		ways: waysOf(tree),
	};
}

interface Need {
	/** Set if it always matches the same text. */
	exact?: string;
	best?: Best;
}

interface Best {
	words: readonly string[];
	/** True if no character is consumed before them. */
	leads: boolean;
}

function needOf(node: RegexNode): Need {
	switch (node.kind) {
		case "one":
			return node.char !== undefined && /^[\x20-\x7e]$/.test(node.char)
				? { exact: node.char.toLowerCase() }
				: {};
		case "assert":
		case "look":
			return { exact: "" };
		case "row":
			return needOfRow(node.parts.map(needOf));
		case "either":
			return needOfEither(node.branches.map(needOf));
		case "repeat": {
			if (node.min === 0) return {};
			const { best, exact } = needOf(node.of);
			if (node.min === 1 && node.max === 1)
				return { ...(best ? { best } : {}), ...(exact === undefined ? {} : { exact }) };
			return best ? { best } : {};
		}
		case "opaque":
			return {};
	}
}

function needOfRow(parts: readonly Need[]): Need {
	let run = "";
	let isFirst = true;
	let best: Best | undefined;
	for (const part of parts) {
		if (part.exact !== undefined) {
			run += part.exact;
			continue;
		}
		best = better(best, word(run, isFirst));
		best = better(best, part.best && { ...part.best, leads: part.best.leads && isFirst && run === "" });
		run = "";
		isFirst = false;
	}
	best = better(best, word(run, isFirst));
	const isExact = parts.every(({ exact }) => exact !== undefined);
	return { ...(best ? { best } : {}), ...(isExact ? { exact: run } : {}) };
}

function needOfEither(branches: readonly Need[]): Need {
	const [first] = branches;
	if (branches.length === 1 && first) return first;
	const all = branches.flatMap(({ best }) => best?.words ?? []);
	const isSure = branches.every(({ best }) => best !== undefined) && all.length <= limits.wordsOfCondition;
	const leads = branches.every(({ best }) => best?.leads === true);
	return isSure ? { best: { words: [...new Set(all)], leads } } : {};
}

function word(text: string, leads: boolean): Best | undefined {
	return text.length >= limits.wordChars ? { words: [text.slice(0, limits.longestWord)], leads } : undefined;
}

function better(a: Best | undefined, b: Best | undefined): Best | undefined {
	if (!a || !b) return a ?? b;
	return rarity(b) > rarity(a) ? b : a;
}

/** Words of almost every line of code: a condition with such a word would be evaluated too often. */
const everyday = new Set(
	"async await boolean class const default else export false from function import interface let new null number private public require return static string this throw true type undefined void while".split(
		" ",
	),
);

/** The longer the shortest word, the fewer false alarms. */
function rarity({ words }: Best): number {
	return Math.min(...words.map((text) => (everyday.has(text.trim()) ? 0 : text.length)));
}

function some(node: RegexNode, is: (node: RegexNode) => boolean): boolean {
	return is(node) || childrenOf(node).some((child) => some(child, is));
}

function count(node: RegexNode): number {
	const own = node.kind === "repeat" && node.max > limits.openRepeat ? 1 : 0;
	return childrenOf(node).reduce((sum, child) => sum + count(child), own);
}

function waysOf(node: RegexNode): number {
	const inner = childrenOf(node).map(waysOf);
	if (node.kind === "either") return inner.reduce((sum, ways) => sum + ways, 0);
	const product = inner.reduce((all, ways) => all * ways, 1);
	if (node.kind !== "repeat" || node.max > limits.openRepeat) return product;
	return product ** node.max * (node.max - node.min + 1);
}

function childrenOf(node: RegexNode): readonly RegexNode[] {
	if (node.kind === "row") return node.parts;
	if (node.kind === "either") return node.branches;
	return node.kind === "repeat" || node.kind === "look" ? [node.of] : [];
}

function spans(node: RegexNode, flags: string): boolean {
	if (node.kind === "look" || node.kind === "opaque") return true;
	if (node.kind !== "one") return false;
	return node.char === undefined ? single(node.source, flags).test("\n") : node.char === "\n";
}

/** A single character of a condition. */
export function single(source: string, flags: string): RegExp {
	return new RegExp(`^(?:${source})$`, flags.replace("m", ""));
}

function isExplosive(node: RegexNode): boolean {
	if (node.kind !== "repeat" || node.max <= 1) return false;
	return some(
		node.of,
		({ kind, ...inner }) => kind === "either" || (kind === "repeat" && "max" in inner && inner.max > 1),
	);
}
