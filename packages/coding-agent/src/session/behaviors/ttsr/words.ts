/** Finds many words in a stream in one pass over it, whatever their number: the automaton of Aho and Corasick. */

export interface Sighting {
	/** Behind its last character, in the text that was read. */
	end: number;
	/** Whose word it is. */
	owners: readonly number[];
}

interface Word {
	word: string;
	owner: number;
}

export class WordFinder {
	/** For each code below 128 its column, from 1; what is in no word has column 0, which leads back to the start. */
	readonly #columns = new Uint8Array(128);
	readonly #width: number;
	/** A state is the place of its row. Where a word ends in it, it is complemented: the loop asks for nothing else. */
	readonly #table: Int32Array;
	readonly #owners = new Map<number, number[]>();

	/** `words` in small letters, of printable ASCII; capital letters of the text count as small ones. */
	constructor(words: readonly Word[]) {
		let width = 1;
		for (const { word } of words) {
			for (const char of word) {
				const code = char.charCodeAt(0);
				if (this.#columns[code] === 0) this.#columns[code] = width++;
			}
		}
		for (let code = 65; code <= 90; code++) this.#columns[code] = this.#columns[code + 32] ?? 0;
		this.#width = width;
		this.#table = new Int32Array(words.reduce((sum, { word }) => sum + word.length, 1) * width);
		this.#plant(words);
		this.#link();
	}

	/** `state` is what the last piece ended with, 0 in the beginning. Adds each word to `found`, and gives the new state. */
	read(text: string, from: number, to: number, state: number, found: Sighting[]): number {
		const [columns, table] = [this.#columns, this.#table];
		let at = state;
		for (let index = from; index < to; index++) {
			const code = text.charCodeAt(index);
			at = table[at + (code < 128 ? (columns[code] ?? 0) : 0)] ?? 0;
			if (at >= 0) continue;
			at = ~at;
			found.push({ end: index + 1, owners: this.#owners.get(at) ?? [] });
		}
		return at;
	}

	#plant(words: readonly Word[]): void {
		let free = this.#width;
		for (const { word, owner } of words) {
			let at = 0;
			for (const char of word) {
				const cell = at + (this.#columns[char.charCodeAt(0)] ?? 0);
				if (this.#table[cell] === 0) {
					this.#table[cell] = free;
					free += this.#width;
				}
				at = this.#table[cell] ?? 0;
			}
			this.#owners.set(at, [...(this.#owners.get(at) ?? []), owner]);
		}
	}

	/** Where a word does not go on, the longest end of what was read that begins another one does. */
	#link(): void {
		const back = new Map<number, number>();
		const queue = [0];
		for (let next = 0; next < queue.length; next++) {
			const at = queue[next] ?? 0;
			for (let column = 1; column < this.#width; column++) {
				const to = this.#table[at + column] ?? 0;
				const otherwise = at === 0 ? 0 : (this.#table[(back.get(at) ?? 0) + column] ?? 0);
				if (to === 0) {
					this.#table[at + column] = otherwise;
					continue;
				}
				back.set(to, otherwise < 0 ? ~otherwise : otherwise);
				this.#inherit(to, back.get(to) ?? 0);
				if (this.#owners.has(to)) this.#table[at + column] = ~to;
				queue.push(to);
			}
		}
	}

	/** A word may end with another one. */
	#inherit(to: number, from: number): void {
		const owners = this.#owners.get(from);
		if (owners) this.#owners.set(to, [...(this.#owners.get(to) ?? []), ...owners]);
	}
}
