/** What a check finds: a place in the tree and a sentence that says how to put it right. */

export type Problem = { file: string; line?: number; message: string };

export type Check = (root: string) => Promise<Problem[]>;

export function show({ file, line, message }: Problem): string {
	return `${file}${line === undefined ? "" : `:${line}`} ${message}`;
}
