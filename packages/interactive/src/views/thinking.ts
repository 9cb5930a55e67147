/** A thinking block of the model: a one-line label, or the text itself. */
import { Text, type Theme } from "@tau/tui";
import { stripControls } from "@tau/utils";
import type { ThinkingRenderContext } from "@tau/extensions/api";

import { duration } from "./format.ts";
import { ViewBlock, type ViewContext } from "./view-context.ts";

const headline = /^\*\*([^*\n]+)\*\*$/gm;

const first = { contentIndex: 0, thinkingIndex: 0 };

/** The position of the block in its answer. */
export type ThinkingPosition = Pick<ThinkingRenderContext, "contentIndex" | "thinkingIndex">;

export class ThinkingView extends ViewBlock {
	#text: string;
	/** Kept, so that only what is new is wrapped. */
	readonly #words = new Text("", 3, 0);
	readonly #position: ThinkingPosition;
	readonly #startedAt: number;
	/** How long the thinking took; undefined if it was not measured. */
	#tookMs: number | undefined;
	#beat: Disposable | undefined;

	/** With `isFinal` it is one of the past. */
	constructor(view: ViewContext, text: string, isFinal: boolean, position: ThinkingPosition = first) {
		super(view);
		this.#text = text;
		this.#position = position;
		this.#startedAt = view.animation.now();
		if (!isFinal) this.#beat = view.animation.animate(this);
	}

	append(delta: string): void {
		this.#text += delta;
		// Hidden text changes nothing; the clock draws the time.
		if (this.view.showThinking) this.changed();
	}

	finish(text: string = this.#text): void {
		if (this.#beat === undefined) return;
		this.#text = text;
		this.#tookMs = this.view.animation.now() - this.#startedAt;
		this.#beat[Symbol.dispose]();
		this.#beat = undefined;
		this.changed();
	}

	protected override isDone(): boolean {
		return this.#beat === undefined;
	}

	protected draw(width: number, theme: Theme): string[] {
		const text = stripControls(this.#text).trim();
		// While it streams, the status line says so; a second sign of the same would only distract.
		if (!this.isDone() && (!this.view.showThinking || text === "")) return [];
		// Thinking that the vendor hides leaves nothing to show once it is over.
		if (text === "" && this.isDone()) return [];
		const head = theme.italic(theme.fg("thinkingText", this.#headline()));
		const line = new Text(head, 1, 0).render(width);
		if (!this.view.showThinking || text === "") return line.slice(0, 1);
		const paint = (row: string): string => theme.italic(theme.fg("thinkingText", row));
		// Headlines of the model are Markdown; the rest of its thinking rarely is.
		const shown = this.#shown(text, width - 6).replaceAll(headline, (_, words: string) => theme.bold(words));
		this.#words.setText(shown);
		const words = this.#words.render(width).map(paint);
		const context = { ...this.#position, text, requestRender: () => this.changed() };
		return [...line.slice(0, 1), ...words, ...this.view.transforms.belowThinking(context, theme, width)];
	}

	#shown(text: string, availableWidth: number): string {
		const transform = this.view.transforms.transform();
		if (!transform) return text;
		const about = {
			messageType: "assistant-thinking",
			isStreaming: !this.isDone(),
			availableWidth,
		} as const;
		return stripControls(transform(text, about));
	}

	#headline(): string {
		if (!this.isDone()) return "∴ thinking";
		const { thinkingLabel, showThinking } = this.view;
		if (thinkingLabel !== undefined && !showThinking) return `∴ ${thinkingLabel}`;
		return this.#tookMs === undefined || this.#tookMs < 1000
			? "∴ thought"
			: `∴ thought for ${duration(this.#tookMs)}`;
	}
}
