/** The themes of the packages that count for a directory. */
import { dirs, type Env } from "@tau/utils";

import { findPackages } from "./find.ts";
import { openPackage } from "./installed-package.ts";

/** Their files. */
export function packagedThemes(cwd: string, env: Env, isTrusted: boolean): string[] {
	const { home, agent: agentDir } = dirs(env);
	return findPackages({ cwd, home, agentDir, isTrusted }).packages.flatMap((one) =>
		one.off === undefined ? openPackage(one).contents.resources.themes.map(({ path }) => path) : [],
	);
}
