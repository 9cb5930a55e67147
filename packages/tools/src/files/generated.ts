/** Recognizes files that a program writes: a change of them by hand is lost at its next run. */
import { problem, type FileProblem, type TextFile } from "@tau/sys";

import { limits } from "./limits.ts";

/** How comments start in common languages. */
const comment = /^\s*(?:\/\/|\/\*|\*|#|<!--|--|;|%|"|'|\(\*|\{-|REM\b)/i;

const marks = [
	/@generated\b/,
	/\bcode generated\b.*\bdo not edit\b/i,
	/\b(?:auto-?|automatically |machine[- ])generated\b.*\b(?:do not|don't|should not|changes|edit|modif|overwrit)/i,
	/\bthis (?:file|code|module) (?:is|was|has been) (?:auto-?|automatically |machine[- ])?generated\b/i,
	/\bgenerated (?:file|code)\b.*\b(?:do not|don't)\b/i,
	/\b(?:do not|don't) (?:edit|modify)\b.*\bgenerated\b/i,
	/<auto-?generated\b/i,
];

/** The marker line in the head of a file; only comments count, so a program that mentions such lines does not match. */
export function generatedMark(text: string): string | undefined {
	const head = text.slice(0, limits.generatedChars).split("\n").slice(0, limits.generatedLines);
	return head.find((line) => comment.test(line) && marks.some((mark) => mark.test(line)))?.trim();
}

export function refuseGenerated({ shown, text }: Pick<TextFile, "shown" | "text">): FileProblem | undefined {
	const mark = generatedMark(text);
	if (mark === undefined) return undefined;
	return problem(
		"generated",
		`${shown} is generated ("${mark.slice(0, 120)}"). Edit its source instead. ` +
			"If the user wants this file itself changed, use bash.",
	);
}
