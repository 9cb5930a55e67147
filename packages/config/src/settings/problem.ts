/** The problems of a settings file, and how many of them the user sees when Tau starts. */
import { describeProblem, type ConfigProblem } from "./config-problem.ts";

/** The layers with a file, lowest first; values set for the session override them. */
export type FileLayer = "global" | "project" | "overlay";

export interface SettingProblem extends ConfigProblem {
	kind: "unreadable" | "unknown" | "wrong" | "refused" | "renamed" | "twice";
	layer: FileLayer;
	/** True if the file belongs to another program, which has settings that Tau does not know. */
	isForeign: boolean;
	/** True if the name looks like a typo of an existing one. */
	isSlip: boolean;
}

/**
 * A file written for pi or omp has many names that Tau does not know: likely typos are reported line by
 * line, the rest in one. Renamed settings, which still work, and foreign files appear only in `tau config list`.
 */
export function startupLines(problems: readonly SettingProblem[]): string[] {
	const own = problems.filter(({ kind, isForeign }) => !isForeign && kind !== "renamed");
	const unknownKeys = own.filter(({ kind, isSlip }) => kind === "unknown" && !isSlip);
	const lines = own.filter((problem) => !unknownKeys.includes(problem)).map(describeProblem);
	const files = Map.groupBy(unknownKeys, ({ file }) => file);
	for (const [file, settingProblems] of files) {
		const names = settingProblems.map(
			({ field, line }) => `${field}${line === undefined ? "" : ` (line ${line})`}`,
		);
		lines.push(`${file}: unknown settings ${names.join(", ")}`);
	}
	return lines;
}
