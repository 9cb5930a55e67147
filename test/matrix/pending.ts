/** Answers to requests that are pending in a session, as SessionHost lists them. */

export interface PendingRequest {
	readonly id: string;
	/** The questions, for a request that has some. */
	readonly about?: unknown;
}

interface Question {
	readonly id: string;
	readonly options: readonly { readonly label: string }[];
}

/** Chooses the option in each question; a request without questions is granted. */
export function answerTo(request: PendingRequest, option: RegExp): unknown {
	if (!Array.isArray(request.about)) return true;
	return (request.about as Question[]).map(({ id, options }) => ({
		id,
		chosen: options.map(({ label }) => label).filter((label) => option.test(label)),
	}));
}
