/** The entry point `@tau/log/journal`. */
export { allSessionsFactor, rewindFolder, trimAll } from "./collect.ts";
export {
	FileHistory,
	recordedRoot,
	type ChangesSince,
	type ConflictReason,
	type PlannedFile,
	type RestoreOutcome,
	type RestorePlan,
} from "./file-history.ts";
export { remoteHistory } from "./history-files.ts";
export { FileRecorder } from "./file-recorder.ts";
export {
	ChangeJournal,
	type JournalEntry,
	type JournalEvent,
	type JournalListener,
	type JournalOptions,
} from "./journal.ts";
export { canBeProject, projectRoot } from "./project-root.ts";
export { interruptedRoot, isInterrupted, recoverChanges } from "./recover.ts";
