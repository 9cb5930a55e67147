/** Queued messages: one lane for those that steer the answer, one for follow-ups. */
import { keyText, truncateToWidth, wrapTextWithAnsi, type Component, type Theme } from "@tau/tui";
import { oneLine } from "@tau/utils";

import { limits } from "../limits.ts";

export class PendingView implements Component {
	readonly #theme: { readonly current: Theme };
	#steering: readonly string[] = [];
	#followUps: readonly string[] = [];

	constructor(theme: { readonly current: Theme }) {
		this.#theme = theme;
	}

	set(steering: readonly string[], followUps: readonly string[]): void {
		this.#steering = steering;
		this.#followUps = followUps;
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		const rows = [
			...this.#lane("Steering:", this.#steering, width),
			...this.#lane("Follow-up:", this.#followUps, width),
		];
		if (rows.length === 0) return rows;
		const key = keyText("app.message.dequeue");
		const hints = [
			this.#steering.length > 0 ? "Steering is sent after the current step" : "",
			this.#followUps.length > 0 ? "Follow-ups are sent when the turn ends" : "",
			key === "" ? "" : `${key} edits the last one`,
		].filter((hint) => hint !== "");
		const hint = wrapTextWithAnsi(hints.join(" · "), Math.max(1, width - 3));
		return ["", ...rows, ...hint.map((row) => this.#theme.current.fg("dim", `   ${row}`))];
	}

	#lane(name: string, texts: readonly string[], width: number): string[] {
		const theme = this.#theme.current;
		const shown = texts.slice(0, limits.pendingShown).map((text) => {
			const label = theme.fg("accent", ` ${name} `.padEnd(12));
			return truncateToWidth(label + theme.fg("muted", oneLine(text, limits.lineChars)), width);
		});
		const left = texts.length - shown.length;
		return left > 0
			? [...shown, theme.fg("dim", truncateToWidth(`            and ${left} more`, width))]
			: shown;
	}
}
