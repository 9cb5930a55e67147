/** Finds a file by a name that looks the same. */

/**
 * macOS writes decomposed accents, curly quotes and narrow spaces into file names (`Screenshot 1\u202fPM.png`), which
 * models and users type in the ordinary way. Two names that look the same are ambiguous, and neither is meant.
 */
export function lookAlikeName(typed: string, names: readonly string[]): string | undefined {
	const plain = plainName(typed);
	const alike = names.filter((name) => plainName(name) === plain);
	return alike.length === 1 ? alike[0] : undefined;
}

function plainName(name: string): string {
	return name
		.normalize("NFC")
		.replaceAll(/[\u2018\u2019\u02bc]/g, "'")
		.replaceAll(/[\u201c\u201d]/g, '"')
		.replaceAll(/[\u00a0\u2007\u202f]/g, " ");
}
