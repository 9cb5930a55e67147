/** Finds the directory whose files are recorded: the repository around a directory, or the directory itself. */
import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";

/** Directories of the system: whoever starts Tau there has no project in mind. */
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
	const ownHome = home === undefined ? undefined : real(home);
	const isProject = (path: string): boolean =>
		dirname(path) !== path &&
		!systemDirectories.has(path) &&
		ownHome !== path &&
		ownHome?.startsWith(path + sep) !== true;
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
