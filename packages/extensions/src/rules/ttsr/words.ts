/** Finds many words in a streamed text: the engine finds where one may begin, a tree decides which it is. */
import { limits } from "./limits.ts";

export interface Sighting {
	/** Where the word begins and ends in the piece that was read last; it may have begun in an earlier one. */
	start: number;
	end: number;
	/** Whose word it is. */
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
	/** Matches wherever a word may begin. The engine runs over the text at once, where a loop of ours is slow at first. */
	readonly #beginning: RegExp | undefined;
	/** The part of a chunk to retain, because a word may continue in the next one. */
	readonly #overlap: number;

	/** `words` in small letters, of printable ASCII; capital letters of the text count as small ones. */
	constructor(words: readonly Word[]) {
		for (const { word, owner } of words) this.#plant(word, owner);
		this.#overlap = Math.max(1, ...words.map(({ word }) => word.length)) - 1;
		this.#beginning = beginningOf(words.map(({ word }) => word));
	}

	/** To be called once for each text. */
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

	/** Those that end behind `known`, in the order of their ends. */
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

/** NaN behind the end, which leads nowhere. */
function smallCode(text: string, at: number): number {
	const code = text.charCodeAt(at);
	return code >= 65 && code <= 90 ? code + 32 : code;
}

/** For each of the first places the characters that words have there: what fits nowhere is passed over. */
function beginningOf(words: readonly string[]): RegExp | undefined {
	if (words.length === 0) return undefined;
	const places = Math.min(limits.wordBeginning, ...words.map(({ length }) => length));
	const sets = Array.from({ length: places }, (_, at) => {
		const chars = new Set(words.map((word) => word[at] ?? ""));
		return `[${[...chars].map((char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`).join("")}]`;
	});
	return new RegExp(sets.join(""), "gi");
}
