/** A mode is a client of the session: small, and known to the rest of the program in a few places, where it is started. */
import { limits } from "../limits.ts";
import { readModules } from "../modules.ts";
import { isProduct } from "../paths.ts";
import type { Problem } from "../problem.ts";

const home = "packages/coding-agent/src/modes/";
/** Files outside of its folder that a mode may take. */
const most = 3;

export async function modes(root: string): Promise<Problem[]> {
	const importers = new Map<string, Set<string>>();
	const lines = new Map<string, number>();
	for (const { path, links, text } of await readModules(root)) {
		if (!isProduct(path)) continue;
		const own = modeOf(path);
		if (own !== undefined) lines.set(own, (lines.get(own) ?? 0) + text.split("\n").length - 1);
		for (const { target } of links) {
			const mode = modeOf(target);
			if (mode === undefined || mode === own) continue;
			importers.set(mode, (importers.get(mode) ?? new Set()).add(path));
		}
	}
	const large = [...lines].filter(([, count]) => count > limits.modeLines);
	const tooLarge = large.map(([mode, count]) => ({
		file: home + mode,
		message: `has ${count} lines without tests, ${limits.modeLines} are allowed: what other clients need as well belongs to packages/server`,
	}));
	const known = [...importers].flatMap(([mode, files]) =>
		files.size <= most
			? []
			: [
					{
						file: home + mode,
						message: `is imported by ${files.size} files outside (${[...files].join(", ")}), ${most} are allowed: what they share belongs below the modes`,
					},
				],
	);
	return [...known, ...tooLarge];
}

/** The folder of the mode that a file belongs to. */
function modeOf(path: string | undefined): string | undefined {
	const [mode, file] = path?.startsWith(home) ? path.slice(home.length).split("/") : [];
	return file === undefined ? undefined : mode;
}
