/** Types that the two searches of an edit script share. */

/** A range of each list, ends excluded. */
export interface Range {
	aFrom: number;
	aTo: number;
	bFrom: number;
	bTo: number;
}

/** Counts down during the search for an edit script; at zero, the remaining ranges count as replaced. */
export interface Budget {
	steps: number;
}
