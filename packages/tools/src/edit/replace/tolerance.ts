/** The ways in which lines may differ and still match, strictest first. */

export interface Tolerance {
	/** The note about the tolerance that the model receives. */
	note: string;
	/** Lines with the same result match each other. */
	same(line: string): string;
}

export const ignoredIndentation: Tolerance = {
	note: "Matched ignoring indentation; the new text was indented to fit.",
	same: (line) => line.trim(),
};

export const tolerances: readonly Tolerance[] = [
	{ note: "Matched ignoring trailing whitespace.", same: (line) => line.trimEnd() },
	ignoredIndentation,
	{
		note: "Matched ignoring whitespace and look-alike characters.",
		same: (line) => plain(line).replace(/\s+/g, " ").trim(),
	},
];

const lookAlikes: readonly [RegExp, string][] = [
	[/[\u2018\u2019\u201a\u201b]/g, "'"],
	[/[\u201c\u201d\u201e\u201f]/g, '"'],
	[/[\u2010-\u2015\u2212]/g, "-"],
	[/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " "],
	[/\u2026/g, "..."],
];

/** Maps quotes, dashes and blanks to keyboard characters: models write those for a file's typographic ones. */
function plain(line: string): string {
	// Most lines have nothing to replace, and a large file has very many.
	return isAscii(line) ? line : lookAlikes.reduce((text, [odd, usual]) => text.replace(odd, usual), line);
}

function isAscii(line: string): boolean {
	for (let at = 0; at < line.length; at++) if (line.charCodeAt(at) > 127) return false;
	return true;
}
