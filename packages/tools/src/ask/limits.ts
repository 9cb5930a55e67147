/** The limits of one request of questions to the user. */
export const limits = {
	/** More questions at once would be a form, which users dislike. */
	questions: 8,
	options: 12,
	chars: 2000,
} as const;
