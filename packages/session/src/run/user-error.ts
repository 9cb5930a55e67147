/** A command cannot be done, for a reason that the client is told. */
export class UserError extends Error {}

/** An extension did not want it done. */
export class Cancelled extends UserError {
	constructor() {
		super("Cancelled by an extension.");
	}
}
