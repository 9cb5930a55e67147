/** Isolated trees for agents. */
export { isolate, leftoverTrees, reopenTree, type Leftover } from "./isolate.ts";
export type {
	ContentAt,
	EnterTree,
	IsolatedTree,
	IsolateOptions,
	IsolationMode,
	MergeConflict,
	MergedFile,
	MergeOptions,
	MergeOutcome,
	TreeChange,
	TreeChanges,
	TreeEntry,
	TreeMode,
} from "./types.ts";
