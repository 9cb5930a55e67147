/** Components above each other, with room around them and a ground behind them. */
import type { Component } from "../component.ts";
import { surround, type Paint } from "./text.ts";

export class Box implements Component {
	readonly children: Component[] = [];
	readonly #paddingX: number;
	readonly #paddingY: number;
	#ground: Paint | undefined;

	constructor(paddingX = 1, paddingY = 1, bgFn?: Paint) {
		this.#paddingX = paddingX;
		this.#paddingY = paddingY;
		this.#ground = bgFn;
	}

	addChild(component: Component): void {
		this.children.push(component);
	}

	removeChild(component: Component): void {
		const at = this.children.indexOf(component);
		if (at !== -1) this.children.splice(at, 1);
	}

	clear(): void {
		this.children.length = 0;
	}

	setBgFn(bgFn?: Paint): void {
		this.#ground = bgFn;
	}

	invalidate(): void {
		for (const child of this.children) child.invalidate();
	}

	render(width: number): string[] {
		const inner = Math.max(1, width - 2 * this.#paddingX);
		const rows = this.children.flatMap((child) => child.render(inner));
		if (rows.length === 0) return [];
		return surround(rows, {
			width,
			paddingX: this.#paddingX,
			paddingY: this.#paddingY,
			ground: this.#ground,
		});
	}
}
