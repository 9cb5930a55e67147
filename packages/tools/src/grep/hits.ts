/** Collects the matches of a search, file by file, and stores no more of a file than can be shown. */
import type { SearchEvent } from "@tau/sys";

export interface HitLine {
	number: number;
	text: string;
	isMatch: boolean;
	/** How many matches of the file had come when the line came, itself included. */
	match: number;
}

export interface FileHits {
	path: string;
	matches: number;
	lines: HitLine[];
	isBinary: boolean;
}

export class Hits {
	readonly #files = new Map<string, FileHits>();
	/** Matches that may be shown, of all files together. */
	readonly limit: number;
	/** Lines around each. */
	readonly context: number;

	constructor(limit: number, context: number) {
		this.limit = limit;
		this.context = context;
	}

	/** Matches are in the order of paths: the search itself emits files in the order of completion. */
	get files(): FileHits[] {
		return [...this.#files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
	}

	add(event: SearchEvent): void {
		const file = this.#file(event.path);
		if (event.type === "end") {
			file.isBinary = event.isBinary;
			return;
		}
		const isMatch = event.type === "match";
		if (isMatch) file.matches++;
		// Context after the last shown match still belongs to that match.
		if (file.matches > this.limit) return;
		for (const { number, text } of event.lines)
			file.lines.push({ number, text, isMatch, match: file.matches });
	}

	#file(path: string): FileHits {
		const known = this.#files.get(path);
		if (known) return known;
		const file: FileHits = { path, matches: 0, lines: [], isBinary: false };
		this.#files.set(path, file);
		return file;
	}
}
