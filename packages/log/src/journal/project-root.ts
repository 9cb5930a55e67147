/** Finds the directory whose files are recorded: the repository around a directory, or the directory itself. */
import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, normalize, sep } from "node:path";

/** System directories: Tau started there has no project. */
const systemDirectories = new Set([
	...[
		"bin",
		"boot",
		"dev",
		"etc",
		"home",
		"lib",
		"mnt",
		"opt",
		"proc",
		"run",
		"sbin",
		"srv",
		"sys",
		"usr",
		"var",
	].map((name) => `/${name}`),
	"/Users",
	"/Volumes",
	tmpdir(),
]);

/** Undefined for a home directory, what is above one, and directories of the system: these are no projects. */
export function projectRoot(cwd: string, home: string | undefined): string | undefined {
	const start = real(cwd);
	if (start === undefined) return undefined;
	for (let at = start; canBeProject(at, home); at = dirname(at)) if (existsSync(join(at, ".git"))) return at;
	return canBeProject(start, home) ? start : undefined;
}

/** Whether a directory, which may be gone, is none of those that are no projects. */
export function canBeProject(path: string, home: string | undefined): boolean {
	const ownHome = home === undefined ? undefined : real(home);
	return (
		isAbsolute(path) &&
		normalize(path) === path &&
		dirname(path) !== path &&
		!systemDirectories.has(path) &&
		ownHome !== path &&
		ownHome?.startsWith(path + sep) !== true
	);
}

function real(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch {
		return undefined;
	}
}
