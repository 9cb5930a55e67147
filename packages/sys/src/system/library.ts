/** Native libraries that ship with the program. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { dirs } from "@tau/utils";

/** A path that the system can load: it cannot load a library from within our executable, so that is copied out first. */
export function loadableLibrary(path: string, name: string): string {
	if (!Bun.isStandaloneExecutable) return path;
	const directory = join(dirs().cache, "grammars");
	const target = join(directory, `${name}-${Bun.file(path).size}.so`);
	if (existsSync(target)) return target;
	mkdirSync(directory, { recursive: true, mode: 0o700 });
	const draft = `${target}.${process.pid}.tmp`;
	// The system does not know the files inside of our executable, so they cannot be copied by name.
	writeFileSync(draft, readFileSync(path));
	renameSync(draft, target);
	return target;
}
