/** All manifests carry the version of the root's package.json, and the changelog has a section for it: "Unreleased" before the release. */
import { parseJson } from "../json.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

type Manifest = { version?: string };

const manifestPath = /^(?:packages\/[^/]+\/)?package\.json$/;
const command = "npm version <version> --workspaces --include-workspace-root --no-workspaces-update";

export async function versions(root: string): Promise<Problem[]> {
	const files = await readFiles(root, (path) => manifestPath.test(path) || path === "CHANGELOG.md");
	const manifests = files
		.filter(({ path }) => manifestPath.test(path))
		.map(({ path, text }) => ({ path, version: parseJson<Manifest>(text)?.version }));
	const wanted = manifests.find(({ path }) => path === "package.json")?.version;
	if (wanted === undefined) return [{ file: "package.json", message: "has no version: set one" }];
	const different = manifests
		.filter(({ version }) => version !== wanted)
		.map(({ path, version = "none" }): Problem => {
			const message = `has version ${version}, and the root has ${wanted}: run ${command}`;
			return { file: path, message };
		});
	const changelog = files.find(({ path }) => path === "CHANGELOG.md");
	const section = wanted.endsWith("-dev") ? "Unreleased" : wanted;
	if (changelog !== undefined && hasSection(changelog.text, section)) return different;
	return [...different, { file: "CHANGELOG.md", message: `has no section "## ${section}": add it` }];
}

function hasSection(text: string, version: string): boolean {
	return text.split("\n").some((line) => line === `## ${version}` || line.startsWith(`## ${version} `));
}
