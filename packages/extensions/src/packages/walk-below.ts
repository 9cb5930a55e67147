/** Lists the files below a directory of a package, for the globs of its manifest. */
import { join } from "node:path";

import { entriesOf, isLoop, kindOf } from "@tau/resources/discovery";
import { limits } from "./limits.ts";

/** Files and directories, with paths from the root. What was installed for the package is not its own. */
export function walkBelow(root: string, start: string): string[] {
	const matches: string[] = [];
	const visit = (below: string): void => {
		const directory = join(root, below);
		for (const entry of entriesOf(directory)) {
			if (matches.length >= limits.walked) return;
			const path = below === "" ? entry.name : `${below}/${entry.name}`;
			const kind = kindOf(entry, directory);
			if (kind === undefined) continue;
			matches.push(path);
			if (kind === "directory" && !isLoop(entry, directory)) visit(path);
		}
	};
	visit(start);
	return matches;
}
