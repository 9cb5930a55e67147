/** A change of one file, thought out and not yet made. */
import type { AbsentFile, TextFile } from "./text-file.ts";

export interface FileChange {
	/** The file as it was when the change was thought out. */
	readonly before: TextFile | AbsentFile;
	/** What it shall hold; without it the file is taken away. */
	readonly after?: NewContent;
}

export interface NewContent {
	readonly text: string;
	readonly hasBom: boolean;
	/** Permissions of a file that is not there yet; the usual ones without it. */
	readonly mode?: number;
	readonly executable?: boolean;
}
