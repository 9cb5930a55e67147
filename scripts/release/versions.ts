/** Refuses a release whose parts have different versions: `tau update` would refuse the executable on every machine. */
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
