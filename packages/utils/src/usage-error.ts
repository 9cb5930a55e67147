/** An error of the user's input: the message says what is wrong and what to do, and no stack is shown. */
export class UsageError extends Error {
	override readonly name = "UsageError";
}

/** The user has left a list without a choice: nothing is wrong with the call. */
export class NothingChosen extends UsageError {}
