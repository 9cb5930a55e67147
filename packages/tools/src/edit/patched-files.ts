/** The files that a patch names, also one that is still being written or is not valid. */

export interface PatchedFile {
	/** `move`: the new name of the file before it. */
	readonly change: "add" | "update" | "delete" | "move";
	readonly path: string;
}

const headLine = /^\*\*\* (?:(Add|Update|Delete) File|Move to): *(.+)$/s;

/** Accepts every line that the parser of patches may accept: what is missing here would be changed unjudged. */
export function patchedFiles(patch: string): PatchedFile[] {
	return patch.split("\n").flatMap((line) => {
		const [, verb, path] = headLine.exec(line.trim()) ?? [];
		if (path === undefined) return [];
		return [{ change: (verb?.toLowerCase() ?? "move") as PatchedFile["change"], path }];
	});
}
