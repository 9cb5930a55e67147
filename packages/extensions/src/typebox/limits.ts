/** The bounds of argument checks, each with its reason. */
export const limits = {
	/** Problems in one report to the model: more would hide the first ones. */
	problems: 8,
	/** Rounds of mending. A round reaches what the round before unpacked, such as a number inside of JSON text. */
	mendRounds: 3,
} as const;
