/** A view context for tests: no colors, a manual clock, and frames as text. */
import { builtinTheme, setKeybindings, type Clock, type Component } from "@tau/tui";
import { onDispose } from "@tau/utils";

import { newKeys } from "../keys.ts";
import { AnimationClock } from "../views/animation-clock.ts";
import type { ViewContext } from "../views/view-context.ts";

export class HandClock implements Clock {
	#now = 0;
	#waiting: { at: number; run: () => void }[] = [];

	now(): number {
		return this.#now;
	}

	after(ms: number, run: () => void): Disposable {
		const entry = { at: this.#now + ms, run };
		this.#waiting.push(entry);
		return onDispose(() => {
			this.#waiting = this.#waiting.filter((other) => other !== entry);
		});
	}

	/** Advances the time and runs due timers in order. */
	pass(ms: number): void {
		const end = this.#now + ms;
		for (;;) {
			const [next] = this.#waiting.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
			if (!next) break;
			this.#waiting = this.#waiting.filter((other) => other !== next);
			this.#now = next.at;
			next.run();
		}
		this.#now = end;
	}

	get isWaiting(): boolean {
		return this.#waiting.length > 0;
	}
}

export interface TestViewContext extends ViewContext {
	readonly clock: HandClock;
	expandTools: boolean;
	showThinking: boolean;
	/** The components that requested a redraw. */
	readonly redrawn: Component[];
}

export function testViewContext(more: Partial<ViewContext> = {}): TestViewContext {
	// Hints name the keys of the application.
	setKeybindings(newKeys());
	const clock = new HandClock();
	const redrawn: Component[] = [];
	const redraw = (component: Component): void => void redrawn.push(component);
	return {
		theme: { current: builtinTheme("dark", "none") },
		animation: new AnimationClock({ requestComponentRender: redraw }, clock),
		cwd: "/work",
		expandTools: false,
		showThinking: false,
		findRenderer: () => undefined,
		findMessageRenderer: () => undefined,
		transforms: { transform: () => undefined, belowThinking: () => [] },
		thinkingLabel: undefined,
		imageSize: { columns: 60, rows: 20 },
		hyperlinks: false,
		...more,
		redraw,
		redrawn,
		clock,
	};
}

/** The rows as a user sees them, each with a mark at its end. */
export function frame(component: Component, width: number): string {
	return component
		.render(width)
		.map((row) => `${Bun.stripANSI(row).trimEnd()}`)
		.join("\n");
}
