/** Looks for the conditions of many rules in one stream of text, however it is cut, at a cost that grows with its length. */
import type { Condition } from "./condition.ts";
import { limits } from "./limits.ts";
import type { Scan } from "./scan.ts";
import { WordFinder, type Sighting } from "./words.ts";

/** All conditions there are; made once, for all streams. */
export class ConditionSet {
	readonly conditions: readonly Condition[];
	readonly finder: WordFinder;
	/** Those that no word announces. */
	readonly wordless: readonly number[];

	constructor(conditions: readonly Condition[]) {
		this.conditions = conditions;
		this.finder = new WordFinder(
			conditions.flatMap(({ words = [] }, owner) => words.map((word) => ({ word, owner }))),
		);
		this.wordless = conditions.flatMap(({ words }, index) => (words ? [] : [index]));
	}
}

interface Running {
	scan: Scan;
	/** Where one of its words was seen last, or nothing where it has none. */
	seenAt: number;
}

export class StreamWatch {
	readonly #set: ConditionSet;
	readonly #isWanted: (index: number) => boolean;
	readonly #running = new Map<number, Running>();
	readonly #met = new Set<number>();
	#state = 0;
	/** The end of what was read, from which a scan begins. */
	#tail = "";
	#position = 0;

	/** `isWanted` says which conditions count in this stream. */
	constructor(set: ConditionSet, isWanted: (index: number) => boolean) {
		this.#set = set;
		this.#isWanted = isWanted;
		for (const index of set.wordless) if (isWanted(index)) this.#start(index, "", Infinity);
	}

	/** Gives the conditions that are met for the first time. */
	push(text: string): number[] {
		const met: number[] = [];
		let from = 0;
		// What was begun is only given up at the end of a line, so that it does not matter how the text is cut.
		while (from < text.length) {
			const line = text.indexOf("\n", from);
			const to = line < 0 ? text.length : line + 1;
			this.#read(text, from, to, met);
			if (line >= 0 && this.#running.size > 0) this.#giveUp(this.#position + to);
			from = to;
		}
		this.#position += text.length;
		this.#tail += text;
		if (this.#tail.length > 4 * limits.windowChars) this.#tail = this.#tail.slice(-limits.windowChars);
		return met;
	}

	/** Nothing more comes. */
	end(): number[] {
		const met: number[] = [];
		for (const [index, { scan }] of this.#running) if (scan.end()) this.#meet(index, met);
		return met;
	}

	#read(text: string, from: number, to: number, met: number[]): void {
		const sightings: Sighting[] = [];
		this.#state = this.#set.finder.read(text, from, to, this.#state, sightings);
		if (this.#running.size > 0) {
			const piece = text.slice(from, to);
			for (const [index, { scan }] of this.#running) if (scan.push(piece)) this.#meet(index, met);
		}
		for (const { end, owners } of sightings) {
			for (const index of owners) this.#see(index, text.slice(0, to), end, met);
		}
	}

	#see(index: number, text: string, end: number, met: number[]): void {
		if (this.#met.has(index) || !this.#isWanted(index)) return;
		const seenAt = this.#position + end;
		const running = this.#running.get(index);
		if (running) return void (running.seenAt = seenAt);
		if (this.#start(index, this.#since(index, text, end), seenAt)) this.#meet(index, met);
	}

	/** What a match that has its word before `end` may begin with, from the start of a line if there is one. */
	#since(index: number, text: string, end: number): string {
		const known = this.#tail + text;
		const word = this.#tail.length + end;
		const from = Math.max(0, word - limits.windowChars);
		// The text has no beginning before this.
		if (from === 0 && this.#position === this.#tail.length && this.#spansLines(index)) return known;
		const line = this.#spansLines(index) ? known.indexOf("\n", from) : known.lastIndexOf("\n", word - 1);
		return known.slice(line < word ? Math.max(from, line + 1) : from);
	}

	#spansLines(index: number): boolean {
		return this.#set.conditions[index]?.spansLines ?? true;
	}

	#start(index: number, text: string, seenAt: number): boolean {
		const condition = this.#set.conditions[index];
		if (!condition || condition.isSpent) return false;
		const scan = condition.scan();
		this.#running.set(index, { scan, seenAt });
		return scan.push(text);
	}

	#meet(index: number, met: number[]): void {
		this.#running.delete(index);
		this.#met.add(index);
		met.push(index);
	}

	#giveUp(position: number): void {
		for (const [index, { seenAt }] of this.#running) {
			const { spansLines = true, isSpent = true } = this.#set.conditions[index] ?? {};
			const reach = spansLines ? limits.windowChars : 0;
			if (isSpent || position - seenAt >= reach) this.#running.delete(index);
		}
	}
}
