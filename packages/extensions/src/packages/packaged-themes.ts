/** The themes of the packages that count for a directory. */
import { dirs, type Env } from "@tau/utils";

import { trustOf } from "../trust/trust.ts";
import { findPackages } from "./find.ts";
import { openPackage } from "./installed-package.ts";

/** Their files. */
export function packagedThemes(cwd: string, env: Env): string[] {
	const { home, agent: agentDir } = dirs(env);
	const isTrusted = trustOf(cwd, agentDir) === true;
	return findPackages({ cwd, home, agentDir, isTrusted }).packages.flatMap((one) =>
		one.off === undefined ? openPackage(one).contents.resources.themes.map(({ path }) => path) : [],
	);
}
