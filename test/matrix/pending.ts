/** Answers to requests that are pending in a session, as SessionHost lists them. */

export interface PendingRequest {
	readonly id: string;
	/** Of a request of the kind `questions`. */
	readonly questions?: readonly Question[];
}

interface Question {
	readonly id: string;
	readonly options: readonly { readonly label: string }[];
}

/** Chooses the option in each question; a request without questions is granted. */
export function answerTo({ questions }: PendingRequest, option: RegExp): object {
	if (!questions) return { confirmed: true };
	const answers = questions.map(({ id, options }) => ({
		id,
		chosen: options.map(({ label }) => label).filter((label) => option.test(label)),
	}));
	return { answers };
}
