/**
 * Over which paths a sandbox has mounts. Only the kernel knows: a mount goes when a program outside removes or replaces what it is
 * over, and another file may get the inode of that one.
 */
import { readFileSync } from "node:fs";

export interface ProtectedMounts {
	/** What is protected by a mount of its own. */
	readonly paths: readonly string[];
	/** The mounts that there are; undefined while the sandbox does not run. */
	points(): ReadonlySet<string> | undefined;
}

/** Where paths are protected otherwise, no mount can be lost. */
export const noMounts: ProtectedMounts = { paths: [], points: () => undefined };

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
