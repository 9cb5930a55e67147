/**
 * What is known of a project's files before a command, on disk: after `kill -9` it shows what the command changed. One line for
 * each path, repository and command, beside the copies; everything is gone when the session is closed.
 */
import {
	closeSync,
	existsSync,
	futimesSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { GitIndex, GitObjects } from "@tau/sys";
import { errorCode, log, privateDirectory } from "@tau/utils";

import { baselineFolder } from "../log/file/paths.ts";
import type { HistoryMoment } from "./change-record.ts";
import { CopyFile } from "./copy-file.ts";
import { bytePath } from "./image.ts";
import { KnownTree, type KnownPath, type KnownRepository } from "./known-tree.ts";
import { limits } from "./limits.ts";
import { inSlices } from "./slices.ts";

const [linesName, copiesName] = ["baseline.ndjson", "copies"];

/** A command that may be changing files, and when it began in the conversation. */
export interface BaselineCommand extends HistoryMoment {
	readonly id: string;
}

type Line =
	| { root: string }
	| { path: string; known: KnownPath }
	| { prefix: string; gitDir: string; writtenNs: string; number: number }
	| { starts: BaselineCommand }
	/** `isBusy`: background jobs run on. */
	| { ends: string; isBusy: boolean };

/** Relative to the directory with a session's contents. */
export function baselineIn(directory: string): string {
	return join(directory, baselineFolder);
}

export class Baseline implements Disposable {
	readonly copies: CopyFile;
	#directory: string;
	#file: number | undefined;
	#pending: string[] = [];
	#bytes = 0;
	#beatAt = 0;

	/** `directory`: does not exist yet. */
	constructor(directory: string) {
		this.#directory = directory;
		this.copies = new CopyFile(() => {
			privateDirectory(this.#directory);
			return openSync(join(this.#directory, copiesName), "w+", 0o600);
		});
	}

	/** Long after many changes: then `begin` makes it short again. */
	get isLong(): boolean {
		return this.#bytes > limits.baselineBytes;
	}

	/** Writes what is known so far; from then on, `note` has to be called with each change. */
	async begin(root: string, tree: KnownTree, signal: AbortSignal): Promise<void> {
		const path = join(this.#directory, linesName);
		try {
			this.#close();
			privateDirectory(this.#directory);
			this.#file = openSync(`${path}.new`, "w", 0o600);
			this.#bytes = 0;
			this.#add({ root });
			for (const [number, repository] of tree.repositories.entries()) this.#addRepository(number, repository);
			await inSlices(tree.paths, signal, ([name, known]) => this.#add({ path: name, known }));
			this.flush();
			if (signal.aborted) this.#drop();
			else renameSync(`${path}.new`, path);
		} catch (error) {
			this.#drop(String(error));
		}
	}

	note(path: string, known: KnownPath): void {
		if (this.#file !== undefined) this.#add({ path, known });
	}

	/** What was noted is on disk afterwards. */
	starts(command: BaselineCommand): void {
		if (this.#file === undefined) return;
		this.#add({ starts: command });
		this.flush();
	}

	ends(id: string, isBusy: boolean): void {
		if (this.#file === undefined) return;
		this.#add({ ends: id, isBusy });
		this.flush();
	}

	flush(): void {
		if (this.#file === undefined || this.#pending.length === 0) return;
		const text = this.#pending.join("");
		this.#pending = [];
		try {
			this.#bytes += writeSync(this.#file, text);
		} catch (error) {
			this.#drop(String(error));
		}
		this.#beatAt = Date.now();
	}

	/** While a command runs: whatever changed after the last beat may be the user's work. */
	beat(): void {
		const now = Date.now();
		if (this.#file === undefined || now - this.#beatAt < limits.beatMs) return;
		this.#beatAt = now;
		futimesSync(this.#file, now / 1000, now / 1000);
	}

	isIn(directory: string): boolean {
		return this.#file !== undefined && this.#directory === directory;
	}

	/** The session has moved. */
	follow(directory: string): void {
		if (directory === this.#directory || this.#file === undefined) return;
		try {
			privateDirectory(dirname(directory));
			// The directory of the session may have been moved as a whole.
			if (existsSync(this.#directory)) renameSync(this.#directory, directory);
			this.#directory = directory;
		} catch (error) {
			this.#drop(String(error));
		}
	}

	[Symbol.dispose](): void {
		this.#drop();
		this.copies[Symbol.dispose]();
	}

	#add(line: Line): void {
		this.#pending.push(`${JSON.stringify(line)}\n`);
		if (this.#pending.length >= limits.pendingLines) this.flush();
	}

	#addRepository(number: number, { prefix, gitDir, index, modes }: KnownRepository): void {
		const directory = join(this.#directory, `${number}`);
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		writeFileSync(join(directory, "index"), index.bytes, { mode: 0o600 });
		writeFileSync(join(directory, "modes"), modes, { mode: 0o600 });
		this.#add({ prefix, gitDir, writtenNs: String(index.writtenNs), number });
	}

	/** A baseline that misses something would be worse than none. The open file of copies stays usable. */
	#drop(reason?: string): void {
		if (reason !== undefined)
			log.warn("after a crash, nothing of the last command can be restored", { reason });
		this.#close();
		removeBaseline(this.#directory);
	}

	#close(): void {
		if (this.#file !== undefined) closeSync(this.#file);
		this.#file = undefined;
		this.#pending = [];
	}
}

/** What a process that was killed knew. */
export interface StoredBaseline extends Disposable {
	readonly root: string;
	readonly tree: KnownTree;
	/** The first of the commands that ran; undefined if there was none. */
	readonly command: BaselineCommand | undefined;
	/** Only background jobs ran. */
	readonly isBackground: boolean;
	/** When its process was last known to live. */
	readonly beatMs: number;
}

/** Undefined if there is none, or none that can be used. */
export function readBaseline(directory: string): StoredBaseline | undefined {
	const path = join(directory, linesName);
	try {
		const { mtimeMs: beatMs } = statSync(path);
		// A line that a crash tore was written before its command could start.
		const lines = readFileSync(path, "utf8").split("\n").slice(0, -1).map(parsed);
		return { ...stored(directory, lines), beatMs };
	} catch (error) {
		if (errorCode(error) !== "ENOENT")
			log.warn("what a killed command changed cannot be found", { path, reason: String(error) });
		return undefined;
	}
}

function stored(directory: string, [head, ...lines]: readonly Line[]): Omit<StoredBaseline, "beatMs"> {
	if (!head || !("root" in head)) throw new Error("It has no beginning.");
	const { root } = head;
	const copies = new CopyFile(() => openSync(join(directory, copiesName), "r"));
	const tree = new KnownTree(bytePath(root), copies);
	const running = new Map<string, BaselineCommand>();
	let last: BaselineCommand | undefined;
	let isBusy = false;
	for (const line of lines) {
		if ("path" in line) tree.put(line.path, line.known);
		else if ("prefix" in line) addRepository(tree, directory, line);
		else if ("starts" in line) {
			last = line.starts;
			running.set(last.id, last);
		} else if ("ends" in line) {
			running.delete(line.ends);
			({ isBusy } = line);
		}
	}
	const [first] = running.values();
	const command = first ?? (isBusy ? last : undefined);
	const isBackground = first === undefined;
	return { root, tree, command, isBackground, [Symbol.dispose]: () => tree[Symbol.dispose]() };
}

export function removeBaseline(directory: string): void {
	rmSync(directory, { recursive: true, force: true });
}

function addRepository(
	tree: KnownTree,
	directory: string,
	{ prefix, gitDir, writtenNs, number }: Extract<Line, { prefix: string }>,
): void {
	const own = join(directory, `${number}`);
	const index = GitIndex.parse(readFileSync(join(own, "index")), BigInt(writtenNs));
	const bytes = readFileSync(join(own, "modes"));
	if (!index || bytes.length !== index.size * 2) throw new Error("The stored index is damaged.");
	const modes = new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
	tree.addKnown({ prefix, gitDir, index, objects: new GitObjects(gitDir), modes });
}

function parsed(line: string): Line {
	return JSON.parse(line) as Line;
}
