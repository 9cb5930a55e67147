/** Appends usage lines to a file per day. Any number of processes may write: a line is one write at the end of the file. */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

import { log } from "@tau/utils";

import { lineOf, type UsageRecord } from "./usage-line.ts";

/** The directory of usage files and of their index, below the user's data. */
export function usageDirectory(data: string): string {
	return join(data, "usage");
}

/** A day of UTC has no other length in the time of computers. */
const dayMs = 86_400_000;

/** How long collected lines wait: no user looks sooner, and a process that is killed loses no more. */
const collectMs = 200;

function dayOf(at: number): number {
	return Math.floor(at / dayMs);
}

/** The file of the day, in UTC: its name must not depend on where the user is. */
export function usageFile(directory: string, at: number): string {
	return join(directory, `${new Date(at).toISOString().slice(0, 10)}.jsonl`);
}

export class UsageLines implements Disposable {
	readonly #directory: string;
	#open: { day: number; file: number } | undefined;
	/** The last write did not fit on the disk: the next line begins on a line of its own. */
	#isTorn = false;
	#hasFailed = false;
	/** Lines that wait, and the day that they are of. */
	#waiting: { text: string; at: number } | undefined;
	#timer: Timer | undefined;

	/** Nothing is created before the first line. */
	constructor(directory: string) {
		this.#directory = directory;
	}

	/** Never throws: what a session costs must not stop it. */
	append(record: UsageRecord): void {
		this.#write(lineOf(record), record.at);
	}

	/** Writes it with others within a moment: a server has thousands in a minute. */
	collect(record: UsageRecord): void {
		const text = lineOf(record);
		if (this.#waiting && dayOf(this.#waiting.at) !== dayOf(record.at)) this.#flush();
		if (this.#waiting) this.#waiting.text += text;
		else this.#waiting = { text, at: record.at };
		this.#timer ??= setTimeout(() => this.#flush(), collectMs);
	}

	#flush(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		if (this.#waiting) this.#write(this.#waiting.text, this.#waiting.at);
		this.#waiting = undefined;
	}

	#write(lines: string, at: number): void {
		try {
			const bytes = Buffer.from((this.#isTorn ? "\n" : "") + lines);
			this.#isTorn = writeSync(this.#fileFor(at), bytes) < bytes.length;
			this.#hasFailed = false;
		} catch (error) {
			// Once: a disk that is full would fill the log instead.
			if (!this.#hasFailed)
				log.warn("usage was not recorded", { directory: this.#directory, reason: String(error) });
			this.#hasFailed = true;
		}
	}

	#fileFor(at: number): number {
		const day = dayOf(at);
		if (this.#open?.day === day) return this.#open.file;
		this.#close();
		mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
		const file = openSync(usageFile(this.#directory, at), "a", 0o600);
		this.#open = { day, file };
		return file;
	}

	[Symbol.dispose](): void {
		this.#flush();
		this.#close();
	}

	#close(): void {
		if (this.#open) closeSync(this.#open.file);
		this.#open = undefined;
	}
}
