/** One line above the editor that offers something, until a key answers it or a prompt is sent. */
import { keyText, truncateToWidth, type Component, type Theme } from "@tau/tui";

export interface LineOffer {
	readonly text: string;
	/** What accepting does, as a verb. */
	readonly verb: string;
}

export class OfferLine implements Component {
	readonly #theme: { readonly current: Theme };
	readonly #requestRender: () => void;
	#offer: LineOffer | undefined;
	#answer: ((isAccepted: boolean) => void) | undefined;

	constructor(theme: { readonly current: Theme }, requestRender: () => void) {
		this.#theme = theme;
		this.#requestRender = requestRender;
	}

	show(offer: LineOffer, answer: (isAccepted: boolean) => void): void {
		this.#offer = offer;
		this.#answer = answer;
		this.#requestRender();
	}

	/** Nobody has answered. */
	hide(): void {
		this.#offer = undefined;
		this.#answer = undefined;
		this.#requestRender();
	}

	/** Returns whether something was offered. */
	answer(isAccepted: boolean): boolean {
		const answer = this.#answer;
		this.hide();
		answer?.(isAccepted);
		return answer !== undefined;
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		if (!this.#offer) return [];
		const theme = this.#theme.current;
		const { text, verb } = this.#offer;
		const keys = ` ${keyText("app.offer.accept")} to ${verb} · ${keyText("app.offer.never")} for never`;
		return [
			"",
			truncateToWidth(`${theme.fg("accent", " ✦")} ${theme.fg("text", text)}${theme.fg("dim", keys)}`, width),
		];
	}
}
