/** Records what tools and commands change in the files of a session, and what was there before. */
import { dirname } from "node:path";

import type { FileChange, MachineFiles } from "@tau/sys";
import { log, timer, withTimeout, abortable } from "@tau/utils";

import { baselineIn } from "./baseline.ts";
import type { FileHistory, RestoreOutcome } from "./file-history.ts";
import { bytePath, readImage, statsAt, type Image, type ImageChange } from "./image.ts";
import { keepRead } from "./image-store.ts";
import { limits } from "./limits.ts";
import { isInterrupted, recoverChanges } from "./recover.ts";
import { remoteChanges } from "./remote-changes.ts";
import { inSlices } from "./slices.ts";
import { ProjectTracker, type TrackerNotice } from "./project-tracker.ts";

/** What is not recorded, for a notice; each is reported once. */
type RecorderNotice = TrackerNotice | "slow" | "no-project" | "not-stored";

export interface RecorderParts {
	/** The directory of the project, without links; undefined if commands are not recorded. */
	root: string | undefined;
	/** The user's, with settings of git. */
	home?: string | undefined;
	/** Whether a path, as a string of bytes, is one of Tau's own files. */
	isOwn(path: string): boolean;
	/** Read at each command. */
	isEnabled(): boolean;
	/** What the contents of a session may take on disk. */
	maxBytes(): number;
	/** How long a command waits for the copies; the limit by default. */
	prepareMs?: number;
	onNotice(notice: RecorderNotice): void;
	/** What commands changed, after it was recorded. */
	onRecorded(changes: readonly ImageChange[], toolCallId: string | undefined): void;
}

export class FileRecorder implements Disposable {
	readonly #parts: RecorderParts;
	readonly #noticed = new Set<string>();
	/** Whether commands run in the background: what changes meanwhile may be theirs. */
	isBusy: () => boolean = () => false;
	/** Whether processes still run that commands have left behind; reading that takes milliseconds. */
	hasLeftovers: () => boolean = () => false;
	/** The same, as far as it is known: it is looked up a while after a command, or when it matters. */
	#leftovers: "none" | "perhaps" | "some" = "none";
	#leftoverLook: Disposable | undefined;
	/** The history of the current session. */
	#history: FileHistory;
	#tracker: ProjectTracker | undefined;
	#prepared: Promise<void> | undefined;
	/** Work on the tracker is done one after the other. */
	#queue: Promise<void> = Promise.resolve();
	/** Commands that may be changing files. */
	readonly #running = new Set<string>();
	#restoring: Promise<unknown> = Promise.resolve();
	#recovered: Promise<void> | undefined;
	#look: Disposable | undefined;
	#isDisposed = false;

	constructor(parts: RecorderParts, history: FileHistory) {
		this.#parts = parts;
		this.#history = history;
		this.#follow(history);
	}

	get history(): FileHistory {
		return this.#history;
	}

	/** The session has moved. */
	continueWith(history: FileHistory): void {
		this.#history = history;
		this.#follow(history);
		this.#recovered = undefined;
		void this.#recover();
		void this.#enqueue(() => this.#tracker?.baseline?.follow(baselineIn(history.directory)));
	}

	/** Begins to watch the project, without waiting for it. */
	prepare(): void {
		const { root } = this.#parts;
		if (this.#prepared || this.#isDisposed || !this.#parts.isEnabled()) return;
		if (root === undefined) return this.#notice("no-project");
		void this.#recover();
		const tracker = new ProjectTracker({
			root,
			directory: this.#history.directory,
			isStored: this.#history.isStored,
			home: this.#parts.home,
			isOwn: (path) => this.#parts.isOwn(path),
			onNotice: (notice) => this.#notice(notice),
		});
		this.#tracker = tracker;
		this.#prepared = this.#enqueue(() => tracker.prepare());
	}

	/** Resolves when a command may start: what it is about to change is known. `id` names it until it ends. */
	async commandStarting(id: string, signal?: AbortSignal): Promise<void> {
		await this.ready(signal);
		this.prepare();
		const tracker = this.#tracker;
		if (!tracker || this.#running.has(id)) return;
		const isAlone = this.#running.size === 0 && !this.#isShared();
		// What changed while no command ran is the user's work.
		const ready = isAlone ? this.#enqueue(() => tracker.refresh()) : this.settle();
		void this.#enqueue(() => {
			tracker.baseline?.follow(baselineIn(this.#history.directory));
			tracker.baseline?.starts({ id, ...this.#history.now() });
		});
		this.#running.add(id);
		this.#lookLater(limits.firstLookMs);
		using deadline = withTimeout(signal, this.#parts.prepareMs ?? limits.prepareMs, "copying takes too long");
		await abortable(ready, deadline.signal).catch(() => {
			// A command that was aborted does not run.
			if (signal?.aborted) return;
			if (isAlone) tracker.startsLate();
			this.#notice("slow");
		});
	}

	/** Records what the command changed; resolves when that is on disk. `toolCallId`: the call that it was. */
	async commandEnded(id: string, toolCallId: string | undefined = id): Promise<void> {
		if (!this.#running.has(id)) return;
		const settled = this.settle(toolCallId);
		this.#running.delete(id);
		if (this.#running.size === 0) this.#look?.[Symbol.dispose]();
		if (this.#running.size === 0) this.#leftovers = "perhaps";
		this.#lookForLeftovers(id, limits.leftoverMs);
		await settled;
		this.#tracker?.baseline?.ends(id, this.isBusy());
	}

	/** Records what commands changed so far. */
	settle(toolCallId?: string): Promise<void> {
		const tracker = this.#tracker;
		const history = this.#history;
		if (!tracker) return Promise.resolve();
		const by = this.#running.size > 0 ? "command" : "background";
		return this.#enqueue(async () => {
			const changes = await tracker.settle(history.store);
			if (changes.length === 0) return;
			this.#append(history, by, changes, toolCallId);
			tracker.baseline?.flush();
			history.trim(this.#parts.maxBytes());
			this.#parts.onRecorded(changes, toolCallId);
		});
	}

	/** Restores the files of a plan; tools and commands wait until it is done. */
	async restore(...[plan, overwrite, signal]: Parameters<FileHistory["restore"]>): Promise<RestoreOutcome> {
		await this.idle();
		const restoring = this.#history.restore(plan, overwrite, signal);
		this.#restoring = restoring.catch(() => {});
		return await restoring;
	}

	/** Resolves when no restore is at work on the files, and everything is recorded that came before this process. */
	async ready(signal?: AbortSignal): Promise<void> {
		await abortable(Promise.all([this.#restoring, this.#recover()]), signal).catch(() => {});
	}

	/** Resolves when everything that ended so far is recorded. */
	async idle(): Promise<void> {
		void this.#recover();
		if (this.#isShared()) void this.settle();
		await this.#queue;
	}

	/** Keeps what is at these paths. Returns what records the change when it was made. */
	beforeCommit(paths: readonly string[], toolCallId: string | undefined): (isDone: boolean) => void {
		if (!this.#parts.isEnabled()) return () => {};
		const history = this.#history;
		const before = new Map<string, Image>();
		// What a running command did to the same files would be hidden by this change.
		const isShared = this.#running.size > 0 || this.#isShared();
		const overtaken: ImageChange[] = [];
		for (const path of paths.flatMap((each) => [...missingAbove(each), each])) {
			const bytes = bytePath(path);
			if (before.has(bytes)) continue;
			const read = readImage(bytes);
			const change = isShared ? this.#tracker?.overtaken(bytes, read, history.store) : undefined;
			if (change) overtaken.push(change);
			before.set(bytes, keepRead(read, history.store));
		}
		this.#append(history, this.#running.size > 0 ? "command" : "background", overtaken, undefined);
		return (isDone) => {
			if (!isDone) return;
			const changes = [...before].map(([path, old]) => {
				const read = readImage(path);
				const change = { path, before: old, after: keepRead(read, history.store), stamp: read.stamp };
				this.#tracker?.noted(path, change);
				return change;
			});
			this.#append(
				history,
				"tool",
				changes.map(({ stamp: _, ...change }) => change),
				toolCallId,
			);
			history.trim(this.#parts.maxBytes());
		};
	}

	/** The same for files of another machine; a history of this one keeps nothing of them. */
	async beforeCommitElsewhere(
		changes: readonly FileChange[],
		files: MachineFiles,
		toolCallId: string | undefined,
	): Promise<((isDone: boolean) => Promise<void>) | undefined> {
		const history = this.#history;
		if (!this.#parts.isEnabled() || history.machine === undefined) return undefined;
		// A call must not fail because what it changes cannot be recorded.
		const tried = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
			try {
				return await work();
			} catch (error) {
				log.error("changes on another machine were not recorded", { reason: String(error) });
				this.#notice("not-stored");
				return undefined;
			}
		};
		const made = await tried(() => remoteChanges(changes, files, history.store));
		return async (isDone) => {
			const recorded = isDone && made ? await tried(made) : undefined;
			if (!recorded) return;
			this.#append(history, "tool", recorded, toolCallId);
			history.trim(this.#parts.maxBytes());
		};
	}

	[Symbol.dispose](): void {
		this.#isDisposed = true;
		this.#look?.[Symbol.dispose]();
		this.#leftoverLook?.[Symbol.dispose]();
		const tracker = this.#tracker;
		this.#tracker = undefined;
		// After what is being recorded.
		void this.#enqueue(() => {
			tracker?.baseline?.follow(baselineIn(this.#history.directory));
			tracker?.[Symbol.dispose]();
		});
	}

	#append(
		history: FileHistory,
		by: "tool" | "command" | "background",
		changes: readonly ImageChange[],
		toolCallId: string | undefined,
	): void {
		if (!history.append(by, changes, toolCallId)) this.#notice("not-stored");
	}

	/** Of a process that was killed, once for each session: what it changed comes before everything else. */
	#recover(): Promise<void> | undefined {
		const { root } = this.#parts;
		if (this.#recovered || root === undefined || !this.#history.isStored) return this.#recovered;
		const { directory } = this.#history;
		const isOwn = this.#tracker?.baseline?.isIn(baselineIn(directory)) === true;
		const { history } = this;
		const parts = { root, directory, history, isOwn: (path: string) => this.#parts.isOwn(path) };
		this.#recovered =
			isOwn || !isInterrupted(directory) ? Promise.resolve() : this.#enqueue(() => recoverChanges(parts));
		return this.#recovered;
	}

	/** What a rewind writes is no change of a command. */
	#follow(history: FileHistory): void {
		history.onRestored(async (changes) => {
			if (!this.#tracker) return;
			await inSlices(changes, undefined, ({ path }) => {
				const { image, stamp } = readImage(path);
				this.#tracker?.noted(path, { after: image, stamp });
			});
		});
	}

	/** While a command runs, the system's queue is read before it is full, and changes are recorded now and then. */
	#lookLater(afterMs: number): void {
		this.#look?.[Symbol.dispose]();
		const end = Date.now() + afterMs;
		const look = (): void => {
			if (this.#isDisposed || this.#running.size === 0) return;
			this.#tracker?.drain();
			this.#tracker?.baseline?.beat();
			if (Date.now() < end) this.#look = timer(limits.drainMs, look);
			else void this.settle().then(() => this.#lookLater(afterMs * 2));
		};
		this.#look = timer(limits.drainMs, look);
	}

	/** Whether something of this session may be changing files while no command runs; asked when it matters. */
	#isShared(): boolean {
		if (this.#leftovers === "perhaps" && this.#tracker?.isTouched === true)
			this.#leftovers = this.hasLeftovers() ? "some" : "none";
		return this.isBusy() || this.#leftovers === "some";
	}

	/** After the last command, off its path: until its leftovers have ended, what they change is recorded now and then. */
	#lookForLeftovers(id: string, afterMs: number): void {
		this.#leftoverLook?.[Symbol.dispose]();
		this.#leftoverLook = timer(afterMs, () => {
			// The end of the command that runs looks again.
			if (this.#isDisposed || this.#running.size > 0) return;
			const wereLeft = this.#leftovers === "some";
			const areLeft = this.hasLeftovers();
			this.#leftovers = areLeft ? "some" : "none";
			// What the last of them changed before it ended is theirs, too.
			const settled = areLeft || wereLeft ? this.settle() : Promise.resolve();
			void settled.then(() => this.#tracker?.baseline?.ends(id, areLeft || this.isBusy()));
			if (areLeft) this.#lookForLeftovers(id, Math.min(afterMs * 2, limits.mostLeftoverMs));
		});
	}

	/** Never rejects: a call must not fail because what it changed cannot be recorded. */
	#enqueue(work: () => void | Promise<void>): Promise<void> {
		this.#queue = this.#queue.then(work).catch((error: unknown) => {
			log.error("changes were not recorded", { reason: String(error) });
			this.#notice("not-stored");
		});
		return this.#queue;
	}

	#notice(notice: RecorderNotice): void {
		if (this.#noticed.has(notice)) return;
		this.#noticed.add(notice);
		this.#parts.onNotice(notice);
	}
}

/** The directories that a new file needs, the topmost first. */
function missingAbove(path: string): string[] {
	const missing: string[] = [];
	for (let at = dirname(path); at !== dirname(at) && !statsAt(bytePath(at)); at = dirname(at))
		missing.unshift(at);
	return missing;
}
