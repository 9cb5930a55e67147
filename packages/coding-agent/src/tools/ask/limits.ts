/** The bounds of what a person is asked at once. */
export const limits = {
	/** More at once is a form, which nobody likes to fill in. */
	questions: 8,
	options: 12,
	chars: 2000,
	/** How long an answer is waited for when the setting says nothing else; 0 waits for ever. */
	timeoutSeconds: 0,
	timeoutMaxSeconds: 24 * 60 * 60,
} as const;
