/** What is at a path that a command may have changed, and undefined for one that cannot be looked at, for whatever reason. */
import { lstatSync, type BigIntStats } from "node:fs";

export function statsOf(path: string | Buffer): BigIntStats | undefined {
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false });
	} catch {
		// A command has closed its directory, put a file in its place, or made a name that is too long.
		return undefined;
	}
}

/** Which file it is, and when it was changed last: no program can set that time, but two files may have the same. */
export interface Stamp {
	readonly dev: bigint;
	readonly ino: bigint;
	readonly changed: bigint;
}

export function stampOf({ dev, ino, ctimeNs }: BigIntStats): Stamp {
	return { dev, ino, changed: ctimeNs };
}

export function isAt(stamp: Stamp | undefined, { dev, ino, ctimeNs }: BigIntStats): boolean {
	return stamp !== undefined && stamp.changed === ctimeNs && stamp.ino === ino && stamp.dev === dev;
}
