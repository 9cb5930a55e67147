/** Matches the conditions of many rules in one stream of text, in any chunks, in linear time. */
import type { Condition } from "./condition.ts";
import { limits } from "./limits.ts";
import type { Scan } from "./scan.ts";
import { WordFinder, type Sighting } from "./words.ts";

/** All conditions, prepared once for all streams. */
export class ConditionSet {
	readonly conditions: readonly Condition[];
	readonly finder: WordFinder;
	/** The conditions without required words. */
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
	/** The last position of one of its words; infinite if it has none. */
	seenAt: number;
}

export class StreamWatch {
	readonly #set: ConditionSet;
	readonly #isWanted: (index: number) => boolean;
	readonly #sightings: (piece: string) => Sighting[];
	readonly #running = new Map<number, Running>();
	readonly #met = new Set<number>();
	/** How far the conditions that start with their word have read without a match. */
	readonly #restedAt = new Map<number, number>();
	/** The end of the text so far, from which a scan may start. */
	#tail = "";
	#position = 0;

	/** `isWanted` returns which conditions apply to this stream. */
	constructor(set: ConditionSet, isWanted: (index: number) => boolean) {
		this.#set = set;
		this.#isWanted = isWanted;
		this.#sightings = set.finder.reader();
		for (const index of set.wordless) {
			const condition = isWanted(index) ? set.conditions[index] : undefined;
			if (condition && !condition.isSpent)
				this.#running.set(index, { scan: condition.scan(""), seenAt: Infinity });
		}
	}

	/** Returns the conditions that are met for the first time. */
	push(text: string): number[] {
		const met: number[] = [];
		const sightings = this.#sightings(text);
		const known = this.#tail + text;
		if (sightings.length > 0 || this.#running.size > 0) this.#readLines(text, known, sightings, met);
		this.#position += text.length;
		this.#tail = known;
		if (this.#tail.length > 4 * limits.windowChars) this.#tail = this.#tail.slice(-limits.windowChars);
		return met;
	}

	/** Ends the stream. */
	end(): number[] {
		const met: number[] = [];
		for (const [index, { scan }] of this.#running) if (scan.end()) this.#meet(index, met);
		return met;
	}

	/** Scans are dropped only at the end of a line, so that the result does not depend on the chunks. */
	#readLines(text: string, known: string, sightings: readonly Sighting[], met: number[]): void {
		let seen = 0;
		for (let from = 0; from < text.length;) {
			const line = text.indexOf("\n", from);
			const to = line < 0 ? text.length : line + 1;
			for (const [index, { scan }] of this.#running) this.#goOn(index, scan, { text, from, to, met });
			for (; seen < sightings.length; seen++) {
				const sighting = sightings[seen];
				if (!sighting || sighting.end > to) break;
				for (const index of sighting.owners) this.#see(index, sighting, { text: known, to, met });
			}
			if (line >= 0 && this.#running.size > 0) this.#giveUp(this.#position + to);
			from = to;
		}
	}

	/** `known` is the tail and the text; the part before `to` has been read. */
	#see(index: number, sighting: Sighting, known: { text: string; to: number; met: number[] }): void {
		if (this.#met.has(index) || !this.#isWanted(index)) return;
		const seenAt = this.#position + sighting.end;
		const running = this.#running.get(index);
		if (running) return void (running.seenAt = seenAt);
		// This occurrence was scanned before, without a match.
		if (this.#position + sighting.start < (this.#restedAt.get(index) ?? 0)) return;
		const condition = this.#set.conditions[index];
		if (!condition || condition.isSpent) return;
		const base = this.#tail.length;
		const from = condition.wordsLead ? base + sighting.start : this.#since(condition, known.text, sighting);
		const scan = condition.scan(condition.wordsLead ? (known.text[from - 1] ?? "") : "");
		this.#running.set(index, { scan, seenAt });
		this.#goOn(index, scan, { ...known, from, to: base + known.to }, base);
	}

	/** `base` is the length of the text before the position. */
	#goOn(
		index: number,
		scan: Scan,
		{ text, from, to, met }: { text: string; from: number; to: number; met: number[] },
		base = 0,
	): void {
		if (scan.push(text, from, to)) return this.#meet(index, met);
		if (scan.idleAt === undefined) return;
		// It starts again at its next word.
		this.#running.delete(index);
		this.#restedAt.set(index, this.#position - base + scan.idleAt);
	}

	/** The earliest start of a match with its word there: the start of a line if there is one. */
	#since({ spansLines }: Condition, known: string, { end }: Sighting): number {
		const word = this.#tail.length + end;
		const from = Math.max(0, word - limits.windowChars);
		// There is no earlier text.
		if (from === 0 && this.#position === this.#tail.length && spansLines) return 0;
		const line = spansLines ? known.indexOf("\n", from) : known.lastIndexOf("\n", word - 1);
		return line < word ? Math.max(from, line + 1) : from;
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
