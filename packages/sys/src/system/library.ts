/** Native libraries that ship with the program. */
import { join } from "node:path";

import { dirs } from "@tau/utils";

import { unpack } from "./unpack.ts";

/** A path that the system can load. */
export function loadableLibrary(path: string, name: string): string {
	if (!Bun.isStandaloneExecutable) return path;
	const directory = join(dirs().cache, "grammars");
	return unpack({ source: path, name: `${name}-${Bun.file(path).size}.so`, directory });
}
