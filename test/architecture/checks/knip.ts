/** knip finds no file, export or dependency that is unused. */
import { join } from "node:path";
import { parseJson } from "../json.ts";
import { run } from "../process.ts";
import { repository } from "../tree.ts";
import type { Problem } from "../problem.ts";

type Finding = { name: string; line?: number };
type Report = { issues: ({ file: string } & Record<string, Finding[] | string>)[] };

const program = join(repository, "node_modules/knip/bin/knip.js");

const remedies: Record<string, (name: string) => string> = {
	files: () => "no entry of knip.json reaches this file: import it or delete it",
	exports: (name) => `nobody imports "${name}": do not export it, or delete it`,
	types: (name) => `nobody imports the type "${name}": do not export it, or delete it`,
	dependencies: (name) => `nobody imports "${name}": remove it from this package.json`,
	devDependencies: (name) => `nobody imports "${name}": remove it from this package.json`,
	unlisted: (name) => `"${name}" is imported and not in the package.json of this package: add it there`,
	unresolved: (name) => `"${name}" leads nowhere: correct the path`,
	duplicates: (name) => `the same thing is exported twice (${name}): keep one name`,
};

export async function knip(root: string): Promise<Problem[]> {
	const ran = await run(
		[process.execPath, program, "--reporter", "json", "--no-progress", "--no-config-hints"],
		root,
	);
	const report = parseJson<Report>(ran.stdout);
	if (report === undefined) {
		return [{ file: "knip.json", message: `knip failed: ${`${ran.stdout}${ran.stderr}`.trim()}` }];
	}
	return report.issues.flatMap(({ file, ...kinds }) =>
		Object.entries(kinds).flatMap(([kind, found]) => (Array.isArray(found) ? emit(file, kind, found) : [])),
	);
}

function emit(file: string, kind: string, found: (Finding | Finding[])[]): Problem[] {
	return found.map((finding) => {
		const all = [finding].flat();
		const name = all.map((one) => one.name).join(", ");
		const message = remedies[kind]?.(name) ?? `knip reports ${kind}: ${name}`;
		const line = all[0]?.line;
		return { file, ...(line === undefined ? {} : { line }), message };
	});
}
