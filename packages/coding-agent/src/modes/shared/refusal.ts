/** A command cannot be done, for a reason that the client is told. */
export class Refusal extends Error {}
