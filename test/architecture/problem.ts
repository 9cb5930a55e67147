/** A finding of a check: a location in the tree and a message that says how to fix it. */

export type Problem = { file: string; line?: number; message: string };

export type Check = (root: string) => Promise<Problem[]>;

export function show({ file, line, message }: Problem): string {
	return `${file}${line === undefined ? "" : `:${line}`} ${message}`;
}
