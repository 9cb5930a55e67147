/** The file of a session: writes whole lines, reads bytes by offset; a failing disk costs time, not lines. */
import { fstatSync, ftruncateSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, errorText, takeLock, type Lock } from "@tau/utils";

import { DiskFile } from "./disk-file.ts";
import type { EntryNode } from "../tree/node.ts";
import { formatOwner, type ProblemListener } from "./problem.ts";
import { repair } from "./repair.ts";
import { readSpan } from "./scan.ts";
import { newline, writeWhole } from "./write-session.ts";

/** The node is set if the line is an entry; its offset is updated when the line is written. */
interface Queued {
	bytes: Buffer;
	node?: EntryNode;
}

export interface LogFileParts {
	path: string;
	/** Undefined if nothing is on disk yet. */
	file: DiskFile | undefined;
	size: number;
	/** Undefined if the disk rejected the file; creation is retried before the first write. */
	lock: Lock | undefined;
	/** Released when the file is closed. */
	claim?: Disposable | undefined;
	report: ProblemListener;
	/** Another process has appended this part. */
	absorb(file: number, from: number, to: number): void;
}

type Renewal = () => { file: DiskFile; size: number };

export class LogFile implements Disposable {
	readonly #parts: LogFileParts;
	readonly #queue: Queued[] = [];
	#file: DiskFile | undefined;
	#isWritable = false;
	#size: number;
	#lock: Lock | undefined;
	#renew: Renewal | undefined;
	/** True if a partial line of ours is in the file and could not be removed. */
	#isTorn = false;
	#isOut = false;
	#isTaken = false;

	constructor(parts: LogFileParts) {
		this.#parts = parts;
		this.#file = parts.file;
		this.#size = parts.size;
		this.#lock = parts.lock;
	}

	get path(): string {
		return this.#parts.path;
	}

	get isOnDisk(): boolean {
		return this.#file !== undefined;
	}

	/** True if the disk rejected the last lines. */
	get isOut(): boolean {
		return this.#isOut;
	}

	/** Brings a file of an old format to the current one, before the first line is written to it. */
	renewWith(renewal: Renewal): void {
		this.#renew = renewal;
	}

	/** Queues the line for the next `drain`. */
	enqueue(bytes: Buffer, node?: EntryNode): void {
		this.#queue.push(node ? { bytes, node } : { bytes });
	}

	/** Writes the pending lines, in order and in one call. Returns whether none is pending any more; never throws. */
	drain(): boolean {
		if (this.#queue.length === 0) return true;
		try {
			const file = this.#ready();
			this.#write(file);
			file.written();
		} catch (error) {
			this.#fail(error);
			return false;
		}
		return true;
	}

	/** Like `drain`, and syncs the lines to disk. */
	flush(): boolean {
		if (!this.drain()) return false;
		try {
			if (this.#isWritable) this.#file?.syncNow();
		} catch (error) {
			this.#fail(error);
			return false;
		}
		return true;
	}

	/** Begins to sync what was written, off the main thread. */
	syncSoon(): void {
		this.#file?.syncSoon();
	}

	read(offset: number, length: number, space?: Buffer): Buffer {
		return this.#file ? readSpan(this.#file.fd, offset, length, space) : Buffer.alloc(0);
	}

	/** Sets a line with a damaged body aside. Throws the file system's error. */
	setAside(node: EntryNode): void {
		const { offset, length } = node;
		// A missing line was cut off by another program: there is nothing to set aside.
		if (this.#isTaken || !this.#lock?.isHeld() || this.read(offset, length).length < length) return;
		repair(this.path, [{ piece: { kind: "broken", offset, length, head: undefined }, node }], this.#size);
	}

	[Symbol.dispose](): void {
		// A file that would be created here has no messages, so it is not worth creating.
		if (this.#isWritable || this.#isOut) this.drain();
		this.#file?.[Symbol.dispose]();
		this.#lock?.[Symbol.dispose]();
		this.#parts.claim?.[Symbol.dispose]();
		this.#file = undefined;
		this.#lock = undefined;
	}

	#ready(): DiskFile {
		this.#own();
		if (this.#renew) {
			const { file, size } = this.#renew();
			this.#renew = undefined;
			this.#replace(file);
			this.#size = size;
		}
		const file = this.#isWritable && this.#file ? this.#file : this.#openForWriting();
		return this.#ensureAppendable(file);
	}

	#own(): void {
		if (this.#isTaken) throw new Error("another process took it over");
		if (this.#lock?.isHeld() === false) {
			this.#isTaken = true;
			this.#parts.report({ kind: "taken", owner: this.#lock.owner() });
			throw new Error("another process took it over");
		}
		if (this.#lock) return;
		mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
		const taken = takeLock(this.path);
		if (!taken.ok) throw new Error(`${formatOwner(taken.locked.owner)} is writing to ${this.path}`);
		this.#lock = taken.lock;
	}

	#openForWriting(): DiskFile {
		const known = this.#file;
		const file = new DiskFile(openSync(this.path, known ? "a+" : "ax+", 0o600));
		if (known && fstatSync(known.fd).ino !== fstatSync(file.fd).ino) {
			file[Symbol.dispose]();
			throw new Error(`${this.path} was replaced by another program`);
		}
		this.#replace(file);
		return file;
	}

	#replace(file: DiskFile): void {
		this.#file?.[Symbol.dispose]();
		this.#file = file;
		this.#isWritable = true;
	}

	/** Ensures that the file ends after a complete line, so that the next one can be appended. */
	#ensureAppendable(file: DiskFile): DiskFile {
		const { size, nlink } = fstatSync(file.fd);
		if (nlink === 0) return this.#recreate(file);
		if (this.#isTorn || size < this.#size) this.#rollBack(file);
		else if (size > this.#size) {
			this.#parts.absorb(file.fd, this.#size, size);
			this.#size = size;
			if (readSpan(file.fd, size - 1, 1)[0] !== 0x0a) this.#queue.unshift({ bytes: newline });
		}
		return file;
	}

	#rollBack(file: DiskFile): void {
		if (fstatSync(file.fd).size < this.#size)
			throw new Error(`${this.path} was truncated by another program`);
		ftruncateSync(file.fd, this.#size);
		this.#isTorn = false;
	}

	/** The file was deleted while we write it. The earlier lines are still readable through our descriptor. */
	#recreate(lost: DiskFile): DiskFile {
		mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
		let file: DiskFile;
		try {
			file = new DiskFile(openSync(this.path, "ax+", 0o600));
		} catch (error) {
			if (errorCode(error) !== "EEXIST") throw error;
			throw new Error(`${this.path} was replaced by another program`, { cause: error });
		}
		writeWhole(file.fd, readSpan(lost.fd, 0, this.#size));
		this.#replace(file);
		return file;
	}

	#write({ fd }: DiskFile): void {
		const [first, ...others] = this.#queue.map((line) => line.bytes);
		if (!first) return;
		const bytes = others.length === 0 ? first : Buffer.concat([first, ...others]);
		try {
			writeWhole(fd, bytes);
		} catch (error) {
			this.#isTorn = true;
			throw error;
		}
		const lines = this.#queue.splice(0);
		for (const { bytes: line, node } of lines) {
			if (node) place(node, this.#size, line.length - 1);
			this.#size += line.length;
		}
		if (!this.#isOut) return;
		this.#isOut = false;
		this.#parts.report({ kind: "saved", entries: lines.filter(({ node }) => node).length });
	}

	/** Removes a partial line, so that readers do not see it; if that fails, the next write removes it. */
	#fail(error: unknown): void {
		if (this.#isTorn && this.#file) {
			try {
				this.#rollBack(this.#file);
			} catch {
				// `isTorn` stays set, and the line is removed before the next one is written.
			}
		}
		if (this.#isOut || this.#isTaken) return;
		this.#isOut = true;
		this.#parts.report({ kind: "unsaved", reason: errorText(error) });
	}
}

function place(node: EntryNode, offset: number, length: number): void {
	node.offset = offset;
	node.length = length;
	delete node.kept;
}
