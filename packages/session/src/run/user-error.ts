/** A command cannot be executed, for a reason that the client gets. */
export class UserError extends Error {}

/** An extension cancelled it. */
export class Cancelled extends UserError {
	constructor() {
		super("Cancelled by an extension.");
	}
}
