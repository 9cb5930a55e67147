/** Answers to requests that are pending in a session, as SessionHost lists them. */

export interface PendingRequest {
	readonly id: string;
	/** Of a request of the kind `questions`. */
	readonly questions?: readonly Question[];
	/** Of a request of the kind `approval`. */
	readonly choices?: readonly { readonly id: string; readonly label: string }[];
}

interface Question {
	readonly id: string;
	readonly options: readonly { readonly label: string }[];
}

/** Chooses the option in each question; a request without questions is granted. */
export function answerTo({ questions, choices }: PendingRequest, option: RegExp): object {
	if (choices) return { choice: choices.find(({ label }) => option.test(label))?.id };
	if (!questions) return { confirmed: true };
	const answers = questions.map(({ id, options }) => ({
		id,
		chosen: options.map(({ label }) => label).filter((label) => option.test(label)),
	}));
	return { answers };
}
