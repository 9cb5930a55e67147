/** Why a file could not be read or written, as a value with a sentence for the model. */

export type ProblemKind =
	| "missing"
	| "directory"
	| "special"
	| "binary"
	| "encoding"
	| "large"
	| "denied"
	| "full"
	/** Another writer changed it meanwhile. */
	| "changed"
	/** A part of its path became a link after it was resolved or checked. */
	| "moved"
	/** The user has approved a change of another state of it. */
	| "stale"
	| "exists"
	| "generated"
	| "failed";

export interface FileProblem {
	readonly ok: false;
	readonly kind: ProblemKind;
	readonly reason: string;
}

export function problem(kind: ProblemKind, reason: string): FileProblem {
	return { ok: false, kind, reason };
}

/** Describes a system error, with the file and what to do. */
export function systemProblem(shown: string, verb: "read" | "write", error: unknown): FileProblem {
	const { code, message } = error as NodeJS.ErrnoException;
	switch (code) {
		case "ENOENT":
			return problem("missing", `There is no file ${shown}.`);
		case "EACCES":
		case "EPERM":
			return problem("denied", `No permission to ${verb} ${shown}.`);
		case "EISDIR":
			return problem("directory", `${shown} is a directory.`);
		case "ENOTDIR":
			return problem("failed", `Cannot ${verb} ${shown}: part of its path is a file, not a directory.`);
		case "EROFS":
			return problem("denied", `Cannot write ${shown}: the file system is read-only.`);
		case "ENOSPC":
		case "EDQUOT":
			return problem("full", `Cannot write ${shown}: the disk is full. Nothing was changed.`);
		case "EMOVED":
			return problem(
				"moved",
				`Cannot ${verb} ${shown}: a link in its path was changed meanwhile, and it leads elsewhere now.`,
			);
		case "EEXIST":
			return problem("exists", `${shown} already exists.`);
		default:
			return problem("failed", `Cannot ${verb} ${shown}: ${message}`);
	}
}
