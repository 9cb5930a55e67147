/** What an archive holds, and why it may not give it. */

/** The path of a local file, or the bytes of one that is elsewhere, with its name for messages. */
export type ArchiveSource = string | { readonly name: string; readonly bytes: Uint8Array };

export interface ArchiveEntry {
	/** With `/` between its parts, without `./` in front and without `/` behind. */
	path: string;
	kind: "file" | "directory" | "link" | "other";
	/** Unpacked. */
	size: number;
	/** Where a link leads; nothing here follows it. */
	target?: string;
	encrypted?: true;
}

export type ArchiveProblem =
	| "missing"
	| "not-an-archive"
	| "damaged"
	| "too-large"
	| "not-found"
	| "not-a-file"
	| "encrypted"
	| "unsupported"
	| "bad-path"
	/** It took too long or too much memory. */
	| "limit"
	| "io";

export interface ArchiveRefusal {
	ok: false;
	problem: ArchiveProblem;
	message: string;
}

/** Travels inside this package only; at the door it becomes a refusal. */
export class ArchiveError extends Error {
	readonly problem: ArchiveProblem;

	constructor(problem: ArchiveProblem, message: string) {
		super(message);
		this.problem = problem;
	}
}

/** A path by which entries are compared. One that leads out of the archive stays unchanged, so that it is visible. */
export function entryPath(stored: string): string {
	const parts = stored.replaceAll("\\", "/").split("/");
	const isAbsolute = stored.startsWith("/");
	return (isAbsolute ? "/" : "") + parts.filter((part) => part !== "" && part !== ".").join("/");
}

/** The path for a new entry; throws for one that would lead out of the folder that it is unpacked to. */
export function safePath(requested: string): string {
	const path = entryPath(requested);
	const parts = path.split("/");
	const leadsOut = path.startsWith("/") || /^[a-z]:/i.test(path) || parts.includes("..");
	if (path === "" || leadsOut || /[\0-\x1f\x7f]/.test(path)) {
		throw new ArchiveError("bad-path", `"${requested}" is not a path inside an archive. Use folder/file.`);
	}
	if (/[\\/]$/.test(requested)) {
		throw new ArchiveError("not-a-file", `"${requested}" is a directory. Name a file in it.`);
	}
	return path;
}

/** The entry of that path that counts: of several with one name, unpacking keeps the last. */
export function findEntry<T extends ArchiveEntry>(entries: readonly T[], requested: string): T | undefined {
	const path = entryPath(requested);
	return entries.findLast((entry) => entry.path === path);
}

/** Names are UTF-8 everywhere but in old archives, whose bytes are then shown unchanged. */
export function decodeName(bytes: Uint8Array): string {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		// Not UTF-8: Latin-1 has a character for every byte, so the name stays unique.
		return Buffer.from(bytes).toString("latin1");
	}
}
