/** What is wrong with a file of settings, and how much of it a person is told when Tau starts. */
import { describeProblem, type ConfigProblem } from "./config-problem.ts";

/** In a file, lowest first; above them stands what is set for the session. */
export type FileLayer = "global" | "project" | "overlay";

export interface SettingProblem extends ConfigProblem {
	kind: "unreadable" | "unknown" | "wrong" | "refused" | "renamed" | "twice";
	layer: FileLayer;
	/** The file belongs to another program, which knows settings that Tau does not. */
	isForeign: boolean;
	/** It looks like a slip of a name that there is. */
	isSlip: boolean;
}

/**
 * A file that was written for pi or omp names much that Tau does not know: what looks like a slip is told line by
 * line, the rest in one. What works all the same, and files of other programs, are left to `tau config list`.
 */
export function startupLines(problems: readonly SettingProblem[]): string[] {
	const own = problems.filter(({ kind, isForeign }) => !isForeign && kind !== "renamed");
	const strangers = own.filter(({ kind, isSlip }) => kind === "unknown" && !isSlip);
	const lines = own.filter((problem) => !strangers.includes(problem)).map(describeProblem);
	const files = Map.groupBy(strangers, ({ file }) => file);
	for (const [file, settingProblems] of files) {
		const names = settingProblems.map(
			({ field, line }) => `${field}${line === undefined ? "" : ` (line ${line})`}`,
		);
		lines.push(`${file}: unknown settings ${names.join(", ")}`);
	}
	return lines;
}
