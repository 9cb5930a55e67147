/** No package is too large to know, and docs/architecture.md says how large each of them is. */
import { limits } from "../limits.ts";
import { packageLines, packagesPage, workingLines, writtenLines } from "../package-lines.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

export async function packages(root: string): Promise<Problem[]> {
	const [lines, large, [page]] = await Promise.all([
		packageLines(root),
		largeServers(root),
		readFiles(root, (path) => path === packagesPage),
	]);
	const written = writtenLines(page?.text ?? "");
	const others = [...lines].flatMap(([name, count]): Problem[] => {
		const problems: Problem[] = [];
		if (count > limits.packageLines) {
			const message = `has ${count} lines without tests, ${limits.packageLines} are allowed: part it along its imports (docs/architecture.md, "Packages")`;
			problems.push({ file: `packages/${name}/package.json`, message });
		}
		if (page && !isNear(written.get(name), count)) {
			const message = `says ${written.get(name) ?? "nothing"} for the lines of ${name}, which has ${count}: run \`bun scripts/packages-docs.ts\``;
			problems.push({ file: packagesPage, message });
		}
		return problems;
	});
	return [...large, ...others];
}

async function largeServers(root: string): Promise<Problem[]> {
	const servers = Object.entries(limits.serverLines).map(async ([name, most]): Promise<Problem[]> => {
		const lines = await workingLines(root, name);
		if (lines <= most) return [];
		const message = `has ${lines} lines of code, ${most} are allowed: move what is not a ${name}'s elsewhere`;
		return [{ file: `packages/${name}/package.json`, message }];
	});
	return (await Promise.all(servers)).flat();
}

function isNear(written: number | undefined, count: number): boolean {
	const room = Math.max(limits.packageLinesRoom, count * limits.packageLinesShare);
	return written !== undefined && Math.abs(written - count) <= room;
}
