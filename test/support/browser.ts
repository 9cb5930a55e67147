/** An invisible browser for logins, which follows a URL to the end. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Launched } from "./launch.ts";

/** The environment in which Tau finds it. */
export function fakeBrowser(tau: Launched): Record<string, string> {
	const bin = join(tau.home, "bin");
	mkdirSync(bin);
	const opener = join(bin, "xdg-open");
	writeFileSync(opener, `#!/bin/sh\nexec '${process.execPath}' -e 'await fetch(process.argv[1])' "$1"\n`);
	chmodSync(opener, 0o755);
	return { DISPLAY: ":99", PATH: `${bin}:${process.env.PATH}` };
}
