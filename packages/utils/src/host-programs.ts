/**
 * Finds the programs that Tau starts itself, outside of any sandbox: never in a directory that commands of a model can
 * write, such as an activated `.venv/bin` of the project, where a command could plant a `git`.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";

import { onDispose } from "./dispose.ts";

/** The default search path of shells, for an environment without PATH. */
export const standardPath = "/usr/local/bin:/usr/bin:/bin";

/** System directories: used even where commands can write to them, because there are no other programs. */
const systemDirectories = new Set([...standardPath.split(":"), "/usr/sbin", "/sbin", "/usr/local/sbin"]);

/** Of each open session: the directories that its commands can write. */
const writable = new Set<() => readonly string[]>();

/** The directories are asked for at each search, until the result is disposed of. */
export function commandsWrite(directories: () => readonly string[]): Disposable {
	writable.add(directories);
	return onDispose(() => writable.delete(directories));
}

/** The path of a program, or undefined. Relative entries of PATH count as the project's. */
export function hostProgram(
	name: string,
	path: string = process.env.PATH ?? standardPath,
): string | undefined {
	const roots = writableRoots();
	if (name.includes("/")) return isAbsolute(name) && isSafe(name, roots) ? name : undefined;
	for (const directory of path.split(delimiter)) {
		// Most directories do not have it, which is cheaper to find out than where they really are.
		const program = join(directory, name);
		if (!isAbsolute(directory) || !isProgram(program)) continue;
		if (isSafe(directory, roots) && isSafe(program, roots)) return program;
	}
	return undefined;
}

/** PATH without the directories that commands can write, for the programs that such a program starts. */
export function hostSearchPath(path: string = process.env.PATH ?? standardPath): string {
	const roots = writableRoots();
	const isUsed = (entry: string): boolean => isAbsolute(entry) && isSafe(entry, roots);
	return path.split(delimiter).filter(isUsed).join(delimiter);
}

/** A link in a safe directory may lead to a file that a command can replace. */
function isSafe(path: string, roots: readonly string[]): boolean {
	const real = realOrSame(path);
	return (
		systemDirectories.has(real) ||
		systemDirectories.has(dirname(real)) ||
		(!roots.some((root) => isWithin(real, root)) && !roots.some((root) => isWithin(path, root)))
	);
}

/** The current directory counts even before a session is open: an earlier one may have worked here. */
function writableRoots(): string[] {
	const named = [process.cwd(), ...[...writable].flatMap((directories) => directories())];
	const roots = named.flatMap((path) => [path, realOrSame(path)]);
	return [...new Set(roots)].filter((path) => path !== "/");
}

function isWithin(path: string, root: string): boolean {
	return path === root || path.startsWith(`${root}/`);
}

function isProgram(path: string): boolean {
	try {
		// Most directories of PATH do not have it, and an exception takes ten times as long as the look.
		if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

function realOrSame(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
