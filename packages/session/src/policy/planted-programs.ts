/** Programs that a command finds in the project: a directory of it may be on PATH, such as an activated `.venv/bin`. */
import { accessSync, constants, statSync } from "node:fs";
import { join, resolve } from "node:path";

import type { CommandFacts, ProgramRun } from "@tau/sys/commands";

import { isWithin, realPath } from "./real-path.ts";

/** The directories of a search path in which a call may write unasked. An empty or relative one is in the project. */
export function openDirectories(
	searchPath: readonly string[],
	cwd: string,
	roots: readonly string[],
): string[] {
	const open = searchPath
		.map((entry) => resolve(cwd, entry))
		.filter((path) => {
			const real = realPath(path);
			return roots.some((root) => isWithin(real, root));
		});
	return [...new Set(open)];
}

/** What is there is not the program that is known by this name. */
export function asPlanted(run: ProgramRun, directories: readonly string[]): ProgramRun {
	const isNamed = run.effect !== "exec" && run.argv[0] === run.name;
	const isThere = isNamed && directories.some((directory) => isProgram(join(directory, run.name)));
	return isThere ? { ...run, effect: "exec" } : run;
}

/** Whether the command itself puts programs there. */
export function plants({ writes }: CommandFacts, directories: readonly string[]): boolean {
	return directories.some((directory) => {
		const places = [directory, realPath(directory)];
		return writes.some(({ path, isTree = false }) =>
			places.some(
				(place) => path !== undefined && (isWithin(path, place) || (isTree && isWithin(place, path))),
			),
		);
	});
}

function isProgram(path: string): boolean {
	try {
		if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		// The shell cannot start it either.
		return false;
	}
}
