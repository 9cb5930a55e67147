/** Components above each other, with padding and a background. */
import { Container } from "../container.ts";
import { cells } from "../elements/rows.ts";
import { innerWidth, surround, type Paint } from "../elements/text.ts";

export class Box extends Container {
	readonly #paddingX: number;
	readonly #paddingY: number;
	#ground: Paint | undefined;

	constructor(paddingX = 1, paddingY = 1, bgFn?: Paint) {
		super();
		this.#paddingX = cells(paddingX);
		this.#paddingY = cells(paddingY);
		this.#ground = bgFn;
	}

	setBgFn(bgFn?: Paint): void {
		this.#ground = bgFn;
	}

	override render(width: number): string[] {
		const rows = super.render(innerWidth(width, this.#paddingX));
		if (rows.length === 0) return [];
		return surround(rows, {
			width,
			paddingX: this.#paddingX,
			paddingY: this.#paddingY,
			ground: this.#ground,
		});
	}
}
