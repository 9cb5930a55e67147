/** Shows the current activity, its duration, and how to cancel it. */
import { keyText, truncateToWidth, visibleWidth, type Component, type Theme } from "@tau/tui";

import { limits } from "../limits.ts";
import { elapsed, tokens } from "./format.ts";
import type { AnimationClock } from "./animation-clock.ts";

export interface Activity {
	/** The current activity, in short. */
	what: string;
	/** When the run started, by the clock of the animation. */
	since: number;
	/** When a failed request is made again. */
	until?: number;
	/** Follows the time of a wait. */
	remark?: string;
	/** The tokens that the model has written so far, about; read when a frame is drawn. */
	written?: () => number;
	/** False while a dialog has the keys. */
	isInterruptible?: boolean;
}

/** An extension's working indicator; shown unchanged, including colors. */
export interface Indicator {
	frames: readonly string[];
	intervalMs: number;
}

/** So many cells of the activity are always shown. */
const leastWords = 12;

export class StatusLane implements Component {
	readonly #theme: { readonly current: Theme };
	readonly #animation: AnimationClock;
	#activity: Activity | undefined;
	#beat: Disposable | undefined;
	/** The text of an extension that replaces the activity's own. */
	words: string | undefined;
	indicator: Indicator | undefined;
	isHidden = false;
	/** How long a command has been running that could continue in the background, in ms. */
	awaitedMs: () => number | undefined = () => undefined;

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

	get isShown(): boolean {
		return this.#activity !== undefined && !this.isHidden;
	}

	render(width: number): string[] {
		if (this.#activity === undefined || this.isHidden) return [];
		const { what, since, until, remark, written, isInterruptible = true } = this.#activity;
		const theme = this.#theme.current;
		if (this.#animation.isSilent) return ["", truncateToWidth(` ${this.words ?? what}`, width)];
		const now = this.#animation.now();
		const left = until === undefined ? "" : ` Retrying in ${Math.max(0, Math.ceil((until - now) / 1000))}s`;
		const key = isInterruptible ? keyText("app.interrupt") : "";
		const count = written?.() ?? 0;
		// A countdown says how long it takes; a second number would be a riddle.
		const time = until === undefined ? elapsed(now - since) : "";
		const output = count > 0 ? `↓ ${tokens(count)}` : "";
		const hint = key === "" ? "" : `${key} to interrupt`;
		const aside = key === "" ? "" : this.#backgroundHint();
		const sign = ` ${this.#sign(now, theme)}`;
		const text = this.words ?? what;
		// On a narrow screen the key stays, and what can be done without is left out.
		const remarks = remark === undefined ? [""] : [` ${remark}`, ""];
		const joined = (...parts: string[]): string =>
			parts.map((part) => (part === "" ? "" : ` · ${part}`)).join("");
		const spaced = time === "" ? "" : ` ${time}`;
		const tails = [
			spaced + joined(output, hint, aside),
			spaced + joined(output, hint),
			spaced + joined(hint),
			joined(hint),
		];
		const choices = remarks.flatMap((more) => tails.map((tail) => ({ wait: left + more, tail })));
		const room = width - visibleWidth(sign);
		const { wait, tail } = choices.find(
			(choice) => visibleWidth(text + choice.wait + choice.tail) <= room,
		) ?? { wait: left, tail: left === "" ? joined(hint) : "" };
		// A long reason is cut, not the time until the next attempt.
		const most = Math.max(leastWords, room - visibleWidth(wait) - 1);
		const words = theme.fg("muted", truncateToWidth(text, most) + wait);
		return ["", truncateToWidth(sign + words + theme.fg("dim", tail), width)];
	}

	/** Only for a command that takes a while: others are over before the key is found. */
	#backgroundHint(): string {
		const key = keyText("app.command.background");
		return key === "" || (this.awaitedMs() ?? 0) < limits.backgroundHintMs ? "" : `${key} background`;
	}

	#sign(now: number, theme: Theme): string {
		if (!this.indicator) return `${theme.fg("accent", this.#animation.spinner)} `;
		const { frames, intervalMs } = this.indicator;
		const at = this.#animation.isStill ? 0 : Math.floor(now / intervalMs) % frames.length;
		const frame = frames[at] ?? "";
		return frame === "" ? "" : `${frame} `;
	}
}
