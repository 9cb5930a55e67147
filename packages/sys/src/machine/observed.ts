/** Reports changes of a machine's files: each commit once, and changes that were made in other ways. */
import type { ChangeOrigin, CommittedChange } from "./change.ts";
import type { Machine } from "./machine.ts";

export interface ChangeObserver {
	/** Called after each successful commit. Must not throw: the files are written already. */
	onCommitted(changes: readonly CommittedChange[], origin: ChangeOrigin): void;
	/** A command may have changed any file, or something else has changed the file at `path`. */
	onNoted(origin: ChangeOrigin, path?: string): void;
}

/** The same machine; the observer belongs to the session that uses it. */
export function withObserver(machine: Machine, observer: ChangeObserver): Machine {
	const { files } = machine;
	return {
		...machine,
		files: {
			...files,
			async commit(changes, options) {
				const done = await files.commit(changes, options);
				if (done.ok) observer.onCommitted(done.changes, { toolCallId: options.toolCallId });
				return done;
			},
			noteChange(origin, path) {
				files.noteChange(origin, path);
				observer.onNoted(origin, path);
			},
		},
	};
}
