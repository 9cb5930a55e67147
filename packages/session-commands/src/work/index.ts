/** The entry point `@tau/session-commands/work`. */
export { agentMessages, messageAgent, publicAgent } from "./agents.ts";
export { changedFiles, splitDiff, statusPaths, withGit, withJournal } from "./changed-files.ts";
export { discovered, type Discovered } from "./discovered.ts";
export { type Check, checkSigns, type DoctorReport, type Problem } from "./doctor-report.ts";
export { explainSandbox, sandboxLines } from "./explain-sandbox.ts";
export { gitChanges, gitDiff } from "./git-changes.ts";
export { entriesAfter, entriesBefore, messagesOf } from "./entries.ts";
export { type DiscoveredServer, findServers, isRejected, triedServers } from "./reach-models.ts";
export { actionOf } from "./mcp/actions.ts";
export { type AddRequest, serverToAdd, timeoutOf } from "./mcp/add-request.ts";
export { adviceOf, stateLabels, toolCount } from "./mcp/describe.ts";
export { actionAliases, clearedLine, clearRequest, memoryLines, proposalLines, written } from "./memory.ts";
export {
	type CanonicalData,
	canonicalData,
	canonicalIn,
	canonicalRows,
	type ModelListData,
	modelListData,
	type ModelRow,
	modelRows,
	roleRows,
	rolesIn,
	toggled,
} from "./model-rows.ts";
export { jobsWarning, moveTo } from "./move.ts";
export { isBookkeeping, leafOf, navigation } from "./navigate.ts";
export { prepareCommit, type PreparedCommit, previewLines } from "./prepare-commit.ts";
export { reloadSession } from "./reload.ts";
export {
	conflictReasons,
	counted,
	formatOutcome,
	formatStale,
	lostReasons,
	named,
	restoreDiff,
	restoredPaths,
} from "./restore-preview.ts";
export { type PreviewRestore } from "./restore.ts";
export { type Finding, needsTrust, review, type Review, reviewLines } from "./review.ts";
export {
	listStored,
	programOf,
	renameStored,
	type StoredSessions,
	trashStored,
	type Where,
} from "./stored-sessions.ts";
export { parseTodoCommand } from "./todo-command.ts";
export {
	type Calls,
	type EntryLabel,
	labelIn,
	type Speaker,
	treeEntry,
	type TreeEntry,
} from "./tree-entry.ts";
