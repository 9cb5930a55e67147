/** A mode is a client of the session: the rest of the program knows it in a few places, where it is started. */
import { readModules } from "../modules.ts";
import { isProduct } from "../paths.ts";
import type { Problem } from "../problem.ts";

const home = "packages/coding-agent/src/modes/";
/** Files outside of its folder that a mode may take. */
const most = 3;

export async function modes(root: string): Promise<Problem[]> {
	const importers = new Map<string, Set<string>>();
	for (const { path, links } of await readModules(root)) {
		if (!isProduct(path)) continue;
		for (const { target } of links) {
			const mode = modeOf(target);
			if (mode === undefined || mode === modeOf(path)) continue;
			importers.set(mode, (importers.get(mode) ?? new Set()).add(path));
		}
	}
	return [...importers].flatMap(([mode, files]) =>
		files.size <= most
			? []
			: [
					{
						file: home + mode,
						message: `is imported by ${files.size} files outside (${[...files].join(", ")}), ${most} are allowed: what they share belongs below the modes`,
					},
				],
	);
}

/** The folder of the mode that a file belongs to. */
function modeOf(path: string | undefined): string | undefined {
	const [mode, file] = path?.startsWith(home) ? path.slice(home.length).split("/") : [];
	return file === undefined ? undefined : mode;
}
