/** A question with two answers; the details can be read completely before answering. */
import { stripControls } from "@tau/utils";

import type { Component } from "../component.ts";
import { Container } from "../container.ts";
import { getKeybindings, matchesKey } from "../input/index.ts";
import { truncateToWidth, visibleWidth } from "../text.ts";
import type { Theme } from "../theme/index.ts";
import { keyHint, rawKeyHint } from "./key-hint.ts";
import { limits } from "../elements/limits.ts";
import { Panel } from "./panel.ts";
import { labelOf } from "../elements/rows.ts";
import { ScrollView } from "./scroll-view.ts";
import { Spacer } from "./spacer.ts";
import { Text } from "../elements/text.ts";

export interface ConfirmOptions {
	title?: string;
	question: string;
	/** A command, a list of files: always shown as plain text. */
	detail?: string;
	yes?: string;
	no?: string;
	/** True if "yes" destroys something: then "no" is preselected, and a letter alone does not answer. */
	isDangerous?: boolean;
}

export class Confirm extends Panel {
	readonly #choice: Choice;
	readonly #detail: ScrollView | undefined;
	readonly #isDangerous: boolean;
	/** `undefined` when the question was cancelled. */
	onAnswer?: (answer: boolean | undefined) => void;

	constructor(theme: Theme, options: ConfirmOptions) {
		const { question, detail = "", isDangerous = false } = options;
		const choice = new Choice(theme, options);
		const text = new Text(stripControls(detail), 0, 0);
		const view = detail === "" ? undefined : new ScrollView(text, theme, { height: limits.confirmRows });
		const content = new Container();
		content.addChild(new Text(stripControls(question), 0, 0));
		for (const part of view === undefined ? [] : [new Spacer(), view]) content.addChild(part);
		content.addChild(new Spacer());
		content.addChild(choice);
		super(content, theme, {
			title: options.title ?? "",
			border: isDangerous ? "error" : "borderAccent",
			hints: () => [
				keyHint(theme, "tui.select.confirm", "answer"),
				rawKeyHint(theme, "←→", "choose"),
				view?.isScrollable === true ? rawKeyHint(theme, "↑↓", "scroll") : "",
				keyHint(theme, "tui.select.cancel", "cancel"),
			],
		});
		this.#choice = choice;
		this.#detail = view;
		this.#isDangerous = isDangerous;
	}

	override handleInput(data: string): void {
		const keys = getKeybindings();
		if (keys.matches(data, "tui.select.cancel")) this.onAnswer?.(undefined);
		else if (keys.matches(data, "tui.select.confirm")) this.onAnswer?.(this.#choice.isYes);
		else if (matchesKey(data, "y")) this.#letter(true);
		else if (matchesKey(data, "n")) this.#letter(false);
		else if (matchesKey(data, "left")) this.#choice.isYes = true;
		else if (matchesKey(data, "right")) this.#choice.isYes = false;
		else if (matchesKey(data, "tab")) this.#choice.isYes = !this.#choice.isYes;
		else this.#detail?.handleKey(data);
	}

	/** The user may be typing a word when a dangerous question appears. */
	#letter(isYes: boolean): void {
		this.#choice.isYes = isYes;
		if (!this.#isDangerous) this.onAnswer?.(isYes);
	}
}

class Choice implements Component {
	readonly #theme: Theme;
	readonly #yes: string;
	readonly #no: string;
	readonly #isDangerous: boolean;
	isYes: boolean;

	constructor(theme: Theme, { yes = "Yes", no = "No", isDangerous = false }: ConfirmOptions) {
		this.#theme = theme;
		this.#yes = ` ${labelOf(yes)} `;
		this.#no = ` ${labelOf(no)} `;
		this.#isDangerous = isDangerous;
		this.isYes = !isDangerous;
	}

	invalidate(): void {
		// No rows are cached.
	}

	/** The answers are beside each other if both are readable, else one below the other. */
	render(width: number): string[] {
		const yes = this.#button(this.#yes, this.isYes, this.#isDangerous ? "error" : "success");
		const no = this.#button(this.#no, !this.isYes, "accent");
		const isWide = visibleWidth(`${this.#yes} ${this.#no}`) <= width;
		return (isWide ? [`${yes} ${no}`] : [yes, no]).map((row) => truncateToWidth(row, width));
	}

	#button(label: string, isChosen: boolean, color: "error" | "success" | "accent"): string {
		return isChosen ? this.#theme.inverse(this.#theme.fg(color, label)) : this.#theme.fg("muted", label);
	}
}
