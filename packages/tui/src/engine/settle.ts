/** Determines which rows of a changing block have settled, by observing its changes. */
import { engineLimits } from "../limits.ts";

/**
 * Either of two signs is enough. A block that grows at its end (a streamed answer) has settled except for its last
 * rows. Rows that have not changed for a while have settled too, even if rows below them still change (a task's
 * instructions above its ticking tree).
 */
export class Settling {
	#rows: readonly string[] = [];
	#growing = false;
	#cleanFrames = 0;
	/** The number of rows that were unchanged through all frames of a whole watch. */
	#stable = 0;
	/** The current watch: its length, and the number of rows that were unchanged so far. */
	#watched = 0;
	#still = Number.POSITIVE_INFINITY;
	/** A row here changed after a whole watch: it ticks slowly, and it and what is below it must not settle again. */
	#floor = Number.POSITIVE_INFINITY;

	/** Takes the rows of this frame and returns the number of rows that have settled. */
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

/** True if rows were only inserted: those from `from` on are now at the end. */
function endsAlike(before: readonly string[], now: readonly string[], from: number): boolean {
	const moved = now.length - before.length;
	for (let at = from; at < before.length; at++) {
		if (!looksSame(before[at] ?? "", now[at + moved] ?? "")) return false;
	}
	return true;
}

/** Ignores colors, which may be outdated in the history. */
function looksSame(one: string, other: string): boolean {
	return one === other || Bun.stripANSI(one) === Bun.stripANSI(other);
}
