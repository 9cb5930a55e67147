/** Pairs the delimiter runs of emphasis (as in CommonMark), in linear time. */
import type { Style } from "./inline-nodes.ts";

/** A run of `*`, `_` or `~`, of which some characters become styles and the rest stays text. */
export interface Run {
	kind: "run";
	/** Its position in the text. */
	at: number;
	sign: string;
	/** The remaining length. */
	count: number;
	/** The original length. */
	length: number;
	canOpen: boolean;
	canClose: boolean;
	/** True if a letter or a digit precedes it directly. */
	isInWord: boolean;
	/** The styles, innermost first: those next to the text are found first. */
	closes: Style[];
	opens: Style[];
	before: Run | undefined;
	after: Run | undefined;
}

const space = /^[\s\p{Zs}]$/u;
const mark = /^[\p{P}\p{S}]$/u;
const letter = /^[\p{L}\p{N}]$/u;

export function makeRun(text: string, start: number, end: number): Run {
	const sign = text.charAt(start);
	const before = characterBefore(text, start);
	const after = end < text.length ? String.fromCodePoint(text.codePointAt(end) ?? 0x20) : " ";
	const [isSpaceBefore, isSpaceAfter] = [space.test(before), space.test(after)];
	const [isMarkBefore, isMarkAfter] = [mark.test(before), mark.test(after)];
	const isLeft = !isSpaceAfter && (!isMarkAfter || isSpaceBefore || isMarkBefore);
	const isRight = !isSpaceBefore && (!isMarkBefore || isSpaceAfter || isMarkAfter);
	const isStrict = sign === "_";
	const length = end - start;
	// One tilde means "about" more often than it means a deletion.
	const isSign = sign !== "~" || length === 2;
	return {
		kind: "run",
		at: start,
		sign,
		count: length,
		length,
		canOpen: isSign && isLeft && (!isStrict || !isRight || isMarkBefore),
		canClose: isSign && isRight && (!isStrict || !isLeft || isMarkAfter),
		isInWord: letter.test(before),
		closes: [],
		opens: [],
		before: undefined,
		after: undefined,
	};
}

function characterBefore(text: string, at: number): string {
	if (at === 0) return " ";
	const unit = text.charCodeAt(at - 1);
	const isLow = unit >= 0xdc00 && unit <= 0xdfff && at > 1;
	return isLow ? text.slice(at - 2, at) : text.charAt(at - 1);
}

/** The unpaired runs, in the order of the text. */
export class Runs {
	last: Run | undefined;

	push(run: Run): void {
		run.before = this.last;
		if (this.last) this.last.after = run;
		this.last = run;
	}

	/** Pairs the runs after `bottom`. */
	pair(bottom: Run | undefined): void {
		/** Below these, no opener for the same kind of closer is left: searching again would take quadratic time. */
		const floors = new Map<string, number>();
		let closer = this.#firstBehind(bottom);
		while (closer !== undefined) {
			if (!closer.canClose) {
				closer = closer.after;
				continue;
			}
			const kind = `${closer.sign}${closer.canOpen}${closer.length % 3}`;
			const opener = openerFor(closer, floors.get(kind) ?? bottom?.at ?? -1);
			if (opener === undefined) {
				const next: Run | undefined = closer.after;
				floors.set(kind, closer.before?.at ?? -1);
				if (!closer.canOpen) this.#remove(closer);
				closer = next;
			} else closer = this.#join(opener, closer);
		}
	}

	/** The unpaired runs that could still open emphasis. */
	unpaired(): Run[] {
		const runs: Run[] = [];
		for (let run = this.last; run !== undefined; run = run.before) if (run.canOpen) runs.push(run);
		return runs;
	}

	/** Drops the runs after `bottom`, which stay unpaired. */
	forget(bottom: Run | undefined): void {
		this.last = bottom;
		if (bottom) bottom.after = undefined;
	}

	#firstBehind(bottom: Run | undefined): Run | undefined {
		let run = this.last;
		if (run === bottom) return undefined;
		while (run?.before !== bottom) run = run?.before;
		return run;
	}

	/** Consumes characters of both; returns the closer to continue with. */
	#join(opener: Run, closer: Run): Run | undefined {
		const isDouble = closer.count >= 2 && opener.count >= 2;
		const style: Style = closer.sign === "~" ? "del" : isDouble ? "strong" : "em";
		const used = isDouble ? 2 : 1;
		opener.count -= used;
		closer.count -= used;
		opener.opens.push(style);
		closer.closes.push(style);
		// The runs between them stay unpaired.
		opener.after = closer;
		closer.before = opener;
		if (opener.count === 0) this.#remove(opener);
		if (closer.count > 0) return closer;
		const next = closer.after;
		this.#remove(closer);
		return next;
	}

	#remove(run: Run): void {
		if (run.before) run.before.after = run.after;
		if (run.after) run.after.before = run.before;
		else this.last = run.before;
	}
}

function openerFor(closer: Run, floor: number): Run | undefined {
	let opener = closer.before;
	while (opener !== undefined && opener.at > floor) {
		if (opener.sign === closer.sign && opener.canOpen && mayPair(opener, closer)) return opener;
		opener = opener.before;
	}
	return undefined;
}

/** CommonMark's rule of three: `**a*b**` is not an emphasis that ends in the middle. */
function mayPair(opener: Run, closer: Run): boolean {
	if (closer.sign === "~") return opener.count === closer.count;
	if (!opener.canClose && !closer.canOpen) return true;
	return (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}
