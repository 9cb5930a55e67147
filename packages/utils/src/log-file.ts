/** A file of lines that several processes append to, and that is rotated when it has grown large. */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { logLimits } from "./limits.ts";

export interface RotationOptions {
	fileBytes: number;
	keep: number;
}

/**
 * The file is opened for each line: another process may have rotated it, and a line must not go to an old file. Lines
 * are written with one `write` in append mode, so lines of different processes do not mix.
 */
export class LogFile {
	readonly #dir: string;
	readonly #path: string;
	readonly #fileBytes: number;
	readonly #keep: number;
	#torn = false;

	constructor(dir: string, options: RotationOptions) {
		this.#dir = dir;
		this.#path = join(dir, "tau.log");
		this.#fileBytes = options.fileBytes;
		this.#keep = options.keep;
	}

	/** Throws when the line could not be written whole. */
	append(line: string): void {
		const bytes = Buffer.from(this.#torn ? `\n${line}\n` : `${line}\n`);
		let handle = this.#open();
		try {
			const { size } = fstatSync(handle);
			if (size > 0 && size + bytes.length > this.#fileBytes && this.#rotate(bytes.length)) {
				closeSync(handle);
				handle = this.#open();
			}
			const written = writeSync(handle, bytes);
			// A partly written line (the disk is full) must not corrupt the next one.
			this.#torn = written < bytes.length;
			if (this.#torn) throw new Error(`wrote ${written} of ${bytes.length} bytes`);
		} finally {
			closeSync(handle);
		}
	}

	#open(): number {
		try {
			return openSync(this.#path, "a", 0o600);
		} catch {
			// Most likely the directory does not exist; any other cause fails again below.
			mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
			return openSync(this.#path, "a", 0o600);
		}
	}

	/**
	 * False when another process is rotating: then this line makes the file slightly too large, which is harmless.
	 */
	#rotate(needed: number): boolean {
		const lock = `${this.#path}.lock`;
		if (!takeLock(lock)) return false;
		try {
			// Another process may have rotated the file between the check and the lock.
			const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
			if (size + needed <= this.#fileBytes) return true;
			for (let index = this.#keep - 1; index >= 1; index--) {
				moveIfThere(`${this.#path}.${index}`, `${this.#path}.${index + 1}`);
			}
			if (this.#keep > 0) moveIfThere(this.#path, `${this.#path}.1`);
			else rmSync(this.#path, { force: true });
			return true;
		} finally {
			rmSync(lock, { force: true });
		}
	}
}

function takeLock(lock: string): boolean {
	try {
		closeSync(openSync(lock, "wx", 0o600));
		return true;
	} catch {
		// The lock is held, or was left by a process that died: renaming takes milliseconds, so an old lock is stale.
		const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
		if (age > logLimits.staleLockMs) rmSync(lock, { force: true });
		return false;
	}
}

function moveIfThere(from: string, to: string): void {
	try {
		renameSync(from, to);
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
	}
}
