/** What the two searches of an edit script share. */

/** A part of each list, ends excluded. */
export interface Range {
	aFrom: number;
	aTo: number;
	bFrom: number;
	bTo: number;
}

/** Counts down while an edit script is searched for; at zero what is left counts as replaced. */
export interface Budget {
	steps: number;
}
