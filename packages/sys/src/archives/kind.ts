/** Recognizes archives by their names. */

export type ArchiveKind = "zip" | "tar" | "tar.gz";

/** The kind of archive that a file of this name is. */
export function archiveKind(path: string): ArchiveKind | undefined {
	const [, suffix] = /\.(zip|tar|tar\.gz|tgz)$/i.exec(path) ?? [];
	if (suffix === undefined) return undefined;
	const kind = suffix.toLowerCase();
	return kind === "zip" || kind === "tar" ? kind : "tar.gz";
}
