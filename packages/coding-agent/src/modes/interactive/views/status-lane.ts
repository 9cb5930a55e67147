/** Shows the current activity, its duration, and how to cancel it. */
import { keyText, truncateToWidth, type Component, type Theme } from "@tau/tui";

import { elapsed, tokens } from "./format.ts";
import type { AnimationClock } from "./animation-clock.ts";

export interface Activity {
	/** The current activity, in short. */
	what: string;
	/** When the run started, by the clock of the animation. */
	since: number;
	/** When it will continue, for a wait. */
	until?: number;
	/** Follows the time of a wait. */
	remark?: string;
	/** The tokens that the model has written so far, about; read when a frame is drawn. */
	written?: () => number;
}

/** An extension's working indicator; shown unchanged, including colors. */
export interface Indicator {
	frames: readonly string[];
	intervalMs: number;
}

export class StatusLane implements Component {
	readonly #theme: { readonly current: Theme };
	readonly #animation: AnimationClock;
	#activity: Activity | undefined;
	#beat: Disposable | undefined;
	/** The text of an extension that replaces the activity's own. */
	words: string | undefined;
	indicator: Indicator | undefined;
	isHidden = false;

	constructor(theme: { readonly current: Theme }, animation: AnimationClock) {
		this.#theme = theme;
		this.#animation = animation;
	}

	/** Sets the current activity; undefined if there is none. */
	set(activity: Activity | undefined): void {
		this.#activity = activity;
		if (activity) this.#beat ??= this.#animation.animate(this);
		else {
			this.#beat?.[Symbol.dispose]();
			this.#beat = undefined;
		}
	}

	get activity(): Activity | undefined {
		return this.#activity;
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		if (this.#activity === undefined || this.isHidden) return [];
		const { what, since, until, remark, written } = this.#activity;
		const theme = this.#theme.current;
		if (this.#animation.isSilent) return ["", truncateToWidth(` ${this.words ?? what}`, width)];
		const now = this.#animation.now();
		const left = until === undefined ? "" : ` in ${Math.max(0, Math.ceil((until - now) / 1000))}s`;
		const key = keyText("app.interrupt");
		const count = written?.() ?? 0;
		const parts = [
			// A countdown says how long it takes; a second number would be a riddle.
			until === undefined ? elapsed(now - since) : "",
			count > 0 ? `↓ ${tokens(count)}` : "",
			key === "" ? "" : `${key} to interrupt`,
		].filter((part) => part !== "");
		const first = until === undefined ? " " : " · ";
		const text = theme.fg("muted", (this.words ?? what) + left + (remark === undefined ? "" : ` ${remark}`));
		const row = ` ${this.#sign(now, theme)}${text}${theme.fg("dim", first + parts.join(" · "))}`;
		return ["", truncateToWidth(row, width)];
	}

	#sign(now: number, theme: Theme): string {
		if (!this.indicator) return `${theme.fg("accent", this.#animation.spinner)} `;
		const { frames, intervalMs } = this.indicator;
		const at = this.#animation.isStill ? 0 : Math.floor(now / intervalMs) % frames.length;
		const frame = frames[at] ?? "";
		return frame === "" ? "" : `${frame} `;
	}
}
