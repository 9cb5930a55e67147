/** `tau doctor`: everything that was found of Tau and of other programs, from where, what shadows what, and why not. */
import { dirs, shortenHome, UsageError } from "@tau/utils";
import { describeWarning, sources, type SurveyRow, type SurveySection } from "@tau/extensions/resources";
import { isTrusted } from "@tau/extensions/trust";

import { discovered, type Discovered } from "../../modes/shared/discovered.ts";
import type { Args } from "../args.ts";
import { openSettings } from "../launch/load-settings.ts";
import { isJson, jsonLine, lineWidth, printed } from "./sessions/output.ts";
import { columns, cut } from "../text-table.ts";

export async function runDoctor(args: Args): Promise<number> {
	if (args.flags.get("mode") === "rpc")
		throw new UsageError("tau doctor supports only --mode text and --mode json.");
	const report = await examine(args);
	if (isJson(args)) return printed(jsonLine(report));
	const { leftTrees } = await import("./trees.ts");
	const { missingComponents } = await import("./setup/command.ts");
	const missing = missingComponents();
	const problems = missing.length === 0 ? [] : ["", `Missing programs (${missing.length})`, ...missing];
	return printed(textOf(report, [...problems, ...(await leftTrees())]));
}

async function examine(args: Args): Promise<Discovered> {
	const cwd = process.cwd();
	const trusted = args.flags.has("trust") || isTrusted(cwd, dirs().agent);
	return discovered(cwd, process.env, await openSettings(args), trusted);
}

function textOf({ cwd, root, trusted, sections, unknown, ms }: Discovered, trees: readonly string[]): string {
	const lines = [
		`${shortenHome(cwd)}${cwd === root ? "" : `, in the project ${shortenHome(root)}`}: ${trusted ? "trusted" : "not trusted"}`,
		...sections.filter(({ rows, warnings }) => rows.length + warnings.length > 0).flatMap(sectionLines),
		...trees,
		"",
		...unknown.map((entry) => `discovery.disabled: "${entry}" matches no program, kind or item.`),
		`${sum(sections, "used")} found, ${sum(sections, "shadowed")} shadowed, ${sum(sections, "disabled")} disabled, in ${ms.toFixed(0)} ms.`,
		`Sources searched: ${sources.map(({ id }) => id).join(", ")}.`,
	];
	return lines.map((line) => `${cut(line, lineWidth())}\n`).join("");
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
