/**
 * Paths that are protected by mounts, and which of these are left. Only the kernel knows: a mount goes when a program outside removes or replaces what it is
 * over, and another file may get the inode of that one.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { isBelow } from "./below.ts";
import type { Denial } from "./denial.ts";
import { isInHiddenEntry } from "./hidden-names.ts";
import { LooseDirectories } from "./loose-directories.ts";
import { LooseFiles } from "./loose-files.ts";
import type { SandboxProfile } from "./profile.ts";
import { reported } from "./reports.ts";
import { dataFiles } from "./runs-later.ts";

export interface ProtectedMounts {
	/** What is protected by a mount of its own. */
	readonly paths: readonly string[];
	/** The mounts that there are; undefined while the sandbox does not run. */
	points(): ReadonlySet<string> | undefined;
}

/** Where paths are protected otherwise, no mount can be lost. */
export const noMounts: ProtectedMounts = { paths: [], points: () => undefined };

/** What is protected by mounts, and what becomes of it without them. */
export class MountedPaths {
	readonly files: LooseFiles;
	readonly #directories: LooseDirectories;
	readonly #points: ProtectedMounts["points"];

	constructor(
		{ home, ownHome, writable }: Pick<SandboxProfile, "home" | "ownHome" | "writable">,
		mounts: ProtectedMounts,
		isWritable: (path: string) => boolean,
	) {
		// What programs of the user replace all the time is not put back.
		const data = new Set(dataFiles.map((name) => join(ownHome?.path ?? home, name)));
		const paths = mounts.paths.filter((path) => !data.has(path));
		// A project without settings and repositories has none that could be lost.
		this.#points = paths.length === 0 ? noMounts.points : () => mounts.points();
		this.files = new LooseFiles(paths, isWritable);
		this.#directories = new LooseDirectories(
			paths.filter((path) => writable.some((above) => isBelow(path, above))),
			(path) => ownHome !== undefined && isInHiddenEntry(path, ownHome.path),
		);
	}

	/** Whether a directory has lost its mount, which only a new sandbox gives back. */
	get hasLost(): boolean {
		return this.#directories.among(this.#points()).length > 0;
	}

	/** What changed while no process of a command ran is the user's, and so is what was `made` then. */
	keep(made: Iterable<string>): void {
		this.files.add(made);
		this.files.keep(this.#points());
		this.#directories.keep();
	}

	disarm(): Denial[] {
		const points = this.#points();
		return [
			...reported(() => this.files.disarm(points)),
			...reported(() => this.#directories.disarm(points)),
		];
	}
}

/** Those that a process sees; undefined if it has ended. */
export function mountPoints(pid: number): ReadonlySet<string> | undefined {
	try {
		const mounts = readFileSync(`/proc/${pid}/mountinfo`, "utf8").split("\n");
		return new Set(mounts.map((mount) => unescaped(mount.split(" ", 5)[4] ?? "")));
	} catch {
		return undefined;
	}
}

/** The kernel writes blanks and backslashes as octal numbers. */
function unescaped(path: string): string {
	if (!path.includes("\\")) return path;
	return path.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
}
