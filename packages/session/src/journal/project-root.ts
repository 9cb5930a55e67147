/** Finds the directory whose files are recorded: the repository around a directory, or the directory itself. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";

/** Undefined for a home directory, the root of the file system, and directories above a home: these are no projects. */
export function projectRoot(cwd: string, home: string | undefined): string | undefined {
	const start = real(cwd);
	if (start === undefined) return undefined;
	const ownHome = home === undefined ? undefined : real(home);
	const isProject = (path: string): boolean =>
		dirname(path) !== path && ownHome !== path && ownHome?.startsWith(path + sep) !== true;
	for (let at = start; isProject(at); at = dirname(at)) if (existsSync(join(at, ".git"))) return at;
	return isProject(start) ? start : undefined;
}

function real(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch {
		return undefined;
	}
}
