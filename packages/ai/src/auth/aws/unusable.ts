/**
 * The reason why there are no credentials: thrown inside this folder only, and turned into a failure by its entry
 * point.
 */

export class Unusable extends Error {}

/** Nothing responded: a source that is only tried counts as absent. */
export class Unreachable extends Unusable {}
