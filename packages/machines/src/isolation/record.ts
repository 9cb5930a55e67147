/** What is written about each tree beside it, so that one whose program was killed is found and nothing of it is lost. */
import {
	chmodSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { isRecord, log, shortId, takeLock } from "@tau/utils";

import { limits } from "./limits.ts";
import type { TreeMode } from "./types.ts";

export interface TreeRecord {
	readonly id: string;
	readonly mode: TreeMode;
	/** The project. */
	readonly root: string;
	readonly cwd: string;
	readonly label?: string;
	/** By the clock of the file system. */
	readonly startedMs: number;
	/** False until the tree is complete: before that nobody has worked in it. */
	readonly isReady: boolean;
}

/** A tree on disk: its record, and the directories below. */
export class TreeDirectory implements Disposable {
	readonly path: string;
	#record: TreeRecord;
	readonly #lock: Disposable;

	private constructor(path: string, record: TreeRecord, lock: Disposable) {
		this.path = path;
		this.#record = record;
		this.#lock = lock;
	}

	static create(above: string, facts: Omit<TreeRecord, "id" | "startedMs" | "isReady">): TreeDirectory {
		mkdirSync(above, { recursive: true, mode: 0o700 });
		const id = shortId();
		const path = join(above, id);
		mkdirSync(path, { mode: 0o700 });
		const taken = takeLock(join(path, "tree"));
		if (!taken.ok) throw new Error(`${path} is in use.`);
		const made = new TreeDirectory(path, { ...facts, id, startedMs: 0, isReady: false }, taken.lock);
		made.#write();
		// The times of files are the system's, which may differ from those of this process by some milliseconds.
		made.#record = { ...made.#record, startedMs: statSync(join(path, recordName)).mtimeMs };
		return made;
	}

	/** Undefined if another process works with it, or if it is none. */
	static open(path: string): TreeDirectory | undefined {
		const record = readRecord(path);
		const taken = record && takeLock(join(path, "tree"));
		return record && taken?.ok ? new TreeDirectory(path, record, taken.lock) : undefined;
	}

	get record(): TreeRecord {
		return this.#record;
	}

	below(name: string): string {
		const path = join(this.path, name);
		mkdirSync(path, { recursive: true, mode: 0o700 });
		return path;
	}

	ready(mode: TreeMode): void {
		this.#record = { ...this.#record, mode, isReady: true };
		this.#write();
	}

	/** Only for a tree without changes that are not merged. A kill in between leaves one that was never complete. */
	remove(): void {
		this.#record = { ...this.#record, isReady: false };
		this.#write();
		removeBelow(this.path);
		this.#lock[Symbol.dispose]();
		rmSync(this.path, { recursive: true, force: true });
	}

	[Symbol.dispose](): void {
		this.#lock[Symbol.dispose]();
	}

	#write(): void {
		const path = join(this.path, recordName);
		writeFileSync(`${path}.new`, JSON.stringify(this.#record), { mode: 0o600 });
		renameSync(`${path}.new`, path);
	}
}

const recordName = "tree.json";

/** The directories of all trees, also of those that are in use. */
export function treeDirectories(above: string): string[] {
	try {
		const names = readdirSync(above).toSorted().slice(0, limits.leftovers);
		return names.map((name) => join(above, name)).filter((path) => readRecord(path) !== undefined);
	} catch {
		// No tree was ever made here.
		return [];
	}
}

function readRecord(path: string): TreeRecord | undefined {
	try {
		const text = readFileSync(join(path, recordName), "utf8");
		const record: unknown = text.length > limits.recordBytes ? undefined : JSON.parse(text);
		return isRecord(record) && typeof record.root === "string"
			? (record as unknown as TreeRecord)
			: undefined;
	} catch {
		// Torn, or something else.
		return undefined;
	}
}

/** Everything but the record, and the lock. A command may have left directories that their owner cannot list. */
function removeBelow(path: string): void {
	try {
		for (const { name } of readdirSync(path, { withFileTypes: true }).filter((entry) =>
			entry.isDirectory(),
		)) {
			openDirectories(join(path, name));
			rmSync(join(path, name), { recursive: true, force: true });
		}
	} catch (error) {
		log.warn("an isolated tree was left", { path, reason: String(error) });
	}
}

function openDirectories(path: string): void {
	const info = lstatSync(path, { throwIfNoEntry: false });
	if (!info?.isDirectory()) return;
	if ((info.mode & 0o700) !== 0o700) chmodSync(path, 0o700);
	for (const entry of readdirSync(path, { withFileTypes: true }))
		if (entry.isDirectory()) openDirectories(join(path, entry.name));
}
