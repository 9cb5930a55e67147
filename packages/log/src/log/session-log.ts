/** One conversation as an append-only tree: heads in memory, bodies in a file or, without one, in memory too. */
import { existsSync, fstatSync, openSync, realpathSync } from "node:fs";
import { Listeners, type Locked, shortId } from "@tau/utils";

import { arrange } from "./file/arrange.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import { Bodies } from "./file/bodies.ts";
import { DiskFile } from "./file/disk-file.ts";
import { sessionVersion, type EntryFields, type SessionEntry, type SessionHeader } from "./tree/entry.ts";
import { limits } from "./limits.ts";
import { inLargeParts } from "./file/large-parts.ts";
import { quickHead } from "./file/line-head.ts";
import { LogFile } from "./file/log-file.ts";
import { tombstone, type EntryNode } from "./tree/node.ts";
import { openFile, type OpenedFile } from "./file/open-file.ts";
import { fromFileName, isForeign } from "./file/paths.ts";
import { ImageBlobs } from "./blobs/image-blobs.ts";
import type { LogProblem, ProblemListener } from "./file/problem.ts";
import { scan } from "./file/scan.ts";
import { spentIn, type Spent } from "./tree/spent.ts";
import { EntryTree } from "./tree/tree.ts";
import { headerLine, keepOriginal, newline, writeSession } from "./file/write-session.ts";

export interface LogOptions {
	/** By default large images go to files; a session in memory holds them itself. */
	blobs?: BlobStore | undefined;
	/** Released when the log of a new session is closed: see `claimSessionId`. */
	claim?: Disposable | undefined;
}

export type OpenError =
	/** Another process writes it. */
	| { ok: false; reason: "locked"; locked: Locked }
	/** The session is in a directory of pi or omp. */
	| { ok: false; reason: "foreign"; path: string }
	/** A later version wrote it. */
	| { ok: false; reason: "newer"; path: string; version: number };

export type LogOutcome = { ok: true; log: SessionLog } | OpenError;

/** A session without any of these entries leaves no file. */
const conversation: ReadonlySet<string> = new Set([
	"message",
	"custom_message",
	"compaction",
	"branch_summary",
]);

export class SessionLog implements Disposable {
	readonly header: SessionHeader;
	readonly tree = new EntryTree();
	readonly isReadOnly: boolean;
	readonly #problems: LogProblem[] = [];
	readonly #listeners = new Listeners<LogProblem>();
	readonly #blobs: BlobStore | undefined;
	readonly #bodies: Bodies;
	readonly #missing = new Set<string>();
	#file: LogFile | undefined;
	#isClosed = false;
	/** The last entry with a name among the first `#searched`. */
	#named: EntryNode | undefined;
	#searched = 0;

	private constructor(header: SessionHeader, { blobs }: LogOptions, isReadOnly = false) {
		this.header = header;
		this.isReadOnly = isReadOnly;
		this.#blobs = blobs;
		this.#bodies = new Bodies({
			read: (offset, length) => this.#file?.read(offset, length) ?? Buffer.alloc(0),
			damaged: (node) => this.#bury(node),
			// Version 1 counts lines, and the header is line 0.
			idAt: (line) => this.tree.nodes[line - 1]?.id,
			blobs,
			missing: (node, reference) => this.#miss(node, reference),
		});
	}

	static inMemory(header: SessionHeader, options: LogOptions = {}): SessionLog {
		return new SessionLog(header, options);
	}

	/** No file is created until the first message. */
	static fresh(path: string, header: SessionHeader, options: LogOptions = {}): SessionLog {
		const log = new SessionLog(header, { blobs: options.blobs ?? new ImageBlobs(path) });
		log.#file = log.#fileOf({ path, file: undefined, size: 0, lock: undefined, claim: options.claim });
		log.#file.enqueue(headerLine(header));
		return log;
	}

	/** If the path does not exist, a new session starts there. Throws if the file cannot be read. */
	static open(
		path: string,
		access: "read" | "write",
		fallback: SessionHeader,
		options: LogOptions = {},
	): LogOutcome {
		if (!existsSync(path))
			return access === "write" && isForeign(path)
				? { ok: false, reason: "foreign", path }
				: { ok: true, log: SessionLog.fresh(path, fallback, options) };
		// A process that opens the file through another name must find the same lock.
		const real = realpathSync(path);
		if (access === "write" && isForeign(real)) return { ok: false, reason: "foreign", path: real };
		const outcome = openFile(real, access);
		if (!outcome.ok) return outcome;
		const { opened } = outcome;
		const header = opened.isEmpty ? { ...fallback, ...fromFileName(real) } : opened.header;
		const blobs = options.blobs ?? new ImageBlobs(real);
		const log = new SessionLog(header, { blobs }, access === "read");
		log.#adopt(real, opened);
		return { ok: true, log };
	}

	/** The last name wins, whether it was set in pi's or in omp's way. */
	get name(): string | undefined {
		const named = this.#lastNamed();
		const entry = named && this.entry(named);
		if (entry?.type === "session_info") return nameFrom(entry.name);
		if (entry?.type === "title_change") return nameFrom(entry.title);
		return this.header.title;
	}

	get path(): string | undefined {
		return this.#file?.path;
	}

	/** The problems found on opening and since, in order. */
	get problems(): readonly LogProblem[] {
		return this.#problems;
	}

	/** Whether some entries are only in memory and should be on disk. */
	get isBehind(): boolean {
		return this.#file?.isOut ?? false;
	}

	onProblem(listener: ProblemListener): Disposable {
		return this.#listeners.add(listener);
	}

	/**
	 * The line is complete in the file when this returns, unless the disk rejects it: then it is queued in memory, in
	 * order, and is written with the next successful write.
	 */
	append(fields: EntryFields, parentId: string | null): EntryNode {
		if (this.isReadOnly) throw new Error(`The session ${this.path} was opened read-only.`);
		const { type, ...rest } = fields;
		const id = shortId((taken) => this.tree.has(taken));
		const timestamp = new Date().toISOString();
		const entry = { type, id, parentId, timestamp, ...rest } as SessionEntry;
		const written = this.#blobs?.externalize(entry) ?? entry;
		const line = bytesOf(`${JSON.stringify(written)}\n`);
		if (line.length > limits.lineBytes)
			throw new RangeError(`An entry of ${line.length} bytes is too large.`);
		const node: EntryNode = {
			type,
			id,
			parentId,
			timestamp,
			offset: -1,
			length: line.length - 1,
			kept: entry,
		};
		this.tree.add(node);
		if (this.#file) {
			this.#file.enqueue(line, node);
			if (this.#file.isOnDisk || conversation.has(type)) this.#file.drain();
			if (written === entry) this.#bodies.keep(node, entry);
		}
		return node;
	}

	/** Copies entries of another log unchanged; they are written with the first message. */
	take(source: SessionLog, nodes: readonly EntryNode[]): void {
		for (const original of nodes) {
			const line = source.line(original);
			const node = { ...original, offset: -1, length: line.length, kept: source.entry(original) };
			this.tree.add(node);
			this.#file?.enqueue(Buffer.concat([line, newline]), node);
		}
	}

	static isConversation({ type }: EntryNode): boolean {
		return conversation.has(type);
	}

	entry(node: EntryNode): SessionEntry {
		return this.#bodies.get(node);
	}

	/** The usage of all branches, in the order of the file. */
	spent(): Generator<Spent> {
		return spentIn(this.tree.nodes, {
			known: (node) => this.#bodies.known(node),
			read: (...span) => this.#file?.read(...span) ?? Buffer.alloc(0),
		});
	}

	/** The bytes of lines, for readers that go from the end to the beginning; `undefined` for what is in memory. */
	linesBackwards(): (node: EntryNode) => Buffer | undefined {
		const read = inLargeParts((...span) => this.#file?.read(...span) ?? Buffer.alloc(0), "backwards");
		return (node) => (this.#bodies.known(node) ? undefined : read(node.offset, node.length));
	}

	/** Returns the unchanged line of the file, or a corrected line if its position in the tree had to be repaired. */
	line(node: EntryNode): Buffer {
		const bytes = node.kept ? undefined : this.#file?.read(node.offset, node.length);
		const head = bytes && quickHead(bytes, 0, bytes.length);
		if (bytes && head?.id === node.id && head.parentId === node.parentId) return bytes;
		const entry = this.entry(node);
		return Buffer.from(JSON.stringify(this.#blobs?.externalize(entry) ?? entry));
	}

	/** Retries the writes that the disk rejected. Returns true if every entry is on the medium. */
	flush(): boolean {
		if (!this.#file || this.isReadOnly) return true;
		return this.#file.isOnDisk || this.#file.isOut ? this.#file.flush() : true;
	}

	/** Begins to sync what was written, off the main thread: nothing is expected to follow soon. */
	syncSoon(): void {
		this.#file?.syncSoon();
	}

	get isClosed(): boolean {
		return this.#isClosed;
	}

	[Symbol.dispose](): void {
		this.#isClosed = true;
		this.#file?.[Symbol.dispose]();
	}

	#fileOf(
		parts: Pick<ConstructorParameters<typeof LogFile>[0], "path" | "file" | "size" | "lock" | "claim">,
	): LogFile {
		return new LogFile({
			...parts,
			report: (problem) => this.#report(problem),
			absorb: (file, from, to) => this.#absorb(file, from, to),
		});
	}

	#adopt(path: string, opened: OpenedFile): void {
		for (const node of opened.nodes) this.tree.add(node);
		this.#problems.push(...opened.problems);
		this.#file = this.#fileOf({ ...opened, path });
		if (opened.isOutdated) this.#file.renewWith(() => this.#renew(path));
		else if (opened.isOpenEnded) this.#file.enqueue(newline);
		if (opened.isEmpty) this.#file.enqueue(headerLine(this.header));
	}

	/** For version 1 and a file without a header: the original is preserved, and a copy in version 3 replaces it. */
	#renew(path: string): { file: DiskFile; size: number } {
		this.header.version = sessionVersion;
		const nodes = this.tree.nodes.filter(({ offset }) => offset >= 0);
		const lines = nodes.map((node) => this.line(node));
		const offsets = writeSession(path, this.header, lines, () => keepOriginal(path));
		const file = new DiskFile(openSync(path, "a+"));
		for (const [index, node] of nodes.entries()) {
			node.offset = offsets[index] ?? node.offset;
			node.length = lines[index]?.length ?? node.length;
		}
		return { file, size: fstatSync(file.fd).size };
	}

	#absorb(file: number, from: number, to: number): void {
		const lastId = this.tree.last?.id ?? null;
		const { nodes } = arrange(scan(file, from, to).pieces, { has: (id) => this.tree.has(id), lastId });
		for (const node of nodes) this.tree.add(node);
		this.#report({ kind: "foreign", entries: nodes.length });
	}

	/** The entry with the last name. Asked with every key: entries are only added, and each is looked at once. */
	#lastNamed(): EntryNode | undefined {
		const { nodes } = this.tree;
		// A name that turned out to be damaged is none: the one before it counts.
		if (this.#named && !isNaming(this.#named)) [this.#named, this.#searched] = [undefined, 0];
		for (let at = nodes.length - 1; at >= this.#searched; at--) {
			const node = nodes[at];
			if (!node || !isNaming(node)) continue;
			this.#named = node;
			break;
		}
		this.#searched = nodes.length;
		return this.#named;
	}

	/** The head of the line was valid, but its body is damaged. */
	#bury(node: EntryNode): void {
		const { id, offset, length: bytes } = node;
		node.type = "custom";
		node.kept = tombstone(node);
		this.#report({ kind: "damaged", offset, bytes, id });
		try {
			if (!this.isReadOnly) this.#file?.setAside(node);
		} catch (error) {
			this.#report({ kind: "unrepaired", reason: error instanceof Error ? error.message : String(error) });
		}
	}

	/** Reports a problem once, however often the entry is read. */
	#miss({ id }: EntryNode, reference: string): void {
		if (this.#missing.has(reference)) return;
		this.#missing.add(reference);
		this.#report({ kind: "missing", id, reference });
	}

	#report(problem: LogProblem): void {
		this.#problems.push(problem);
		this.#listeners.call(problem);
	}
}

/** A name in a file may be anything. */
function nameFrom(value: unknown): string | undefined {
	return typeof value === "string" ? value.trim() || undefined : undefined;
}

function isNaming({ type }: EntryNode): boolean {
	return type === "session_info" || type === "title_change";
}

/** A long text is encoded in half the time that `Buffer.from` takes. */
function bytesOf(text: string): Buffer {
	const { buffer, byteOffset, byteLength } = encoder.encode(text);
	return Buffer.from(buffer, byteOffset, byteLength);
}

const encoder = new TextEncoder();
