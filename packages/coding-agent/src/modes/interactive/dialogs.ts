/** Questions to the person, in the place of the editor. */
import { Input, MultiSelectList, SelectList, type Component } from "@tau/tui";
import { listen } from "@tau/utils";

import type { Answer, Question } from "../../tools/place.ts";
import type { EditorSlot } from "./editor-slot.ts";
import type { Choice, DialogOptions, Dialogs } from "./host.ts";
import { liveSelectTheme } from "./screen.ts";
import type { ThemeStore } from "./theme-store.ts";
import { Titled } from "./views/titled.ts";

const shownChoices = 10;
/** Stands for an answer in the person's own words. */
const ownWords = "\u0000own";

export function dialogsIn(slot: EditorSlot, theme: ThemeStore): Dialogs {
	const shown = new Shown(slot, theme);
	return {
		select: (title, choices, options) => shown.select(title, choices, options),
		confirm: async (title, message, options) => {
			const text = message === undefined ? title : `${title}\n${message}`;
			const chosen = await shown.select(text, yesNo, options);
			return chosen === undefined ? undefined : chosen === "yes";
		},
		input: (title, options) => shown.input(title, options),
		questions: async (questions, signal) => {
			const answers: Answer[] = [];
			for (const question of questions) {
				const answer = await shown.question(question, signal);
				if (answer === undefined) return undefined;
				answers.push(answer);
			}
			return answers;
		},
	};
}

const yesNo: readonly Choice[] = [
	{ value: "yes", label: "Yes" },
	{ value: "no", label: "No" },
];

class Shown {
	readonly #slot: EditorSlot;
	readonly #theme: ThemeStore;

	constructor(slot: EditorSlot, theme: ThemeStore) {
		this.#slot = slot;
		this.#theme = theme;
	}

	select(
		title: string,
		choices: readonly Choice[],
		options: DialogOptions = {},
	): Promise<string | undefined> {
		return this.#ask(options.signal, (answer) => {
			const list = new SelectList(choices, shownChoices, liveSelectTheme(this.#theme));
			list.onSelect = ({ value }) => answer(value);
			return new Titled(title, list, this.#theme);
		});
	}

	input(
		title: string,
		options: DialogOptions & { placeholder?: string; initial?: string } = {},
	): Promise<string | undefined> {
		return this.#ask(options.signal, (answer) => {
			const field = new Input();
			field.setValue(options.initial ?? "");
			field.onSubmit = (value) => answer(value);
			const hint = options.placeholder === undefined ? "" : `\n${options.placeholder}`;
			return new Titled(title + hint, field, this.#theme);
		});
	}

	async question(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
		const { id, options, multiple } = question;
		if (options.length === 0) return this.#inWords(question, [], signal);
		const chosen = multiple ? await this.#several(question, signal) : await this.#one(question, signal);
		if (chosen === undefined) return undefined;
		const labels = chosen.filter((value) => value !== ownWords);
		return chosen.includes(ownWords) ? this.#inWords(question, labels, signal) : { id, chosen: labels };
	}

	async #inWords(
		{ id, question }: Question,
		chosen: string[],
		signal: AbortSignal,
	): Promise<Answer | undefined> {
		const text = await this.input(question, { signal });
		return text === undefined ? undefined : { id, chosen, ...(text === "" ? {} : { text }) };
	}

	async #one(question: Question, signal: AbortSignal): Promise<string[] | undefined> {
		const chosen = await this.#ask<string>(signal, (answer) => {
			const list = new SelectList(choicesOf(question), shownChoices, liveSelectTheme(this.#theme));
			list.setSelectedIndex(question.recommended ?? 0);
			list.onSelect = ({ value }) => answer(value);
			return new Titled(question.question, list, this.#theme);
		});
		return chosen === undefined ? undefined : [chosen];
	}

	#several(question: Question, signal: AbortSignal): Promise<string[] | undefined> {
		return this.#ask<string[]>(signal, (answer) => {
			const list = new MultiSelectList(choicesOf(question), shownChoices, liveSelectTheme(this.#theme));
			list.onConfirm = answer;
			return new Titled(question.question, list, this.#theme);
		});
	}

	/** Resolves with nothing when it is cancelled, by a key or by the signal. */
	async #ask<T>(
		signal: AbortSignal | undefined,
		make: (answer: (value: T) => void) => Component,
	): Promise<T | undefined> {
		if (signal?.aborted) return undefined;
		const answered = Promise.withResolvers<T | undefined>();
		const closable = this.#slot.show(make(answered.resolve), { onCancel: () => answered.resolve(undefined) });
		using _ = signal ? listen(signal, "abort", () => answered.resolve(undefined)) : undefined;
		try {
			return await answered.promise;
		} finally {
			closable.close();
		}
	}
}

function choicesOf({ options, recommended }: Question): Choice[] {
	const offered = options.map(({ label, description }, at) => ({
		value: label,
		label: at === recommended ? `${label} (recommended)` : label,
		...(description === undefined ? {} : { description }),
	}));
	return [...offered, { value: ownWords, label: "Something else …" }];
}
