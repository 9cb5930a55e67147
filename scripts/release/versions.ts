/** What a release says of its version, and that all of its parts have the same: `tau update` would refuse the executable. */
import { join } from "node:path";

/** The executable takes its version from a package, the release from the root. */
export async function checkManifests(root: string, version: string): Promise<void> {
	const wrong: string[] = [];
	for await (const file of new Bun.Glob("packages/*/package.json").scan({ cwd: root })) {
		const { version: own } = await Bun.file(join(root, file)).json();
		if (own !== version) wrong.push(`${file} ${own}`);
	}
	if (wrong.length > 0)
		throw new Error(
			`package.json has version ${version}, but these differ: ${wrong.toSorted().join(", ")}. Set all to the same version.`,
		);
}

/** Only an executable for this platform can be asked. */
export async function checkExecutable(path: string, version: string): Promise<void> {
	const child = Bun.spawn([path, "--version"], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
	const [printed, code] = await Promise.all([child.stdout.text(), child.exited]);
	if (code !== 0) throw new Error(`${path} --version failed (exit code ${code})`);
	if (printed.trim() !== version)
		throw new Error(`The executable says version ${printed.trim()}, and package.json ${version}.`);
}

/** The section of a version, with its date behind the number; before its release, what is not released yet. */
export function changesOf(changelog: string, version: string): string {
	const sections = changelog.split(/^(?=## )/m);
	const titled = (title: string): string | undefined =>
		sections.find((section) => /^## (\S+)/.exec(section)?.[1] === title);
	return titled(version) ?? titled("Unreleased") ?? `## ${version}\n`;
}
