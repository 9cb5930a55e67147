/** The machine that tools work on. */
export { withBuffers, type EditorBuffers } from "./buffers.ts";
export { guardedBuffers } from "./guarded-buffers.ts";
export {
	committedChanges,
	type ChangeOrigin,
	type CommittedChange,
	type FileChange,
	type FileState,
	type NewContent,
} from "./change.ts";
export { changedMeanwhile, type Committed } from "./commit.ts";
export { FileFallbacks, withFallback, type DeniedDelete, type DeniedWrite } from "./fallback.ts";
export { lockFiles } from "./file-lock.ts";
export { withJudged } from "./judged-files.ts";
export { layered } from "./layered.ts";
export { localMachine, localSession } from "./local.ts";
export type {
	CommitOptions,
	FileFacts,
	Machine,
	MachineFiles,
	MachineGlobOptions,
	MachineShell,
	MachineShellOptions,
	MachineShellSession,
	MachineTerminal,
	OpenedFile,
	ReadOptions,
} from "./machine.ts";
export { withHiddenFiles } from "./hidden-files.ts";
export { withObserver, type ChangeObserver } from "./observed.ts";
export { problem, systemProblem, type FileProblem } from "./problem.ts";
export { encode, existing, textFileOf, type AbsentFile, type TextFile } from "./text-file.ts";
