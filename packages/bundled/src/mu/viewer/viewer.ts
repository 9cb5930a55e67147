/** `/mu-tools`: the list of results, and one of them over the whole screen. */
import type { Component, Theme } from "@tau/tui";

import type { ViewedResult } from "../results.ts";
import { DetailView } from "./detail.ts";
import { ResultList } from "./list.ts";

export interface ViewerParts {
	/** The newest first; at least one. */
	results: readonly ViewedResult[];
	describe(toolName: string, args: Record<string, unknown>): string;
	theme: Theme;
	/** Rows of the screen. */
	height(): number;
	redraw(): void;
	close(): void;
	startsAt: "list" | "last";
}

/** A part of the viewer; it says what a key means for the whole. */
export interface Pane {
	render(width: number, height: number): string[];
	handle(data: string): Step | undefined;
}

export type Step = { to: "close" } | { to: "list" } | { to: "detail"; index: number };

export class Viewer implements Component {
	readonly #parts: ViewerParts;
	readonly #list: ResultList;
	#detail: DetailView | undefined;

	constructor(parts: ViewerParts) {
		this.#parts = parts;
		this.#list = new ResultList(parts);
		if (parts.startsAt === "last") this.#open(0);
	}

	/** Colors are asked for in every frame. */
	invalidate(): void {
		this.#detail?.forget();
	}

	/** All of the screen, so that nothing of what is below shines through. */
	render(width: number): string[] {
		const height = Math.max(3, this.#parts.height());
		const rows = this.#pane.render(width, height).slice(0, height);
		return [...rows, ...Array.from({ length: height - rows.length }, () => "")];
	}

	handleInput(data: string): void {
		const step = this.#pane.handle(data);
		if (step?.to === "close") return this.#parts.close();
		if (step?.to === "list") this.#detail = undefined;
		if (step?.to === "detail") this.#open(step.index);
		this.#parts.redraw();
	}

	get #pane(): Pane {
		return this.#detail ?? this.#list;
	}

	#open(index: number): void {
		if (!this.#parts.results[index]) return;
		this.#list.select(index);
		this.#detail = new DetailView(this.#parts, index);
	}
}
