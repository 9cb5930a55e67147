/** The dialogs of commands: requests to the user that every client shows, and any of them answers. */
import type { AskOptions, UserRequests } from "@tau/session/host";
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
		options?: { selected?: string; signal?: AbortSignal },
	): Promise<string | undefined>;
	confirm(title: string, message?: string, options?: { selected?: "no" }): Promise<boolean | undefined>;
	input(title: string, options?: { placeholder?: string; initial?: string }): Promise<string | undefined>;
	/** A text of several lines. */
	editor(title: string, options?: { initial?: string }): Promise<string | undefined>;
}

/** `onAsk` is called before each dialog. */
export function dialogsOver(
	requests: UserRequests,
	{ signal, onAsk }: { signal: AbortSignal; onAsk?: () => void },
): CommandDialogs {
	const ask = (dialog: Dialog, options: AskOptions = {}): Promise<AnswerOf<"dialog"> | undefined> => {
		onAsk?.();
		const stops = options.signal ? AbortSignal.any([options.signal, signal]) : signal;
		return requests.ask("dialog", { dialog }, { signal: stops });
	};
	const text = async (dialog: Dialog, options?: AskOptions): Promise<string | undefined> => {
		const answer = await ask(dialog, options);
		return answer && "value" in answer ? answer.value : undefined;
	};
	return {
		async select(title, choices, { selected, signal: stop } = {}) {
			const first = choices.find(({ value }) => value === selected)?.label;
			const label = await text(
				{
					method: "select",
					title,
					options: choices.map((choice) => choice.label),
					descriptions: choices.map(({ description }) => description ?? null),
					...(first === undefined ? {} : { selected: first }),
				},
				{ signal: stop },
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
