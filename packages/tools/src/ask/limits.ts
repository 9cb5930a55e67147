/** The limits of one request of questions to the user. */
export const limits = {
	/** More at once is a form, which nobody likes to fill in. */
	questions: 8,
	options: 12,
	chars: 2000,
} as const;
