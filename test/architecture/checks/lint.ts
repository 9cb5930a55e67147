/** oxlint finds nothing, with the rules of the tree's .oxlintrc.json. */
import { join } from "node:path";
import { parseJson } from "../json.ts";
import { run } from "../process.ts";
import { repository } from "../tree.ts";
import type { Problem } from "../problem.ts";

type Report = {
	diagnostics: {
		message: string;
		code?: string;
		help?: string;
		filename: string;
		labels: { span: { line: number } }[];
	}[];
};

const oxlint = join(repository, "node_modules/oxlint/bin/oxlint");

export async function lint(root: string): Promise<Problem[]> {
	const ran = await run([process.execPath, oxlint, "--format", "json", "--deny-warnings", "."], root);
	const report = parseJson<Report>(ran.stdout);
	if (report === undefined) {
		return [{ file: ".oxlintrc.json", message: `oxlint failed: ${`${ran.stdout}${ran.stderr}`.trim()}` }];
	}
	return report.diagnostics.map(({ filename, labels, code, message, help }) => {
		const line = labels[0]?.span.line;
		const said = [`${message} [${code ?? "oxlint"}]`, help].filter(Boolean).join(" ");
		return { file: filename, ...(line === undefined ? {} : { line }), message: said };
	});
}
