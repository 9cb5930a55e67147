/** Dialogs for the user, shown in place of the editor. */
import {
	Editor,
	Input,
	keyText,
	MultiSelectList,
	SelectList,
	truncateToWidth,
	type Component,
} from "@tau/tui";
import { listen, timer } from "@tau/utils";
import type { AnswerOf, UserRequestOf } from "@tau/wire";
import type { Answer, Question } from "@tau/tools/tool";

import type { Choice, DialogOptions, Dialogs } from "./host.ts";
import { liveEditorTheme, liveSelectTheme, type Screen } from "./screen.ts";
import { Titled } from "./views/titled.ts";

const shownChoices = 10;
/** The option for an answer in free text. */
const ownWords = "\u0000own";

export function dialogsIn(screen: Screen): Dialogs {
	const shown = new Shown(screen);
	return {
		select: (title, choices, options) => shown.select(title, choices, options),
		confirm: async (title, message, options) => {
			const text = message === undefined ? title : `${title}\n${message}`;
			const chosen = await shown.select(text, yesNo, options);
			return chosen === undefined ? undefined : chosen === "yes";
		},
		input: (title, options) => shown.input(title, options),
		editor: (title, options) => shown.editor(title, options),
		approval: (request, signal) => shown.approval(request, signal),
		questions: async (questions, signal) => {
			const answers: Answer[] = [];
			for (let at = 0; at < questions.length;) {
				const question = questions[at];
				if (question === undefined) break;
				let isBack = false;
				const answer = await shown.question(question, {
					signal,
					isRequest: true,
					place: questions.length > 1 ? ` (${at + 1} of ${questions.length})` : "",
					before: answers[at],
					...(at > 0 ? { onBack: () => (isBack = true) } : {}),
				});
				if (answer === undefined && !isBack) return undefined;
				if (answer) answers[at] = answer;
				at += isBack ? -1 : 1;
			}
			return answers;
		},
	};
}

interface QuestionOptions extends DialogOptions {
	/** Which of several questions it is. */
	place: string;
	/** The answer that the user came back to. */
	before: Answer | undefined;
}

const yesNo: readonly Choice[] = [
	{ value: "yes", label: "Yes" },
	{ value: "no", label: "No" },
];

class Shown {
	readonly #screen: Screen;

	constructor(screen: Screen) {
		this.#screen = screen;
	}

	select(
		title: string,
		choices: readonly Choice[],
		options: DialogOptions = {},
		selected = 0,
	): Promise<string | undefined> {
		const keys = `${numbersOf(choices)}${keyText("tui.select.confirm")} to select`;
		return this.#ask({ title, keys }, options, (answer) => {
			const theme = liveSelectTheme(this.#screen.theme);
			const list = new SelectList(choices, shownChoices, theme, {
				numbered: true,
				wrapItems: true,
			});
			const chosen = choices.findIndex(({ value }) => value === options.selected);
			list.setSelectedIndex(chosen < 0 ? selected : chosen);
			list.onSelectionChange = ({ value }) => options.onMove?.(value);
			list.onSelect = ({ value }) => answer(value);
			return list;
		});
	}

	input(
		title: string,
		options: DialogOptions & { placeholder?: string; initial?: string; secret?: boolean } = {},
	): Promise<string | undefined> {
		const hint = options.placeholder === undefined ? "" : `\n${options.placeholder}`;
		return this.#ask({ title: title + hint, keys: confirms() }, options, (answer) => {
			const field = options.secret ? new SecretInput() : new Input();
			field.setValue(options.initial ?? "");
			field.isSecret = options.secret === true;
			field.onSubmit = (value) => answer(value);
			return field;
		});
	}

	editor(title: string, options: DialogOptions & { initial?: string } = {}): Promise<string | undefined> {
		const { tui, theme } = this.#screen;
		return this.#ask({ title, keys: confirms() }, options, (answer) => {
			const editor = new Editor(tui, liveEditorTheme(theme), { paddingX: 1 });
			editor.setText(options.initial ?? "");
			editor.onSubmit = (value) => answer(value);
			return editor;
		});
	}

	/** Words for the model are asked for where the choice takes them; without them it is a plain no. */
	async approval(
		request: UserRequestOf<"approval">,
		signal: AbortSignal,
	): Promise<AnswerOf<"approval"> | undefined> {
		for (;;) {
			const choice = await this.#approvalChoice(request, signal);
			if (choice === undefined || signal.aborted) return undefined;
			const { takesMessage, takesTexts } = request.choices.find(({ id }) => id === choice) ?? {};
			if (takesTexts) {
				const texts = await this.#amended(request, signal);
				if (texts) return { choice, texts };
				// Escape goes back to the question: nothing was answered yet.
				continue;
			}
			if (!takesMessage) return { choice };
			const message = await this.input("What should the model do instead?", { signal, isRequest: true });
			return { choice, ...(message ? { message } : {}) };
		}
	}

	async #amended(
		{ call, amendable = [] }: UserRequestOf<"approval">,
		signal: AbortSignal,
	): Promise<string[] | undefined> {
		const texts: string[] = [];
		for (const [at, { name, text }] of amendable.entries()) {
			const place = amendable.length === 1 ? "" : ` (${at + 1} of ${amendable.length})`;
			const title = `Change ${name} of ${call.toolName}${place}. It runs as you leave it.`;
			const amended = await this.editor(title, { initial: text, signal, isRequest: true });
			if (amended === undefined) return undefined;
			texts.push(amended);
		}
		return texts;
	}

	async #approvalChoice(
		request: UserRequestOf<"approval">,
		signal: AbortSignal,
	): Promise<string | undefined> {
		const { slot, theme, tui, terminal } = this.#screen;
		const { ApprovalDialog } = await import("./approval-dialog.ts");
		if (signal.aborted) return undefined;
		const chosen = Promise.withResolvers<string | undefined>();
		const component = new ApprovalDialog({
			request,
			theme,
			rows: () => terminal.rows,
			onChoose: chosen.resolve,
			requestRender: () => tui.requestRender(),
		});
		const closable = slot.show(component, {
			onCancel: () => chosen.resolve(undefined),
			isRequest: true,
			isChoice: true,
		});
		using _aborted = listen(signal, "abort", () => chosen.resolve(undefined));
		const choice = await chosen.promise;
		closable.close();
		return choice;
	}

	async question(question: Question, options: QuestionOptions): Promise<Answer | undefined> {
		const { id, multiple } = question;
		if (question.options.length === 0) return this.#askText(question, [], options);
		const chosen = multiple ? await this.#several(question, options) : await this.#one(question, options);
		if (chosen === undefined) return undefined;
		const labels = chosen.filter((value) => value !== ownWords);
		return chosen.includes(ownWords) ? this.#askText(question, labels, options) : { id, chosen: labels };
	}

	async #askText(
		{ id, question, secret = false }: Question,
		chosen: string[],
		{ place, before, ...options }: QuestionOptions,
	): Promise<Answer | undefined> {
		const initial = secret ? "" : (before?.text ?? "");
		const { title, about } = partsOf(question);
		const text = await this.input(title + place, { ...options, about, secret, initial });
		return text === undefined ? undefined : { id, chosen, ...(text === "" ? {} : { text }) };
	}

	async #one(
		question: Question,
		{ place, before, ...options }: QuestionOptions,
	): Promise<string[] | undefined> {
		const [selected] = before ? valuesOf(before) : [];
		const { title, about } = partsOf(question.question);
		const chosen = await this.select(
			title + place,
			choicesOf(question),
			{ ...options, about, ...(selected === undefined ? {} : { selected }) },
			question.recommended ?? 0,
		);
		return chosen === undefined ? undefined : [chosen];
	}

	/** Enter alone does not submit an empty answer: a user who does not know the space bar would expect the first. */
	#several(
		question: Question,
		{ place, before, ...options }: QuestionOptions,
	): Promise<string[] | undefined> {
		const earlier = before ? valuesOf(before) : [];
		const choices = choicesOf(question).map((choice) => ({
			...choice,
			isChosen: earlier.includes(choice.value),
		}));
		const usual = `${numbersOf(choices)}space to select · ${confirms()}`;
		const none = `nothing is selected: ${keyText("tui.select.confirm")} again to answer with none`;
		const { title, about } = partsOf(question.question);
		const shown = { title: title + place, keys: usual };
		return this.#ask<string[]>(shown, { ...options, about }, (answer) => {
			const theme = liveSelectTheme(this.#screen.theme);
			const list = new MultiSelectList(choices, shownChoices, theme, { numbered: true });
			list.onChange = () => (shown.keys = usual);
			list.onConfirm = (values) => {
				if (values.length > 0 || shown.keys === none) return answer(values);
				shown.keys = none;
			};
			return list;
		});
	}

	/** Resolves with nothing when it is cancelled, by a key, by the signal or by the time. */
	async #ask<T>(
		shown: { title: string; keys: string },
		{ signal, timeoutMs, isRequest = false, onBack, about = "" }: DialogOptions,
		make: (answer: (value: T) => void) => Component,
	): Promise<T | undefined> {
		if (signal?.aborted) return undefined;
		const { slot, theme, animation } = this.#screen;
		const answered = Promise.withResolvers<T | undefined>();
		const turnAway = (): void => answered.resolve(undefined);
		const until = timeoutMs === undefined ? undefined : animation.now() + timeoutMs;
		const left = (): string =>
			until === undefined ? "" : ` · ${Math.max(0, Math.ceil((until - animation.now()) / 1000))}s left`;
		const inner = make(answered.resolve);
		const titled = new Titled(shown.title, inner, theme, {
			keys: () => (onBack ? `${shown.keys} · ← previous question` : shown.keys),
			note: left,
			about,
			...(onBack
				? {
						onBack: () => {
							onBack();
							turnAway();
						},
					}
				: {}),
		});
		const closable = slot.show(titled, {
			onCancel: turnAway,
			isRequest,
			isChoice: inner instanceof SelectList || inner instanceof MultiSelectList,
		});
		using _aborted = signal ? listen(signal, "abort", turnAway) : undefined;
		using _late = timeoutMs === undefined ? undefined : timer(timeoutMs, turnAway);
		using _counted = timeoutMs === undefined ? undefined : animation.animate(titled);
		try {
			return await answered.promise;
		} finally {
			closable.close();
		}
	}
}

function confirms(): string {
	return `${keyText("tui.select.confirm")} to confirm`;
}

/** The keys of the numbers that the choices have. */
function numbersOf({ length }: readonly Choice[]): string {
	return length < 2 ? "" : `1-${Math.min(9, length)} or `;
}

/** The last paragraph is the question; what is before it, such as a plan, is Markdown. */
function partsOf(question: string): { title: string; about: string } {
	const text = question.trim();
	const at = text.lastIndexOf("\n\n");
	return at < 0 ? { title: text, about: "" } : { title: text.slice(at).trim(), about: text.slice(0, at) };
}

function choicesOf({ options, recommended }: Question): Choice[] {
	const offered = options.map(({ label, description }, at) => ({
		value: label,
		label: at === recommended ? `${label} (recommended)` : label,
		...(description === undefined ? {} : { description }),
	}));
	return [...offered, { value: ownWords, label: "Type your own answer…" }];
}

/** The choices that lead to an answer. */
function valuesOf({ chosen, text }: Answer): readonly string[] {
	return text === undefined ? chosen : [...chosen, ownWords];
}

/** Shows dots: at most as many as fit, so that the length of a secret reveals little, and its end nothing. */
class SecretInput extends Input {
	override render(width: number): string[] {
		const dots = "•".repeat(Math.max(0, Math.min(this.getValue().length, width - 2)));
		return [truncateToWidth(`> ${dots}`, width)];
	}
}
