/** The files that a patch names, also one that is still being written or is not valid. */

export interface PatchedFile {
	/** `move`: the new name of the file before it. */
	readonly change: "add" | "update" | "delete" | "move";
	readonly path: string;
}

const headLine = /^\*\*\* (?:(Add|Update|Delete) File|Move to): *(.+)$/gm;

export function patchedFiles(patch: string): PatchedFile[] {
	return Array.from(patch.matchAll(headLine), ([, verb, path = ""]) => ({
		change: (verb?.toLowerCase() ?? "move") as PatchedFile["change"],
		path: path.trim(),
	}));
}
