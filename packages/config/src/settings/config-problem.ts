/** A problem in a file that a user wrote: which file, where in it, and why. */

export interface ConfigProblem {
	file: string;
	line?: number;
	/** The path in the file, such as `providers.mine.models.0.id`. */
	field?: string;
	message: string;
}

/** Returns one line for the user: `models.yml:3 providers.mine.api: …`. */
export function describeProblem({ file, line, field, message }: ConfigProblem): string {
	return `${file}${line === undefined ? "" : `:${line}`}${field ? ` ${field}` : ""}: ${message}`;
}
