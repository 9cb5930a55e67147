/** What is wrong with a file that a person wrote: which file, where in it, and why. */

export interface ConfigProblem {
	file: string;
	line?: number;
	/** Where in the file, as `providers.mine.models.0.id`. */
	field?: string;
	message: string;
}

/** One line for a person: `models.yml:3 providers.mine.api: …`. */
export function describeProblem({ file, line, field, message }: ConfigProblem): string {
	return `${file}${line === undefined ? "" : `:${line}`}${field ? ` ${field}` : ""}: ${message}`;
}
