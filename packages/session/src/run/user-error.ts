/** A command cannot be executed, for a reason that the client gets. */
export class UserError extends Error {}

/** A hook denied a prompt. The user has been notified. */
export class PromptDenied extends UserError {}

/** An extension cancelled it. */
export class Cancelled extends UserError {
	constructor() {
		super("Cancelled by an extension.");
	}
}
