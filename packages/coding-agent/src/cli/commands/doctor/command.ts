/** `tau doctor`: what was found of Tau and of other programs, what shadows what, and every problem with its fix. */
import { dirs, loadDotenv, shortenHome, UsageError } from "@tau/utils";
import { describeWarning, sources, type SurveyRow, type SurveySection } from "@tau/extensions/resources";
import { isTrusted } from "@tau/extensions/trust";

import { discovered, type Discovered } from "../../../modes/shared/discovered.ts";
import type { Args } from "../../args.ts";
import { loadSettings } from "../../launch/load-settings.ts";
import { isJson, jsonLine, lineWidth, printed } from "../sessions/output.ts";
import { columns, cut } from "../../text-table.ts";
import { leftTrees } from "../trees.ts";
import { findProblems, type Problem } from "./problems.ts";

interface Report extends Discovered {
	problems: Problem[];
}

export async function runDoctor(args: Args): Promise<number> {
	if (args.flags.get("mode") === "rpc")
		throw new UsageError("tau doctor supports only --mode text and --mode json.");
	const report = await examine(args);
	if (isJson(args)) return printed(jsonLine(report));
	return printed(textOf(report, await leftTrees()));
}

async function examine(args: Args): Promise<Report> {
	const cwd = process.cwd();
	loadDotenv();
	const settings = await loadSettings(args);
	const trusted = args.flags.has("trust") || isTrusted(cwd, dirs().agent);
	const found = await discovered(cwd, process.env, settings, trusted);
	return { ...found, problems: await findProblems({ args, settings, found }) };
}

function textOf(report: Report, trees: readonly string[]): string {
	const { cwd, root, trusted, sections, unknown, problems, ms } = report;
	const lines = [
		`${shortenHome(cwd)}${cwd === root ? "" : `, in the project ${shortenHome(root)}`}: ${trusted ? "trusted" : "not trusted"}`,
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

function problemLines(problems: readonly Problem[]): string[] {
	if (problems.length === 0) return ["No problems."];
	return [
		`Problems (${problems.length})`,
		...problems.flatMap(({ area, problem, fix }) => [`  ${area}: ${problem}`, `    fix: ${fix}`]),
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
