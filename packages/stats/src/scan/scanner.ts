/** What reads the files of one program. */
import type { Counter } from "../event.ts";

/** A file to be read, from where the last scan stopped. */
export interface ScanFile {
	path: string;
	/** The open file; a scanner of databases opens the path itself. */
	file: number;
	from: number;
	size: number;
	mtimeMs: number;
	/** What the scanner wanted to remember of what is before `from`. */
	state: string | null;
	/** Tool calls up to here are counted. */
	last: number;
}

export interface Scanned {
	/** Where the next scan begins. */
	offset: number;
	/** The newest tool call. */
	last: number;
	state?: string | undefined;
	/** The id of the session that the file is. */
	session?: string;
	/** The end of the file was left for later: it is read again even if it does not change. */
	isOpen?: boolean;
}

export type Scan = (file: ScanFile, counter: Counter) => Scanned;
