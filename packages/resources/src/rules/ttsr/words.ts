/** Finds many words in a streamed text: a regular expression finds candidates, and a trie decides which word it is. */
import { limits } from "./limits.ts";

export interface Sighting {
	/** The start and end of the word in the last chunk; it may have started in an earlier one. */
	start: number;
	end: number;
	/** The owners of the word. */
	owners: readonly number[];
}

interface Word {
	word: string;
	owner: number;
}

interface Node {
	readonly next: Map<number, Node>;
	readonly owners: number[];
}

export class WordFinder {
	readonly #root = newNode();
	/** Matches where a word may start. The regex engine is fast at once, where a loop of ours would need to warm up. */
	readonly #beginning: RegExp | undefined;
	/** The part of a chunk to retain, because a word may continue in the next one. */
	readonly #overlap: number;

	/** `words` are lower-case printable ASCII; the match ignores case. */
	constructor(words: readonly Word[]) {
		for (const { word, owner } of words) this.#plant(word, owner);
		this.#overlap = Math.max(1, ...words.map(({ word }) => word.length)) - 1;
		this.#beginning = beginningOf(words.map(({ word }) => word));
	}

	/** Call once for each text. */
	reader(): (piece: string) => Sighting[] {
		let last = "";
		return (piece) => {
			if (!this.#beginning) return [];
			const text = last + piece;
			const sightings = this.#find(text, last.length, this.#beginning);
			last = this.#overlap === 0 ? "" : text.slice(-this.#overlap);
			return sightings;
		};
	}

	/** The words that end after `known`, in the order of their ends. */
	#find(text: string, known: number, beginning: RegExp): Sighting[] {
		const sightings: Sighting[] = [];
		beginning.lastIndex = 0;
		for (let at = beginning.exec(text); at; at = beginning.exec(text)) {
			this.#follow(text, at.index, known, sightings);
			beginning.lastIndex = at.index + 1;
		}
		return sightings.length > 1 ? sightings.toSorted((a, b) => a.end - b.end) : sightings;
	}

	#follow(text: string, start: number, known: number, sightings: Sighting[]): void {
		let node = this.#root.next.get(smallCode(text, start));
		for (let end = start + 1; node; end++) {
			if (node.owners.length > 0 && end > known)
				sightings.push({ start: start - known, end: end - known, owners: node.owners });
			node = node.next.get(smallCode(text, end));
		}
	}

	#plant(word: string, owner: number): void {
		let node = this.#root;
		for (let at = 0; at < word.length; at++) {
			const code = word.charCodeAt(at);
			const next = node.next.get(code) ?? newNode();
			node.next.set(code, next);
			node = next;
		}
		node.owners.push(owner);
	}
}

function newNode(): Node {
	return { next: new Map(), owners: [] };
}

/** NaN after the end, which matches no branch. */
function smallCode(text: string, at: number): number {
	const code = text.charCodeAt(at);
	return code >= 65 && code <= 90 ? code + 32 : code;
}

/** The characters that words have at each of their first positions; other text is skipped. */
function beginningOf(words: readonly string[]): RegExp | undefined {
	if (words.length === 0) return undefined;
	const places = Math.min(limits.wordBeginning, ...words.map(({ length }) => length));
	const sets = Array.from({ length: places }, (_, at) => {
		const chars = new Set(words.map((word) => word[at] ?? ""));
		return `[${[...chars].map((char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`).join("")}]`;
	});
	return new RegExp(sets.join(""), "gi");
}
