/** A command cannot be done, for a reason that the client is told. */
export class Refusal extends Error {}

/** An extension did not want it done. */
export class Cancelled extends Refusal {
	constructor() {
		super("Cancelled by an extension.");
	}
}
