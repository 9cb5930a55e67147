/** The entry point of the session log. */
export type { BlobStore } from "./blobs/blob-store.ts";
export { invocationOf, pastesOf, userTextOf } from "@tau/wire";
export type { ContextOptions, SessionContext } from "./tree/context.ts";
export type * from "./tree/entry.ts";
export { collectGarbage, type GcReport } from "./gc/collect.ts";
export type * from "./tree/messages.ts";
export { describeProblem, formatNewer, formatOwner, type LogProblem } from "./file/problem.ts";
export { openRequestType } from "./listing/outcome.ts";
export { gitBranchType, hasText, type SessionInfo } from "./listing/session-info.ts";
export { earlierSessions, handedOver, handoffType, type HandoffDetails } from "./handoff.ts";
export { claimSessionId } from "./file/claim-id.ts";
export { SessionLockedError } from "./file/open-error.ts";
export { SessionManager, type OpenOptions, type OpenOutcome } from "./session-manager.ts";
export type { PastMessages } from "./tree/past-messages.ts";
export { toolSpent, type Spent } from "./tree/spent.ts";
export type { SessionTreeNode } from "./tree/session-tree.ts";
export { trashSession } from "./file/trash.ts";
export { artifactsDir, defaultSessionDir } from "./file/paths.ts";
export { limits as logLimits } from "./limits.ts";
export { listAgentSessions, listForeignSessions, mostRecentSession } from "./listing/listing.ts";
export { buildContext, contextTokens, messageOf } from "./tree/context.ts";
export { type CompactionEntry, type SessionEntry, type SessionHeader, sessionVersion } from "./tree/entry.ts";
export {
	type BranchSummaryMessage,
	type CompactionSummaryMessage,
	type CustomMessage,
	branchSummaryMessage,
	compactionSummaryMessage,
	customMessage,
	isUndone,
} from "./tree/messages.ts";
export { type SessionProjection, contextEntries, pathOf, projectionOf } from "./tree/projection.ts";
export { sessionSuffix } from "./file/paths.ts";
export { carriedText, readCarried, readCarriedText } from "./tree/carried-over.ts";
export { type Archive, type Frame, isSealedFor, readArchive, sealedIn } from "./tree/sealed.ts";
