/** Installs pinned packages of others from the npm registry into a cache of this clone, without running their scripts. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../test/support/launch.ts";

const cache = join(root, "node_modules/.cache/third-party");
/** The program of Claude Code has 370 MB. */
const installMs = 600_000;

/** Gives the directory of the package; throws what npm said. */
export function installed(name: string, version: string): string {
	const directory = join(cache, `${name}@${version}`.replace("/", "__"));
	const made = join(directory, "node_modules", name);
	if (existsSync(made)) return made;
	const draft = `${directory}.${process.pid}.tmp`;
	mkdirSync(draft, { recursive: true });
	writeFileSync(join(draft, "package.json"), `{ "private": true }\n`);
	const quiet = ["--ignore-scripts", "--omit=dev", "--legacy-peer-deps", "--no-audit", "--no-fund"];
	const { success, stderr } = Bun.spawnSync(["npm", "install", ...quiet, `${name}@${version}`], {
		cwd: draft,
		timeout: installMs,
		stdout: "ignore",
		stderr: "pipe",
	});
	if (success) renameSync(draft, directory);
	else rmSync(draft, { recursive: true, force: true });
	if (!success) throw new Error(`npm could not install it: ${stderr.toString().trim().split("\n").at(-2)}`);
	return made;
}
