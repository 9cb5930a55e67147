/** The hidden entries of the home directory, without what Tau has set aside there. */
import { readdirSync, type Dirent } from "node:fs";

import { textOf } from "./git-directories.ts";

/** They change when the user gets another one. */
export function hiddenNames(home: string): string[] {
	return entriesOf(home)
		.map(({ name }) => name)
		.filter((name) => name.startsWith(".") && !isSetAside(name) && !passing.test(name));
}

/** Those whose names are not text, as strings of bytes (latin1). */
export function oddHiddenNames(home: string): string[] {
	try {
		const names = readdirSync(home, { encoding: "buffer" });
		return names
			.filter((name) => textOf(name) === undefined)
			.map((name) => name.toString("latin1"))
			.filter((name) => name.startsWith("."));
	} catch {
		// It is gone, or not the user's.
		return [];
	}
}

/** What editors, NFS and FUSE make beside a file while it is open, and shells while they write their history. */
const passing =
	/^\.(?:.+\.sw[a-p]|#.+|~lock\..+#|nfs[\da-f]+|fuse_hidden[\da-f]+|goutputstream-\w+|viminf[a-z]\.tmp|(?:z|bash_history|zsh_history)[.-](?:\d+(?:\.tmp)?|new|LOCK))$/;

/** Whether it is the name of what was set aside: no program reads a file that is called so. */
export function isSetAside(name: string): boolean {
	return /\.replaced-\w+$/.test(name);
}

export function isInHiddenEntry(path: string, home: string): boolean {
	return path.startsWith(`${home}/.`);
}

export function entriesOf(path: string): Dirent[] {
	try {
		return readdirSync(path, { withFileTypes: true });
	} catch {
		// It is gone, or not the user's.
		return [];
	}
}
