/** The text of the model's answer: Markdown that is laid out while it streams in. */
import { Markdown, markdownTheme, type Scrolled, type Theme, type TranscriptBlock } from "@tau/tui";
import { log } from "@tau/utils";

import type { ViewContext } from "./view-context.ts";

export class AnswerTextView implements Scrolled, TranscriptBlock {
	readonly #view: ViewContext;
	#text: string;
	#isFinal: boolean;
	readonly #isAnswer: boolean;
	/** The transformed text and its width; undefined if the text is drawn unchanged. */
	#instead: { text: string; width: number; isFinal: boolean } | undefined;
	#theme: Theme;
	#markdown: Markdown;

	/** Extensions may transform the text of an answer before it is drawn. */
	constructor(view: ViewContext, text: string, isFinal: boolean, isAnswer = true) {
		this.#view = view;
		this.#isAnswer = isAnswer;
		this.#text = text;
		this.#isFinal = isFinal;
		this.#theme = view.theme.current;
		this.#markdown = this.#made();
	}

	append(delta: string): void {
		this.#text += delta;
		if (!this.#instead) this.#markdown.append(delta);
		this.#view.redraw(this);
	}

	/** The whole, as it came out at the end. */
	finish(text: string = this.#text): void {
		this.#text = text;
		this.#isFinal = true;
		if (!this.#instead) this.#markdown.setText(text);
		this.#view.redraw(this);
	}

	isFinal(): boolean {
		return this.#isFinal && !this.isBehind();
	}

	isBehind(): boolean {
		return this.#markdown.isBehind();
	}

	invalidate(): void {
		const theme = this.#view.theme.current;
		if (theme === this.#theme) return this.#markdown.invalidate();
		this.#theme = theme;
		this.#instead = undefined;
		this.#markdown = this.#made();
	}

	render(width: number): string[] {
		let count: number;
		do count = this.rowCount(width);
		while (this.isBehind());
		return this.rows(width, 0, count);
	}

	/** Counts a blank row and the text; zero if there is no text. */
	rowCount(width: number): number {
		const count = this.#asked(() => this.#for(width).rowCount(width), 1);
		return count === 0 ? 0 : count + 1;
	}

	rows(width: number, from: number, to: number): string[] {
		const blank = from === 0 && to > 0 ? [""] : [];
		const rows = this.#asked(
			() => this.#for(width).rows(width, Math.max(0, from - 1), to - 1),
			[this.#theme.fg("error", "[could not be drawn]")],
		);
		return [...blank, ...rows];
	}

	liveFrom(width: number): number {
		// What is drawn instead may be another from the first row on.
		if (this.#instead && !this.#isFinal) return 0;
		const live = this.#asked(() => this.#for(width).liveFrom(width), 0);
		return live === 0 ? 0 : live + 1;
	}

	#made(): Markdown {
		const { hyperlinks } = this.#view;
		const made = new Markdown("", 1, 0, markdownTheme(this.#theme), {}, { hyperlinks });
		if (this.#isFinal) made.setText(this.#text);
		else made.append(this.#text);
		return made;
	}

	/** With what extensions make of the text: it may depend on the columns, and on whether more is coming. */
	#for(width: number): Markdown {
		const transform = this.#isAnswer ? this.#view.transforms.transform() : undefined;
		if (!transform && !this.#instead) return this.#markdown;
		const [text, isFinal, before] = [this.#text, this.#isFinal, this.#instead];
		if (before?.text === text && before.width === width && before.isFinal === isFinal) return this.#markdown;
		this.#instead = transform && { text, width, isFinal };
		const about = { messageType: "assistant", isStreaming: !isFinal, availableWidth: width - 2 } as const;
		this.#markdown.setText(transform?.(text, about) ?? text);
		return this.#markdown;
	}

	/** What a model writes must not take the screen with it. */
	#asked<T>(ask: () => T, otherwise: T): T {
		try {
			return ask();
		} catch (error) {
			log.error("an answer failed to draw", { reason: String(error) });
			return otherwise;
		}
	}
}
