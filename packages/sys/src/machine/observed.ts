/** Reports changes of a machine's files: each commit once, and changes that were made in other ways. */
import type { ChangeOrigin, CommittedChange, FileChange } from "./change.ts";
import { layered } from "./layered.ts";
import type { Machine, MachineFiles } from "./machine.ts";

export interface ChangeObserver {
	/**
	 * Called before each commit with the paths that it would change, so that what is there can be kept. What it returns
	 * is called after the commit, with whether it was made. Neither must throw.
	 */
	onCommitting?(paths: readonly string[], origin: ChangeOrigin): ((isDone: boolean) => void) | undefined;
	/** The same for changes of files that this process cannot open, with what can. It never rejects. */
	onCommittingRemote?(
		changes: readonly FileChange[],
		files: MachineFiles,
		origin: ChangeOrigin,
	): Promise<((isDone: boolean) => Promise<void>) | undefined>;
	/** Called after each successful commit. Must not throw: the files are written already. */
	onCommitted(changes: readonly CommittedChange[], origin: ChangeOrigin): void;
	/** A command may have changed any file, or something else has changed the file at `path`. */
	onNoted(origin: ChangeOrigin, path?: string): void;
}

/** The same machine; the observer belongs to the session that uses it. */
export function withObserver(machine: Machine, observer: ChangeObserver): Machine {
	return {
		...machine,
		files: layered(machine.files, (files) => ({
			async commit(changes, options) {
				const origin = { toolCallId: options.toolCallId };
				const paths = changes.flatMap(({ before }) => files.localPath(before.target) ?? []);
				const remote = changes.filter(({ before }) => files.localPath(before.target) === undefined);
				const finish = observer.onCommitting?.(paths, origin);
				const finishRemote =
					remote.length > 0 ? await observer.onCommittingRemote?.(remote, files, origin) : undefined;
				let isDone = false;
				try {
					const done = await files.commit(changes, options);
					isDone = done.ok;
					if (done.ok) observer.onCommitted(done.changes, origin);
					return done;
				} finally {
					finish?.(isDone);
					await finishRemote?.(isDone);
				}
			},
			noteChange(origin, path) {
				files.noteChange(origin, path);
				observer.onNoted(origin, path);
			},
		})),
	};
}
