/** Shows the temporary files of a sandbox under the paths that commands know them by. */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";

import { layered, type MachineFiles } from "../machine/index.ts";
import type { CurrentLauncher } from "../shell/index.ts";
import { isBelow } from "./profile.ts";

/**
 * A file that only the host has, such as one that the user names, stays visible. `project`: a directory that commands see as
 * it is, so that its files need no sandbox, also where it is a temporary one.
 */
export function withTemporaryFiles(
	all: MachineFiles,
	current: () => CurrentLauncher,
	project?: string,
): MachineFiles {
	const isOwn = (path: string): boolean =>
		project !== undefined && (path === project || isBelow(path, project)) && !path.split("/").includes("..");
	const find = async (path: string): Promise<string> => {
		const launcher = await Promise.resolve(current()).catch(() => undefined);
		const inside = launcher?.hostPath(path) ?? path;
		if (!launcher || inside === path || !staysBelow(inside, launcher.hostPath(rootOf(path)))) return path;
		return !existsSync(inside) && existsSync(path) ? path : inside;
	};
	const at = (path: string): string | Promise<string> =>
		isTemporary(path) && !isOwn(path) ? find(path) : path;
	return layered(all, (files) => ({
		stat: async (path) => files.stat(await at(path)),
		lstat: async (path) => files.lstat(await at(path)),
		realpath: async (path) => files.realpath(await at(path)),
		open: async (path, signal) => files.open(await at(path), signal),
		read: async (path, options) => files.read(await at(path), options),
		list: async (path) => files.list(await at(path)),
		glob: async (options) => files.glob({ ...options, root: await at(options.root) }),
		fuzzyFind: async (options) => files.fuzzyFind({ ...options, root: await at(options.root) }),
		search: async (options, onEvent) =>
			files.search({ ...options, paths: await Promise.all(options.paths.map(at)) }, onEvent),
		readText: async (shown, path) => files.readText(shown, await at(path)),
		readEntry: async (shown, path) => files.readEntry(shown, await at(path)),
	}));
}

/** A command may have made a link that leads, for us, to what is hidden from it. */
function staysBelow(path: string, root: string): boolean {
	for (let at = path; isBelow(at, root); at = dirname(at)) {
		if (lstatSync(at, { throwIfNoEntry: false }) === undefined) continue;
		try {
			return isBelow(realpathSync(at), root);
		} catch {
			// A link that leads nowhere yet.
			return false;
		}
	}
	return true;
}

function rootOf(path: string): string {
	return path.startsWith("/tmp/") ? "/tmp" : "/var/tmp";
}

function isTemporary(path: string): boolean {
	return path.startsWith("/tmp/") || path.startsWith("/var/tmp/");
}
