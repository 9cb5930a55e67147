/** The files of a session over time: what changed when, and how to bring them back to how they were at an entry. */
import { join } from "node:path";

import type { TreeEntry } from "@tau/machines/isolation";

import type { SessionManager } from "../log/index.ts";
import { trimSession } from "./collect.ts";
import { ChangeRecord, type ChangeBatch, type HistoryMoment } from "./change-record.ts";
import { localHistory, type HistoryFiles } from "./history-files.ts";
import { bytePath, isSame, shownPath, type Image, type ImageChange, type UnknownReason } from "./image.ts";
import { ImageStore, keepRead } from "./image-store.ts";
import { limits } from "./limits.ts";
import type { RestoreFailure } from "./restore-files.ts";
import { inSlices } from "./slices.ts";

export interface HistoryParts {
	/** Where the record and the contents are; called each time, because a session may move. */
	directory(): string;
	/** Whether that directory outlives this process. */
	isStored(): boolean;
	/** Where the files are; by default on this machine. */
	files?: HistoryFiles | undefined;
	/** The directory of the project, without links. Files elsewhere need a yes. */
	root: string;
	log: Pick<SessionManager, "getEntry" | "getHeads" | "getLeafId">;
}

/** Why a file is not restored unless the user says so. */
export type ConflictReason =
	/** It has changed since the session last wrote it. */
	| "changed"
	/** Somebody changed it between two changes of the session: that is lost too. */
	| "edited-between"
	/** Its change may be the user's own: only a background job ran at that time. */
	| "background"
	| "outside"
	/** A directory of its path is a link now. */
	| "link"
	/** What is there now cannot be kept, and so not be brought back. */
	| "not-kept";

export interface PlannedFile {
	/** Absolute, as a string of bytes. */
	readonly path: string;
	/** Relative to the project, for users; that of a directory ends with a slash. */
	readonly shown: string;
	readonly action: "create" | "change" | "delete";
	readonly now: Image;
	readonly want: Image;
	readonly conflict?: ConflictReason;
	/** Why it cannot be restored at all. */
	readonly lost?: UnknownReason | "collected" | "unwritten";
}

/** What a restore would do. */
export interface RestorePlan {
	readonly files: readonly PlannedFile[];
}

export interface RestoreOutcome {
	readonly restored: readonly string[];
	/** Conflicts that were not overwritten, and files that cannot be restored. */
	readonly skipped: readonly PlannedFile[];
	readonly failed: readonly RestoreFailure[];
}

/** Gets the changes of a restore; it is complete when this resolves. */
type RestoreListener = (changes: readonly ImageChange[]) => Promise<void>;

/** The files that changed since a message, as far as a list shows them. */
export interface ChangesSince {
	readonly entryId: string;
	readonly count: number;
	readonly shown: readonly string[];
}

export class FileHistory {
	readonly store: ImageStore;
	readonly #record: ChangeRecord;
	readonly #parts: HistoryParts;
	readonly #files: HistoryFiles;
	#trimmedAt = "";
	readonly #positions = new Map<string, number>();
	readonly #listeners = new Set<RestoreListener>();

	constructor(parts: HistoryParts) {
		this.#parts = parts;
		this.#files = parts.files ?? localHistory;
		this.store = new ImageStore(parts.directory);
		this.#record = new ChangeRecord(() => join(parts.directory(), recordName));
	}

	get directory(): string {
		return this.#parts.directory();
	}

	get isStored(): boolean {
		return this.#parts.isStored();
	}

	/** The other machine whose files it is about; undefined for this one. */
	get machine(): string | undefined {
		return this.#files.machine;
	}

	/** Those of other machines have the same paths, and other files. */
	get batches(): readonly ChangeBatch[] {
		const all = this.#record.batches;
		const { machine } = this;
		return all.every((batch) => batch.machine === machine)
			? all
			: all.filter((batch) => batch.machine === machine);
	}

	now(): HistoryMoment {
		const { log } = this.#parts;
		const leafId = log.getLeafId();
		const lastId = log.getHeads().at(-1)?.id;
		return {
			timestamp: Date.now(),
			...(leafId === null ? {} : { leafId }),
			...(lastId === undefined ? {} : { lastId }),
		};
	}

	/** False if the change, or what was there before, cannot be stored. */
	append(
		by: ChangeBatch["by"],
		changes: readonly ImageChange[],
		toolCallId?: string,
		moment: HistoryMoment = this.now(),
	): boolean {
		const isKept = this.store.flush();
		if (changes.length === 0) return isKept;
		const isRecorded = this.#record.append({
			...moment,
			root: this.#parts.root,
			...(this.machine === undefined ? {} : { machine: this.machine }),
			...(toolCallId === undefined ? {} : { toolCallId }),
			by,
			changes,
		});
		return isRecorded && isKept;
	}

	/**
	 * Removes the oldest contents if there are more than allowed, except those that the last prompts need, and what files
	 * are now: the next command may delete those.
	 */
	trim(maxBytes: number): void {
		const last = this.store.lastSegment;
		// A new segment is the only way to grow by more than one.
		if (last === this.#trimmedAt) return;
		this.#trimmedAt = last;
		this.store.flush();
		const needed = new Set<string>();
		const need = (image: Image): void => void (image.kind === "file" && needed.add(image.hash));
		const latest = new Map<string, Image>();
		const first = this.#firstProtected();
		for (const [at, { changes }] of this.batches.entries()) {
			for (const { path, before, after } of changes) {
				latest.set(path, after);
				if (at < first) continue;
				need(before);
				need(after);
			}
		}
		for (const image of latest.values()) need(image);
		const vacate = (segment: string): boolean => this.store.vacate(segment, (hash) => needed.has(hash));
		if (trimSession(this.#parts.directory(), maxBytes, vacate)) this.store.reload();
		this.#trimmedAt = this.store.lastSegment;
	}

	/** Called with the paths that a restore changed. */
	onRestored(listener: RestoreListener): void {
		this.#listeners.add(listener);
	}

	/** For each entry, oldest first: what is different now from when the entry was added. */
	changesSince(entryIds: readonly string[]): ChangesSince[] {
		const { batches } = this;
		const latest = new Map<string, Image>();
		const different = new Set<string>();
		const lists: ChangesSince[] = [];
		let at = batches.length;
		for (const entryId of entryIds.toReversed()) {
			const moment = this.momentBefore(entryId);
			for (; at > moment; at--) {
				for (const { path, before, after } of batches[at - 1]?.changes.toReversed() ?? []) {
					if (!latest.has(path)) latest.set(path, after);
					const now = latest.get(path) ?? after;
					const isListed = before.kind !== "directory" && now.kind !== "directory";
					if (isListed && !isSame(before, now)) different.add(path);
					else different.delete(path);
				}
			}
			const shown = [...different.values().take(limits.shownNames)].map((path) => this.shown(path));
			lists.push({ entryId, count: different.size, shown });
		}
		return lists.toReversed();
	}

	/** How many of the batches were made before the entry was added to the log. */
	momentBefore(entryId: string): number {
		const position = this.#position(entryId);
		if (position === undefined) return this.batches.length;
		const time = Date.parse(this.#parts.log.getHeads()[position]?.timestamp ?? "");
		const first = this.batches.findIndex((batch) => !this.#isBefore(batch, position, time));
		return first < 0 ? this.batches.length : first;
	}

	/** The state that an entry was left with: at the end of a branch what came after it, otherwise when it was added. */
	momentAt(entryId: string): number {
		const heads = this.#parts.log.getHeads();
		const next = heads.find(({ parentId }) => parentId === entryId);
		if (next) return this.momentBefore(next.type === "message" ? next.id : entryId);
		const last = this.batches.findLastIndex(({ leafId, by }) => leafId === entryId && by !== "restore");
		return Math.max(last + 1, this.momentBefore(entryId));
	}

	/** What has to change so that the files are as they were at this moment. */
	async plan(moment: number, signal?: AbortSignal): Promise<RestorePlan> {
		return await this.#plan(this.batches.slice(moment), signal);
	}

	/** What has to change to take the last restore back; undefined if there was none. */
	async redoPlan(): Promise<RestorePlan | undefined> {
		const last = this.batches.findLast(({ by }) => by === "restore");
		return last && (await this.#plan([last]));
	}

	/**
	 * Files with a conflict are left alone unless `overwrite` says so. What was there before can be brought back. When it
	 * is aborted, the files that are left are among those that failed.
	 */
	async restore(
		{ files }: RestorePlan,
		overwrite: (file: PlannedFile) => boolean,
		signal?: AbortSignal,
	): Promise<RestoreOutcome> {
		const chosen = new Set<PlannedFile>();
		const changes: ImageChange[] = [];
		const root = bytePath(this.#parts.root);
		const paths = files.map(({ path }) => path);
		const reader = await this.#files.reader(paths, root, signal);
		const directories = new Set<string>();
		await inSlices(files, signal, (file) => {
			if (file.lost || (file.conflict && !overwrite(file))) return;
			const link = reader.linkAbove(file.path);
			// What is behind a link is not kept, and not this project's; only a link that is replaced itself is not in the way.
			if (link !== undefined && !directories.has(link)) return;
			const read = reader.read(file.path);
			// Somebody has changed it since the plan was shown.
			if (!isSame(read.image, file.now) && file.now.kind !== "unknown") return;
			chosen.add(file);
			if (file.want.kind === "directory") directories.add(file.path);
			changes.push({ path: file.path, before: keepRead(read, this.store), after: file.want });
		});
		const failed = await this.#write(changes, root, signal);
		for (const listener of this.#listeners) await listener(changes);
		const isFailed = new Set(failed.map(({ path }) => path));
		return {
			restored: [...chosen].filter(({ path }) => !isFailed.has(path)).map(({ shown }) => shown),
			skipped: files.filter((file) => !chosen.has(file)),
			failed: failed.map(({ path, reason }) => ({ path: this.shown(path), reason })),
		};
	}

	async #write(
		changes: readonly ImageChange[],
		root: string,
		signal: AbortSignal | undefined,
	): Promise<RestoreFailure[]> {
		// Nothing is written if it was aborted while the files were read.
		if (signal?.aborted)
			return changes.map(({ path }) => ({ path, reason: "stopped before it was restored" }));
		// Recorded first: if this process is killed halfway, the rest can still be brought back.
		const isKept = this.store.flush();
		const kept = isKept ? changes : changes.filter(({ before }) => isStored(before, this.store));
		const isRecorded = this.append("restore", kept);
		const unstored = changes.filter((change) => !isRecorded || !kept.includes(change));
		const failed = unstored.map(({ path }) => ({
			path,
			reason: "what is there now cannot be stored; is the disk full?",
		}));
		if (!isRecorded) return failed;
		const wanted = kept.map(({ path, before, after }) => ({ path, now: before, want: after }));
		return [...failed, ...(await this.#files.restore(wanted, this.store, root, signal))];
	}

	/** What a file contains now, and after a restore; undefined where it is no file. */
	contents({ path, now, want }: PlannedFile): { now: Buffer | undefined; want: Buffer | undefined } {
		return {
			now: now.kind === "file" ? this.#files.content(path) : undefined,
			want: want.kind === "file" ? this.store.get(want.hash) : undefined,
		};
	}

	/** What a path had at a time, if the session has changed it since; undefined if it has not, or nothing was kept. */
	contentAt(path: string, timeMs: number): TreeEntry | undefined {
		const bytes = bytePath(path);
		const since = this.batches.filter(({ timestamp }) => timestamp >= timeMs);
		const change = since.flatMap(({ changes }) => changes).find((each) => each.path === bytes);
		if (change?.before.kind === "absent") return { kind: "absent" };
		if (change?.before.kind === "link") return { kind: "link", target: shownPath(change.before.target) };
		if (change?.before.kind !== "file") return undefined;
		const content = this.store.get(change.before.hash);
		return content && { kind: "file", bytes: content, mode: change.before.mode & 0o777 };
	}

	/** Relative to the project where it is inside. */
	shown(path: string): string {
		const root = bytePath(this.#parts.root);
		return shownPath(path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
	}

	async #plan(batches: readonly ChangeBatch[], signal?: AbortSignal): Promise<RestorePlan> {
		const paths = new Map<
			string,
			{ want: Image; last: ImageChange; isRestore: boolean; doubt: ConflictReason | undefined }
		>();
		for (const { changes, by } of batches) {
			for (const change of changes) {
				const known = paths.get(change.path);
				const isEdited = known !== undefined && !continues(known.last.after, change.before);
				const doubt = isEdited ? "edited-between" : by === "background" ? "background" : undefined;
				paths.set(change.path, {
					want: known?.want ?? change.before,
					last: change,
					isRestore: by === "restore",
					doubt: known?.doubt ?? doubt,
				});
			}
		}
		const reader = await this.#files.reader([...paths.keys()], bytePath(this.#parts.root), signal);
		const files: PlannedFile[] = [];
		await inSlices(paths, signal, ([path, { want, last, isRestore, doubt }]) => {
			const link = reader.linkAbove(path);
			const now = reader.read(path).image;
			if (isSame(now, want)) return;
			// A link that becomes a directory again is not in the way.
			if (link !== undefined && paths.get(link)?.want.kind !== "directory") {
				files.push({ ...this.#planned(path, now, want, true, undefined), conflict: "link" });
				return;
			}
			// A restore that was killed halfway has left some files as they were before it.
			const isExpected = isSame(now, last.after) || (isRestore && isSame(now, last.before));
			files.push(this.#planned(path, now, want, isExpected, doubt));
		});
		signal?.throwIfAborted();
		return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
	}

	#planned(
		path: string,
		now: Image,
		want: Image,
		isExpected: boolean,
		doubt: ConflictReason | undefined,
	): PlannedFile {
		const action = want.kind === "absent" ? "delete" : now.kind === "absent" ? "create" : "change";
		const isKnown = want.kind !== "absent" && want.kind !== "unknown";
		const isDirectory = (isKnown ? want : now).kind === "directory";
		const file = { path, shown: this.shown(path) + (isDirectory ? "/" : ""), action, now, want } as const;
		if (want.kind === "unknown") return { ...file, lost: want.why };
		if (want.kind === "file" && !this.store.has(want.hash))
			return { ...file, lost: this.store.isUnwritten(want.hash) ? "unwritten" : "collected" };
		const conflict = this.#isOutside(path)
			? "outside"
			: !isExpected
				? now.kind === "unknown"
					? "not-kept"
					: "changed"
				: doubt;
		return conflict ? { ...file, conflict } : file;
	}

	#isOutside(path: string): boolean {
		const root = bytePath(this.#parts.root);
		const isClean = !path.split("/").some((part) => part === ".." || part === ".git");
		return !isClean || !(path === root || path.startsWith(`${root}/`));
	}

	/** The first batch of the last prompts. */
	#firstProtected(): number {
		const { log } = this.#parts;
		let prompts = 0;
		for (const { id, type } of log.getHeads().toReversed()) {
			const entry = type === "message" ? log.getEntry(id) : undefined;
			if (entry?.type !== "message" || entry.message.role !== "user") continue;
			if (++prompts === limits.protectedPrompts) return this.momentBefore(id);
		}
		return 0;
	}

	/** The log only grows, so that the order of its entries is the order of time. */
	#isBefore({ lastId, timestamp }: ChangeBatch, position: number, time: number): boolean {
		if (lastId === undefined) return true;
		const last = this.#position(lastId);
		// A fork has the record of all branches, and the entries of one.
		return last === undefined ? timestamp < time : last < position;
	}

	#position(id: string): number | undefined {
		const heads = this.#parts.log.getHeads();
		if (this.#positions.size > heads.length) this.#positions.clear();
		for (let at = this.#positions.size; at < heads.length; at++) {
			const head = heads[at];
			if (head) this.#positions.set(head.id, at);
		}
		return this.#positions.get(id);
	}
}

/** Not `.jsonl`: a search for sessions must not take it for one. */
const recordName = "changes.ndjson";

/** The project of a session whose directory may be gone; undefined if nothing was recorded. */
export function recordedRoot(directory: string): string | undefined {
	return new ChangeRecord(() => join(directory, recordName)).batches.at(-1)?.root;
}

function isStored(image: Image, store: ImageStore): boolean {
	return image.kind !== "file" || store.has(image.hash);
}

/** Whether nobody changed the path in between. */
function continues(after: Image, before: Image): boolean {
	return after.kind === "unknown" || before.kind === "unknown" || isSame(after, before);
}
