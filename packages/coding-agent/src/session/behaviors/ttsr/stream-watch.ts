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
			this.#read(text.slice(from, to), met);
			if (line >= 0) this.#giveUp();
			from = to;
		}
		return met;
	}

	/** Nothing more comes. */
	end(): number[] {
		const met: number[] = [];
		for (const [index, { scan }] of this.#running) if (scan.end()) this.#meet(index, met);
		return met;
	}

	#read(piece: string, met: number[]): void {
		const sightings: Sighting[] = [];
		this.#state = this.#set.finder.read(piece, this.#state, (sighting) => sightings.push(sighting));
		for (const [index, { scan }] of this.#running) if (scan.push(piece)) this.#meet(index, met);
		for (const { end, owners } of sightings) {
			for (const index of owners) this.#see(index, piece, end, met);
		}
		this.#position += piece.length;
		this.#tail = (this.#tail + piece).slice(-limits.windowChars);
	}

	#see(index: number, piece: string, end: number, met: number[]): void {
		if (this.#met.has(index) || !this.#isWanted(index)) return;
		const running = this.#running.get(index);
		if (running) return void (running.seenAt = this.#position + end);
		const before = this.#tail.slice(Math.min(end, this.#tail.length));
		const text = this.#set.conditions[index]?.spansLines ? before : before.slice(before.lastIndexOf("\n") + 1);
		if (this.#start(index, text + piece, this.#position + end)) this.#meet(index, met);
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

	#giveUp(): void {
		for (const [index, { seenAt }] of this.#running) {
			const { spansLines = true, isSpent = true } = this.#set.conditions[index] ?? {};
			const reach = spansLines ? limits.windowChars : 0;
			if (isSpent || this.#position - seenAt >= reach) this.#running.delete(index);
		}
	}
}
