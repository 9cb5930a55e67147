/** docs/FEATURES.md is a true map: every capability has a state, and what works is shown by a test. */
import { limits } from "../limits.ts";
import { findTables } from "../markdown.ts";
import { listFiles, readFiles } from "../tree.ts";
import type { Row } from "../markdown.ts";
import type { Problem } from "../problem.ts";

const page = "docs/FEATURES.md";
const header = "capability | state | reached by | shown by";
const states = new Set(["works", "partly", "not yet", "no"]);

export async function features(root: string): Promise<Problem[]> {
	const [files, [sourceFile]] = await Promise.all([
		listFiles(root),
		readFiles(root, (path) => path === page),
	]);
	if (!sourceFile) return [{ file: page, message: "is missing: it is the map of the whole project" }];
	const tables = findTables(sourceFile.text);
	const strange = tables.filter((table) => table.header.cells.join(" | ").toLowerCase() !== header);
	const rows = tables.filter((table) => !strange.includes(table)).flatMap((table) => table.rows);
	const known = new Set(files);
	const said = [
		...strange.map((table) => ({ line: table.header.line, message: `the header must be: | ${header} |` })),
		...rows.flatMap((row) => judge(row, known).map((message) => ({ line: row.line, message }))),
		...repeated(rows),
	];
	const few = `has ${rows.length} rows; the specification has at least ${limits.featureRows} capabilities`;
	const short = rows.length < limits.featureRows ? [{ file: page, message: few }] : [];
	return [...short, ...said.map((problem) => ({ file: page, ...problem }))];
}

function judge({ cells }: Row, known: Set<string>): string[] {
	const [capability = "", state = "", , shown = ""] = cells;
	if (cells.length !== 4 || capability === "") return ["a row has four cells, the first of them not empty"];
	if (!states.has(state)) return [`"${state}" is no state: write works, partly, not yet or no`];
	const paths = [...shown.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span).filter(isPath);
	const gone = paths.filter((path) => !known.has(path));
	const problems = gone.map(
		(path) => `"${capability}" is shown by ${path}, which is not there: correct the path`,
	);
	const proven = paths.some((path) => /\.test\.tsx?$|^bench\//.test(path) && known.has(path));
	if ((state === "works" || state === "partly") && !proven) {
		problems.push(
			`"${capability}" is said to be "${state}" and no test shows it: name its test file in backticks`,
		);
	}
	return problems;
}

/** A span without blanks that has a folder or a source ending; `--flags` and names of tests are not paths. */
function isPath(span: string): boolean {
	return !/\s/.test(span) && !span.startsWith("-") && (span.includes("/") || /\.(?:tsx?|sh|md)$/.test(span));
}

function repeated(rows: Row[]): { line: number; message: string }[] {
	const first = new Map<string, number>();
	return rows.flatMap(({ cells, line }) => {
		const capability = (cells[0] ?? "").toLowerCase();
		const before = first.get(capability);
		if (before === undefined) first.set(capability, line);
		return before === undefined
			? []
			: [{ line, message: `"${capability}" is already in line ${before}: merge the rows` }];
	});
}
