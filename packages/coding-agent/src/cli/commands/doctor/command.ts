/** `tau doctor`: what a session needs and whether it works, what was found, and every problem with its fix. */
import { shortenHome, UsageError } from "@tau/utils";
import { columns, cut } from "@tau/utils/text-table";
import { describeWarning } from "@tau/resources/discovery";
import { sources } from "@tau/resources/sources";
import type { SurveyRow, SurveySection } from "@tau/extensions/resources";

import { checkSigns, type Check, type DoctorReport, type Problem } from "@tau/session-commands/work";
import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { printError } from "../../print-error.ts";
import { isJson, jsonLine, lineWidth, printed } from "../sessions/output.ts";
import { leftTrees } from "../trees.ts";
import { examine } from "./report.ts";

/** The exit code is 1 if something that a session needs does not work. */
export async function runDoctor(args: Args): Promise<number> {
	if (args.flags.get("mode") === "rpc")
		throw new UsageError("tau doctor supports only --mode text and --mode json.");
	const report = await examine(args, process.cwd(), printError);
	const isData = isJson(args) || args.flags.has("json");
	const code = await printed(isData ? jsonLine(report) : textOf(report, await leftTrees()));
	const isBroken = report.problems.some(({ severity }) => severity === "error");
	return isBroken ? exitCodes.failed : code;
}

function textOf(report: DoctorReport, trees: readonly string[]): string {
	const { cwd, root, trusted, checks, sections, unknown, problems, ms } = report;
	const lines = [
		`${shortenHome(cwd)}${cwd === root ? "" : `, in the project ${shortenHome(root)}`}: ${trusted ? "trusted" : "not trusted"}`,
		"",
		...checkLines(checks),
		...sections.filter(({ rows, warnings }) => rows.length + warnings.length > 0).flatMap(sectionLines),
		...trees,
		"",
		...unknown.map((entry) => `discovery.disabled: "${entry}" matches no program, kind or item.`),
		`${sum(sections, "used")} found, ${sum(sections, "shadowed")} shadowed, ${sum(sections, "disabled")} disabled, in ${ms.toFixed(0)} ms.`,
		`Sources searched: ${sources.map(({ id }) => id).join(", ")}.`,
	];
	// What is wrong is never cut, and comes last, where it is seen.
	return [...lines.map((line) => cut(line, lineWidth())), "", ...problemLines(problems)]
		.map((line) => `${line}\n`)
		.join("");
}

function checkLines(checks: readonly Check[]): string[] {
	return columns(checks.map(({ name, state, about }) => [`${checkSigns[state]} ${name}`, about]));
}

function problemLines(problems: readonly Problem[]): string[] {
	if (problems.length === 0) return ["No problems."];
	return [
		`Problems (${problems.length})`,
		...problems.flatMap(({ area, problem, fix, severity }) => [
			`  ${checkSigns[severity]} ${area}: ${problem}`,
			`    fix: ${fix}`,
		]),
	];
}

function sectionLines({ title, rows, warnings }: SurveySection): string[] {
	const cells = rows.map((row) => [
		`  ${row.name}`,
		row.source,
		row.level,
		`${shortenHome(row.path)}${reason(row)}`,
		row.about,
	]);
	return [
		"",
		`${title} (${rows.filter(({ state }) => state === "used").length})`,
		...columns(cells),
		...warnings.map(
			(warning) =>
				`  ${warning.isLeftOut ? "not used" : "warning"}: ${describeWarning({ ...warning, path: shortenHome(warning.path) })}`,
		),
	];
}

function reason({ state, because = "" }: SurveyRow): string {
	if (state === "shadowed") return ` (shadowed by ${shortenHome(because)})`;
	return state === "disabled" ? ` (disabled: ${because})` : "";
}

function sum(sections: readonly SurveySection[], state: SurveyRow["state"]): number {
	return sections.reduce((all, { rows }) => all + rows.filter((row) => row.state === state).length, 0);
}
