/** Describes the problems of a session that was opened read-only: nothing was repaired. */
import type { LogProblem } from "@tau/log";

export function formatProblem(problem: LogProblem): string {
	switch (problem.kind) {
		case "torn":
			return `The last line is incomplete (${problem.bytes} bytes).`;
		case "damaged":
			return `The line at byte ${problem.offset} is unreadable (${problem.bytes} bytes).`;
		case "orphan":
			return `Entry ${problem.id} refers to a missing parent: ${problem.parentId}.`;
		case "cycle":
			return `The parents of entry ${problem.id} form a cycle.`;
		case "duplicate":
			return `Two entries have the id ${problem.id}.`;
		case "missing":
			return `Entry ${problem.id} refers to a missing image: ${problem.reference}.`;
		case "header":
			return "The file has no readable header.";
		case "unrepaired":
		case "unsaved":
			return problem.reason;
		case "saved":
		case "foreign":
			return `Another program wrote ${problem.entries} entries in the meantime.`;
		case "taken":
			return "Another process took over the session.";
	}
}
