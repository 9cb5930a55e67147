/** Why credentials cannot be had: travels inside this folder and becomes a failure at its door. */

export class Unusable extends Error {}

/** Nobody answered: for a source that is only tried, as if it did not exist. */
export class Unreachable extends Unusable {}
