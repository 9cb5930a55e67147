/** An error of the user's input: the message says what is wrong and what to do, and no stack is shown. */
export class UsageError extends Error {
	override readonly name = "UsageError";
}
