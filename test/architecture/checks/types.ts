/** The type checker finds nothing, with the strict settings of the tree's tsconfig.json. */
import { run } from "../process.ts";
import type { Problem } from "../problem.ts";

const reported = /^(.+?)\((\d+),\d+\): error (TS\d+: .*)$/;

export async function types(root: string): Promise<Problem[]> {
	const ran = await run([process.execPath, "check", "--no-script", "--no-pretty", "--all"], root);
	if (ran.code === 0) return [];
	const problems = ran.stdout.split("\n").flatMap((line): Problem[] => {
		const [, file, at, message] = reported.exec(line) ?? [];
		return file && message ? [{ file, line: Number(at), message }] : [];
	});
	if (problems.length > 0) return problems;
	const said = `${ran.stdout}${ran.stderr}`.trim();
	return [{ file: "tsconfig.json", message: `bun check failed; run it by hand: ${said}` }];
}
