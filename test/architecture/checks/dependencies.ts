/** Every dependency is a decision: named with its reason in DEPENDENCIES.md, at one exact version. */
import { parseJson } from "../json.ts";
import { isAside } from "../paths.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

type Manifest = Partial<
	Record<"dependencies" | "devDependencies" | "optionalDependencies", Record<string, string>>
>;

/** A version, by the package's own name or by one of ours (`npm:typebox@1.3.27`). */
const exact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;

export async function dependencies(root: string): Promise<Problem[]> {
	const decided = await decisions(root);
	const manifests = await readFiles(root, (path) => /(?:^|\/)package\.json$/.test(path) && !isAside(path));
	return manifests.flatMap(({ path, text }): Problem[] => {
		const manifest = parseJson<Manifest>(text);
		if (!manifest) return [{ file: path, message: "is not JSON: correct it" }];
		const wanted = {
			...manifest.optionalDependencies,
			...manifest.devDependencies,
			...manifest.dependencies,
		};
		return Object.entries(wanted).flatMap(([name, version]): Problem[] => {
			if (name.startsWith("@tau/")) return [];
			const line = text.slice(0, text.lastIndexOf(`"${name}"`)).split("\n").length;
			return complaints(name, version, decided).map((message) => ({ file: path, line, message }));
		});
	});
}

function complaints(name: string, version: string, decided: Set<string>): string[] {
	const problems: string[] = [];
	if (!decided.has(name))
		problems.push(`${name} is not in DEPENDENCIES.md: name it there in backticks with its reason`);
	if (!exact.test(version)) problems.push(`${name} floats at "${version}": write one exact version`);
	return problems;
}

/** Names in backticks, with or without a version. */
async function decisions(root: string): Promise<Set<string>> {
	const pages = await readFiles(root, (path) => path === "DEPENDENCIES.md");
	const spans = pages.flatMap(({ text }) => [...text.matchAll(/`([^`\n]+)`/g)]);
	return new Set(spans.map(([, span = ""]) => span.trim().replace(/(?<=.)@[^/]*$/, "")));
}
