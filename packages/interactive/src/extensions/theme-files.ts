/** The theme files at paths that extensions name: a file itself, or all in a directory. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

export function themeFiles(paths: readonly string[]): string[] {
	return paths.flatMap((path) => (path.endsWith(".json") ? [path] : filesIn(path)));
}

function filesIn(directory: string): string[] {
	try {
		return readdirSync(directory)
			.filter((name) => name.endsWith(".json"))
			.toSorted()
			.map((name) => join(directory, name));
	} catch {
		// One that is not there has no themes.
		return [];
	}
}
