/** Finds many words in a stream in one pass over it, whatever their number: the automaton of Aho and Corasick. */

export interface Sighting {
	/** Behind its last character, in the text that was read. */
	end: number;
	/** Whose word it is. */
	owners: readonly number[];
}

export class WordFinder {
	/** For each code below 128 its column; other characters are in no word. */
	readonly #columns = new Uint8Array(128);
	readonly #width: number;
	readonly #table: Uint16Array | Uint32Array;
	readonly #owners: (readonly number[] | undefined)[];

	/** `words` in small letters, of printable ASCII; capital letters of the text count as small ones. */
	constructor(words: readonly { word: string; owner: number }[]) {
		let width = 1;
		for (const { word } of words) {
			for (const char of word) {
				const code = char.charCodeAt(0);
				if (this.#columns[code] === 0) this.#columns[code] = width++;
			}
		}
		for (let code = 65; code <= 90; code++) this.#columns[code] = this.#columns[code + 32] ?? 0;
		this.#width = width;
		const size = words.reduce((sum, { word }) => sum + word.length, 1) * width;
		this.#table = size / width < 0xffff ? new Uint16Array(size) : new Uint32Array(size);
		this.#owners = this.#build(words);
	}

	/** `state` is what the last piece ended with, 0 in the beginning. Adds each word to `found`, and gives the new state. */
	read(text: string, from: number, to: number, state: number, found: Sighting[]): number {
		const [columns, table, owners, width] = [this.#columns, this.#table, this.#owners, this.#width];
		let at = state;
		for (let index = from; index < to; index++) {
			const code = text.charCodeAt(index);
			const column = code < 128 ? (columns[code] ?? 0) : 0;
			at = column === 0 ? 0 : (table[at * width + column] ?? 0);
			const here = owners[at];
			if (here !== undefined) found.push({ end: index + 1, owners: here });
		}
		return at;
	}

	#build(words: readonly { word: string; owner: number }[]): (readonly number[] | undefined)[] {
		const owners: number[][] = [[]];
		for (const { word, owner } of words) {
			let at = 0;
			for (const char of word) {
				const cell = at * this.#width + (this.#columns[char.charCodeAt(0)] ?? 0);
				this.#table[cell] ||= owners.push([]) - 1;
				at = this.#table[cell] ?? 0;
			}
			owners[at]?.push(owner);
		}
		this.#link(owners);
		return owners.map((list) => (list.length > 0 ? list : undefined));
	}

	/** Where a word does not go on, the longest end of what was read that begins another one does. */
	#link(owners: number[][]): void {
		const back = new Uint32Array(owners.length);
		const queue = [0];
		for (let next = 0; next < queue.length; next++) {
			const at = queue[next] ?? 0;
			for (let column = 1; column < this.#width; column++) {
				const cell = at * this.#width + column;
				const to = this.#table[cell] ?? 0;
				const otherwise = at === 0 ? 0 : (this.#table[(back[at] ?? 0) * this.#width + column] ?? 0);
				if (to === 0) this.#table[cell] = otherwise;
				else {
					back[to] = otherwise;
					owners[to]?.push(...(owners[otherwise] ?? []));
					queue.push(to);
				}
			}
		}
	}
}
