/** The rows of a view that every key draws again, kept until what they are made of changes. */
import type { Theme } from "@tau/tui";

export class KeptRows {
	#rows: string[] = [];
	#width = 0;
	#theme: Theme | undefined;
	#facts = "";

	/** `facts` is all that `draw` uses besides the width and the theme; it may be changed in place. */
	of(width: number, theme: Theme, facts: object, draw: () => string[]): string[] {
		const now = JSON.stringify(facts);
		if (width === this.#width && theme === this.#theme && now === this.#facts) return this.#rows;
		[this.#width, this.#theme, this.#facts] = [width, theme, now];
		this.#rows = draw();
		return this.#rows;
	}
}
