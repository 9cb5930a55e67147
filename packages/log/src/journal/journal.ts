/** Records every file change of a session once; whatever has to know of changes reads or watches this record. */
import type { ChangeObserver, ChangeOrigin, CommittedChange, FileChange, MachineFiles } from "@tau/sys";
import { log, onDispose } from "@tau/utils";

import type { FileRecorder } from "./file-recorder.ts";
import { shownPath, type Image, type ImageChange } from "./image.ts";
import { limits } from "./limits.ts";

/** A change of one file. */
export interface JournalEntry extends CommittedChange {
	/** Counts up from 1 over the lifetime of the session, also past dropped entries. */
	readonly sequence: number;
	readonly timestamp: number;
	/** The call of a tool that made the change; absent for changes that no call made. */
	readonly toolCallId?: string;
	/** The last entry of the session log when the change was made; absent before the first one. */
	readonly entryId?: string;
}

export type JournalEvent =
	| { readonly type: "recorded"; readonly entries: readonly JournalEntry[] }
	/** A command has run and may have changed any file: nothing was recorded. */
	| { readonly type: "unknown"; readonly toolCallId?: string };

export type JournalListener = (event: JournalEvent) => void;

export interface JournalOptions {
	/** The id of the last entry of the session log. */
	leafId?(): string | null | undefined;
	/** How many changes are stored; for tests. */
	capacity?: number;
	/** Keeps the contents on disk, for a rewind; without it nothing is kept. */
	recorder?: FileRecorder;
}

/** What happened in this run; the contents of files over the whole session are in the recorder's history. */
export class ChangeJournal implements ChangeObserver, Disposable {
	readonly #options: JournalOptions;
	readonly #entries: JournalEntry[] = [];
	readonly #listeners = new Set<JournalListener>();
	#sequence = 0;
	#isDisposed = false;

	constructor(options: JournalOptions = {}) {
		this.#options = options;
	}

	/** In the order in which the changes were made. */
	get entries(): readonly JournalEntry[] {
		return this.#entries;
	}

	/** Recorded changes, including dropped ones. */
	get total(): number {
		return this.#sequence;
	}

	record(changes: readonly CommittedChange[], { toolCallId }: ChangeOrigin = {}): void {
		if (this.#isDisposed || changes.length === 0) return;
		const timestamp = Date.now();
		const entryId = this.#options.leafId?.() ?? undefined;
		const entries = changes.map((change): JournalEntry => ({
			...change,
			sequence: ++this.#sequence,
			timestamp,
			...(toolCallId === undefined ? {} : { toolCallId }),
			...(entryId === undefined ? {} : { entryId }),
		}));
		this.#entries.push(...entries);
		const excess = this.#entries.length - (this.#options.capacity ?? limits.entries);
		if (excess > 0) this.#entries.splice(0, excess);
		this.#emit({ type: "recorded", entries });
	}

	/** What keeps the contents of files; absent where nothing can be restored. */
	get recorder(): FileRecorder | undefined {
		return this.#options.recorder;
	}

	onCommitting(
		paths: readonly string[],
		{ toolCallId }: ChangeOrigin,
	): ((isDone: boolean) => void) | undefined {
		return this.#isDisposed ? undefined : this.#options.recorder?.beforeCommit(paths, toolCallId);
	}

	async onCommittingRemote(
		changes: readonly FileChange[],
		files: MachineFiles,
		{ toolCallId }: ChangeOrigin,
	): Promise<((isDone: boolean) => Promise<void>) | undefined> {
		return this.#isDisposed
			? undefined
			: await this.#options.recorder?.beforeCommitElsewhere(changes, files, toolCallId);
	}

	onCommitted(changes: readonly CommittedChange[], origin: ChangeOrigin): void {
		this.record(changes, origin);
	}

	/** What a command changed, as the recorder found it. */
	onFound(changes: readonly ImageChange[], toolCallId: string | undefined): void {
		const files = changes.filter(({ before, after }) => !isDirectory(before) && !isDirectory(after));
		this.record(
			files.map(({ path, before, after }): CommittedChange => {
				const kind = before.kind === "absent" ? "created" : after.kind === "absent" ? "deleted" : "changed";
				return { path: shownPath(path), kind };
			}),
			{ toolCallId },
		);
	}

	/** Without a path a command ran: what it changed is found by the recorder. */
	onNoted({ toolCallId }: ChangeOrigin, path?: string): void {
		if (path !== undefined) return this.record([{ path, kind: "changed" }], { toolCallId });
		if (this.#isDisposed) return;
		void this.#options.recorder?.settle(toolCallId);
		this.#emit({ type: "unknown", ...(toolCallId === undefined ? {} : { toolCallId }) });
	}

	/** The changes that one call of a tool made. */
	madeBy(toolCallId: string): readonly JournalEntry[] {
		return this.#entries.filter((entry) => entry.toolCallId === toolCallId);
	}

	subscribe(listener: JournalListener): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	[Symbol.dispose](): void {
		this.#isDisposed = true;
		this.#listeners.clear();
	}

	#emit(event: JournalEvent): void {
		for (const listener of this.#listeners) {
			try {
				listener(event);
			} catch (error) {
				// The files are written already, and the other listeners have to know of it.
				log.error("a listener of the change journal failed", { reason: String(error) });
			}
		}
	}
}

function isDirectory({ kind }: Image): boolean {
	return kind === "directory";
}
