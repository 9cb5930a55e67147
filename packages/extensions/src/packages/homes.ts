/** The directories of installed packages: the user's, and the project's. */
import { join, resolve } from "node:path";

import type { PackageEntry } from "./state.ts";

export interface PackageHome {
	scope: "user" | "project";
	directory: string;
}

export function userHome(agentDir: string): PackageHome {
	return { scope: "user", directory: join(agentDir, "plugins") };
}

export function projectHome(cwd: string): PackageHome {
	return { scope: "project", directory: join(cwd, ".tau/plugins") };
}

/** The directory of an installed package, or the directory or file of a linked one. */
export function rootOf(home: PackageHome, { folder, path }: PackageEntry): string {
	if (folder !== undefined) return join(storeOf(home), folder, "package");
	return resolve(home.directory, path ?? ".");
}

export function storeOf({ directory }: PackageHome): string {
	return join(directory, "store");
}
