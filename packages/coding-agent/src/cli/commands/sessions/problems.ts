/** What is wrong with a session that was only read, in words: nothing was repaired. */
import type { LogProblem } from "@tau/session";

export function problemInWords(problem: LogProblem): string {
	switch (problem.kind) {
		case "torn":
			return `The last line is torn (${problem.bytes} bytes).`;
		case "damaged":
			return `The line at byte ${problem.offset} cannot be read (${problem.bytes} bytes).`;
		case "orphan":
			return `Entry ${problem.id} names a parent that is not there: ${problem.parentId}.`;
		case "cycle":
			return `The parents of entry ${problem.id} lead back to it.`;
		case "duplicate":
			return `Two entries have the id ${problem.id}.`;
		case "missing":
			return `Entry ${problem.id} names an image that is not there: ${problem.reference}.`;
		case "header":
			return "There is no readable header at the beginning.";
		case "unrepaired":
		case "unsaved":
			return problem.reason;
		case "saved":
		case "foreign":
			return `Another program wrote ${problem.entries} entries meanwhile.`;
		case "taken":
			return "Another process took the session over.";
	}
}
