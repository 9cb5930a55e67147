/** The public interface of compaction: the part without requests and I/O. */
export { correction, windowBudget, type WindowBudget, type WindowSettings } from "./budget.ts";
export type { Piece } from "./cut-point.ts";
export { charsFor, estimateTokens, tokensIn } from "./estimate.ts";
export {
	fileLists,
	fileOperations,
	readFileLists,
	type FileAccess,
	type FileLists,
	type FileOperations,
} from "./file-ops.ts";
export { fileTree, withoutFileTree } from "./file-tree.ts";
export { portions } from "./portions.ts";
export { callsIn, planPruning, type PrunedResult } from "./prune.ts";
export { prepareCompaction, type CompactionPreparation } from "./prepare.ts";
export { serializeConversation, serializeMessage, shortened, withoutUseless } from "./serialize.ts";
