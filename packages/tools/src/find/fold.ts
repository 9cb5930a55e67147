/** Folds a list of paths: the directory is written once, above the names in it. */
import { shownName } from "./shown-path.ts";

export interface Folded {
	text: string;
	shown: number;
}

/** Directories and names stay in the order in which they first come. Stops before `maxBytes`. */
export function foldPaths(paths: readonly string[], maxBytes: number): Folded {
	const groups = new Map<string, string[]>();
	for (const path of paths) {
		// A slash at the end marks a directory and belongs to its name.
		const cut = path.lastIndexOf("/", path.length - 2) + 1;
		// A path that needs quotes is quoted as a whole, on its own line.
		const directory = shownName(path) === path ? path.slice(0, cut) : path;
		const names = groups.get(directory);
		const name = path.slice(directory.length);
		if (names) names.push(name);
		else groups.set(directory, [name]);
	}
	const lines: string[] = [];
	let bytes = 0;
	let shown = 0;
	for (const [directory, names] of groups) {
		const isFolded = names.length > 1 && directory !== "";
		for (const [index, name] of names.entries()) {
			const line = isFolded ? `  ${name}` : shownName(directory + name);
			const whole = isFolded && index === 0 ? `${directory}\n${line}` : line;
			bytes += Buffer.byteLength(whole) + 1;
			if (bytes > maxBytes && shown > 0) return { text: lines.join("\n"), shown };
			lines.push(whole);
			shown++;
		}
	}
	return { text: lines.join("\n"), shown };
}
