/** Finds out which rows of a block that is still changing have settled, by watching it change. */
import { engineLimits } from "../limits.ts";

/**
 * Two signs, either is enough. A block that grows at its end (an answer that streams in) has settled but for its last
 * rows. Rows that have stood still for a while have settled too, though rows below them go on changing (a task's
 * instructions above its ticking tree).
 */
export class Settling {
	#rows: readonly string[] = [];
	#growing = false;
	#cleanFrames = 0;
	/** Rows that stood still through all frames of a whole watch. */
	#stable = 0;
	/** Of the running watch: its length, and the rows that have stood still so far. */
	#watched = 0;
	#still = Number.POSITIVE_INFINITY;
	/** A row here changed after a whole watch: it ticks slowly, and it and what is below it must not settle again. */
	#floor = Number.POSITIVE_INFINITY;

	/** The rows of this frame; gives the number of rows that have settled. */
	watch(rows: readonly string[]): number {
		const before = this.#rows;
		this.#rows = rows;
		const same = samePrefix(before, rows);
		if (before.length > 0) {
			this.#judgeGrowth(before.length, rows.length, same);
			this.#judgeStillness(before, rows, same);
		}
		const grown = this.#growing ? rows.length - engineLimits.appendTail : 0;
		return Math.max(0, grown, Math.min(this.#stable, this.#floor, rows.length));
	}

	#judgeGrowth(before: number, now: number, same: number): void {
		if (before - same > engineLimits.appendTail) {
			this.#growing = false;
			this.#cleanFrames = -engineLimits.rearmFrames;
			return;
		}
		this.#cleanFrames++;
		if (this.#cleanFrames > 0 && now > before) this.#growing = true;
	}

	#judgeStillness(before: readonly string[], rows: readonly string[], same: number): void {
		const inserted = rows.length - before.length;
		if (same < this.#stable) {
			this.#stable = same;
			this.#floor = Math.min(this.#floor, same);
		} else if (inserted > 0 && same <= this.#floor && endsAlike(before, rows, same)) {
			this.#floor += inserted;
		}
		this.#still = Math.min(this.#still, same);
		this.#watched++;
		if (this.#watched < engineLimits.stableFrames) return;
		this.#stable = Math.max(this.#stable, this.#still);
		this.#watched = 0;
		this.#still = Number.POSITIVE_INFINITY;
	}
}

function samePrefix(before: readonly string[], now: readonly string[]): number {
	const most = Math.min(before.length, now.length);
	let at = 0;
	while (at < most && looksSame(before[at] ?? "", now[at] ?? "")) at++;
	return at;
}

/** Rows were only put in: what stood from `from` on stands at the end. */
function endsAlike(before: readonly string[], now: readonly string[], from: number): boolean {
	const moved = now.length - before.length;
	for (let at = from; at < before.length; at++) {
		if (!looksSame(before[at] ?? "", now[at + moved] ?? "")) return false;
	}
	return true;
}

/** Colours aside: they may be old in the history. */
function looksSame(one: string, other: string): boolean {
	return one === other || Bun.stripANSI(one) === Bun.stripANSI(other);
}
