/** The dialogs of commands: requests to the user that every client shows, and any of them answers. */
import type { UserRequests } from "@tau/session/host";
import type { AnswerOf, Dialog } from "@tau/wire";

export interface CommandChoice {
	readonly value: string;
	/** Unlike that of the other choices: clients answer with it. */
	readonly label: string;
	readonly description?: string;
}

/** Each resolves with undefined when the user cancels it, nobody can answer, or the command is stopped. */
export interface CommandDialogs {
	select(
		title: string,
		choices: readonly CommandChoice[],
		options?: {
			selected?: string;
			signal?: AbortSignal;
			/** It opens by itself: a user who is typing continues. */
			isUnexpected?: true;
		},
	): Promise<string | undefined>;
	confirm(title: string, message?: string, options?: { selected?: "no" }): Promise<boolean | undefined>;
	input(title: string, options?: { placeholder?: string; initial?: string }): Promise<string | undefined>;
	/** A text of several lines. */
	editor(title: string, options?: { initial?: string }): Promise<string | undefined>;
}

interface Waiting {
	signal?: AbortSignal | undefined;
	isUnexpected?: true | undefined;
}

/** `onUser` is called before each dialog, and when it was answered: the user expects what comes next. */
export function dialogsOver(
	requests: UserRequests,
	{ signal, onUser }: { signal: AbortSignal; onUser?: () => void },
): CommandDialogs {
	const ask = async (dialog: Dialog, options: Waiting = {}): Promise<AnswerOf<"dialog"> | undefined> => {
		if (!options.isUnexpected) onUser?.();
		const stops = options.signal ? AbortSignal.any([options.signal, signal]) : signal;
		const answer = await requests.ask("dialog", { dialog }, { signal: stops });
		if (!options.isUnexpected) onUser?.();
		return answer;
	};
	const text = async (dialog: Dialog, options?: Waiting): Promise<string | undefined> => {
		const answer = await ask(dialog, options);
		return answer && "value" in answer ? answer.value : undefined;
	};
	return {
		async select(title, choices, { selected, signal: stop, isUnexpected } = {}) {
			const first = choices.find(({ value }) => value === selected)?.label;
			const label = await text(
				{
					method: "select",
					title,
					options: choices.map((choice) => choice.label),
					descriptions: choices.map(({ description }) => description ?? null),
					...(first === undefined ? {} : { selected: first }),
				},
				{ signal: stop, isUnexpected },
			);
			return choices.find((choice) => choice.label === label)?.value;
		},
		async confirm(title, message = "", { selected } = {}) {
			const answer = await ask({ method: "confirm", title, message, ...(selected ? { selected } : {}) });
			return answer && "confirmed" in answer ? answer.confirmed : undefined;
		},
		input: (title, { placeholder, initial } = {}) =>
			text({
				method: "input",
				title,
				...(placeholder === undefined ? {} : { placeholder }),
				...(initial === undefined ? {} : { prefill: initial }),
			}),
		editor: (title, { initial = "" } = {}) => text({ method: "editor", title, prefill: initial }),
	};
}
